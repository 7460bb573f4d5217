import { z } from 'zod'
import { AppError, isAbort } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import type { ModelProvider } from '#shared/util/providers.ts'
import { readOrSetAside, writeDurably } from '#platform'
import type { ProviderOptions } from '../middleware/provider-fetch.ts'

const listTimeoutMs = 8000
const maxAgeMs = 10 * 60_000

const listedModelSchema = z.object({
  name: z.string(),
  contextWindow: z.number().optional(),
  maxOutput: z.number().optional(),
  images: z.boolean().optional(),
  /** US dollars per million tokens. */
  prices: z.object({ input: z.number(), output: z.number() }).optional(),
  thinking: z.enum(['adaptive', 'budget', 'none']).optional(),
})
/** Properties of a model as its provider lists them; undefined if it does not list them. */
export type ListedModel = Readonly<z.infer<typeof listedModelSchema>>

const cacheSchema = z.record(z.string(), z.array(listedModelSchema))

export interface ListOutcome {
  readonly models: readonly ListedModel[]
  /** Reason why the list could not be fetched; `models` then has the previous list. */
  readonly failure: AppError | undefined
}

export class ModelLists {
  readonly #file: string
  readonly #onProblem: (problem: unknown) => void
  readonly #lists = new Map<string, readonly ListedModel[]>()
  readonly #fetchedAt = new Map<string, number>()

  /** @param file absolute path of the cache @param onProblem receives its read and write errors */
  constructor(file: string, onProblem: (problem: unknown) => void) {
    this.#file = file
    this.#onProblem = onProblem
  }

  /** Loads the cached lists. Call it once before other methods. */
  async load(): Promise<void> {
    try {
      const cachedLists = await readOrSetAside(
        this.#file,
        (text) => cacheSchema.safeParse(parseJson(text)).data,
        (copyPath) => this.#onProblem(`the cached model lists could not be read and were moved to ${copyPath}`),
      )
      for (const [provider, models] of Object.entries(cachedLists ?? {})) this.#lists.set(provider, models)
    } catch (error) {
      this.#onProblem(error)
    }
  }

  /** Returns the cached properties of a model; undefined if it is not listed. @param id `provider/model` */
  listedModel(id: string): ListedModel | undefined {
    const [provider = ''] = id.split('/', 1)
    return this.#lists.get(provider)?.find(({ name }) => `${provider}/${name}` === id)
  }

  /**
   * Returns a provider's models, cached for 10 minutes. `failure` is an error of the provider; others are thrown.
   * @param fresh true to bypass the cache
   */
  async fetchModels(provider: ModelProvider, options: ProviderOptions, fresh = false): Promise<ListOutcome> {
    const cacheKey = `${provider} ${options.baseUrl ?? ''} ${options.apiKey}`
    const cachedModels = this.#lists.get(provider) ?? []
    const fetchedAt = this.#fetchedAt.get(cacheKey) ?? -Infinity
    if (!fresh && performance.now() - fetchedAt < maxAgeMs) return { models: cachedModels, failure: undefined }
    try {
      const models = await fetchList(provider, options, AbortSignal.timeout(listTimeoutMs))
      this.#fetchedAt.set(cacheKey, performance.now())
      this.#lists.set(provider, models)
      await writeDurably(this.#file, JSON.stringify(Object.fromEntries(this.#lists))).catch(this.#onProblem)
      return { models, failure: undefined }
    } catch (error) {
      if (error instanceof AppError) return { models: cachedModels, failure: error }
      if (isAbort(error)) {
        const message = `${provider} did not answer in time`
        return { models: cachedModels, failure: new AppError('provider_timeout', message, { provider }) }
      }
      throw error
    }
  }
}

async function fetchList(
  provider: ModelProvider,
  options: ProviderOptions,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  if (provider === 'anthropic')
    return (await import('../providers/anthropic/anthropic.ts')).listAnthropicModels(options, signal)
  return (await import('../providers/openai/openai-client.ts')).listOpenAiModels(provider, options, signal)
}
