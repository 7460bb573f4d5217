import { z } from 'zod'
import { AppError, isAbort } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import type { ModelProvider } from '#shared/util/providers.ts'
import { readOrSetAside, writeDurably, type Fetch } from '#platform'
import type { ProviderOptions } from '../middleware/provider-fetch.ts'
import type { LocalModelServer } from '#shared/contract/index.ts'

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

/** Servers with OpenAI's protocol that people run on their own machine, with their default ports. */
const knownServers = [
  { name: 'Ollama', port: '11434' },
  { name: 'LM Studio', port: '1234' },
  { name: 'llama.cpp', port: '8080' },
] as const

const probeTimeoutMs = 800

/**
 * Lists the servers of this machine that have chat models, with their ids; the first is suggested.
 * @param env may name Ollama's port in `OLLAMA_HOST`; another host in it is ignored
 */
export async function findLocalServers(env: NodeJS.ProcessEnv, fetch: Fetch): Promise<LocalModelServer[]> {
  const ollamaPort = /:(\d{1,5})\/?$/.exec(env['OLLAMA_HOST'] ?? '')?.[1]
  const probes = knownServers.map(async ({ name, port }) => {
    const baseUrl = `http://localhost:${(name === 'Ollama' && ollamaPort) || port}/v1`
    const options = { apiKey: 'none', baseUrl, timeoutMs: probeTimeoutMs, fetch }
    const listed = await fetchList('openai-compatible', options, AbortSignal.timeout(probeTimeoutMs))
    return { name, baseUrl, models: chatModelNames(listed).map((model) => `openai-compatible/${model}`) }
  })
  // A port without a server is not an error; another program may answer there, without models.
  const servers = (await Promise.allSettled(probes)).flatMap((probe) => ('value' in probe ? probe.value : []))
  return servers.filter(({ models }) => models.length > 0)
}

const otherUsePattern =
  /embed|rerank|whisper|\btts\b|(?:^|[/-])(?:bge|e5|gte)-|all-minilm|dall-e|gpt-image|\bsora\b|realtime|\baudio\b|transcribe|moderation|davinci|babbage|gpt-3\.5-turbo-instruct/i
const specialUsePattern =
  /code|math|guard|vision|reason|\bvl\b|chat-latest|\b(?:base|mini|nano|preview|search|research|turbo)$|^gpt.*-pro\b/
const datePattern = /-(?:20\d{6}|20\d\d-\d\d-\d\d|\d{4})$/

/** Size of a model whose name has none, and the largest one that answers fluently on most machines; billions. */
const defaultSize = 7
const largestUsualSize = 40

/**
 * Returns the names of the models for chats; the first is suggested. Leaves out models that embed, rank, draw, moderate,
 * or process speech, by their names. Equally suitable models keep their order.
 */
export function chatModelNames(models: readonly { readonly name: string }[]): string[] {
  const names = models.map(({ name }) => name).filter((name) => !otherUsePattern.test(name))
  return names.toSorted((one, other) => fitnessOf(other) - fitnessOf(one))
}

function fitnessOf(name: string): number {
  // Routers put the maker before the name: `anthropic/claude-sonnet-4.5`.
  const plain = (name.split('/').at(-1) ?? name).toLowerCase().replace(datePattern, '')
  const penalty = specialUsePattern.test(plain) ? 10_000 : 0
  if (/^claude.*sonnet|^gpt-\d/.test(plain)) {
    const [major = 0, minor = 0] = (plain.match(/\d+/g) ?? []).map(Number)
    return 1000 + major * 100 + minor - penalty
  }
  const size = Number(/(\d+(?:\.\d+)?)b\b/.exec(plain)?.[1] ?? defaultSize)
  return (size > largestUsualSize ? 0 : size) - penalty
}
