/** Which models there are, and making one from its id. A provider's client is loaded when it is first used. */
import type { Model } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import type { Config, Keys } from '../settings/index.ts'
import {
  costOf,
  modelLimits,
  modelPrices,
  splitModelId,
  type ModelLimits,
  type ModelPrices,
  type ProviderName,
} from './catalog.ts'
import type { ChatModel, ProviderOptions } from './model.ts'
import { createOfflineModel } from './offline.ts'

type RemoteProvider = Exclude<ProviderName, 'offline'>

const remoteProviders: readonly RemoteProvider[] = ['anthropic', 'openai', 'openai-compatible']
const listTimeoutMs = 5000
/** A provider's list of models changes rarely. */
const listFreshMs = 10 * 60_000

export class Models {
  readonly #config: () => Config
  readonly #keys: Keys
  readonly #env: NodeJS.ProcessEnv
  readonly #lists = new Map<RemoteProvider, { readonly at: number; readonly names: readonly string[] }>()

  constructor(config: () => Config, keys: Keys, env: NodeJS.ProcessEnv) {
    this.#config = config
    this.#keys = keys
    this.#env = env
  }

  /** @throws AppError `provider_key_missing` naming the variable to set */
  create(id: string, timeoutMs: number): ChatModel {
    const { provider, model } = splitModelId(id)
    const limits = modelLimits(id, this.#config().models[id])
    if (provider === 'offline') return createOfflineModel(limits)
    const options = this.#options(provider, timeoutMs)
    if (!options) throw this.#missing(provider)
    return withCost(
      createRemoteModel(provider, model, options, limits),
      modelPrices(id, this.#config().models[id]?.prices),
    )
  }

  limits(id: string): { contextWindow: number; maxOutput: number } {
    return modelLimits(id, this.#config().models[id])
  }

  /** The offline model, the one that is chosen, and what each provider with a key lists. */
  async list(chosen: string): Promise<Model[]> {
    const ids = new Set(['offline', chosen])
    const lists = await Promise.all(
      remoteProviders.map(async (provider) => (await this.#names(provider)).map((name) => `${provider}/${name}`)),
    )
    for (const id of lists.flat()) ids.add(id)
    return [...ids].map((id) => {
      const { provider, model } = splitModelId(id)
      const available = provider === 'offline' || this.#options(provider, listTimeoutMs) !== undefined
      return { id, provider, model, contextWindow: this.limits(id).contextWindow, available }
    })
  }

  async #names(provider: RemoteProvider): Promise<readonly string[]> {
    const options = this.#options(provider, listTimeoutMs)
    if (!options) return []
    const known = this.#lists.get(provider)
    if (known && Date.now() - known.at < listFreshMs) return known.names
    try {
      const signal = AbortSignal.timeout(listTimeoutMs)
      const names = await listRemoteModels(provider, options, signal)
      this.#lists.set(provider, { at: Date.now(), names })
      return names
    } catch (error) {
      // A provider that is down lists nothing now; the chosen model can still be tried, and says why it fails.
      if (error instanceof AppError || (error instanceof Error && /abort|time/i.test(`${error.name} ${error.message}`)))
        return known?.names ?? []
      throw error
    }
  }

  #options(provider: RemoteProvider, timeoutMs: number): ProviderOptions | undefined {
    const configured = this.#config().providers[provider].baseUrl
    const baseUrl =
      configured ?? (provider === 'openai-compatible' ? this.#env['OPENAI_COMPATIBLE_BASE_URL'] : undefined)
    // Local servers want no key, but do want to be found.
    if (provider === 'openai-compatible')
      return baseUrl ? { apiKey: this.#keys.get(provider) ?? 'none', baseUrl, timeoutMs } : undefined
    const apiKey = this.#keys.get(provider)
    return apiKey === undefined ? undefined : { apiKey, baseUrl, timeoutMs }
  }

  #missing(provider: RemoteProvider): AppError {
    const variable = provider === 'openai-compatible' ? 'OPENAI_COMPATIBLE_BASE_URL' : this.#keys.variable(provider)
    return new AppError('provider_key_missing', `${provider} is not set up: set ${variable} and start again`, {
      provider,
      variable,
    })
  }
}

function createRemoteModel(
  provider: RemoteProvider,
  model: string,
  options: ProviderOptions,
  limits: ModelLimits,
): ChatModel {
  return {
    id: `${provider}/${model}`,
    provider,
    model,
    ...limits,
    async *stream(request, signal) {
      if (provider === 'anthropic') {
        const { createAnthropicModel } = await import('./anthropic.ts')
        yield* createAnthropicModel(model, options, limits).stream(request, signal)
      } else {
        const { createOpenAiModel } = await import('./openai.ts')
        yield* createOpenAiModel(provider, model, options, limits).stream(request, signal)
      }
    },
  }
}

async function listRemoteModels(
  provider: RemoteProvider,
  options: ProviderOptions,
  signal: AbortSignal,
): Promise<string[]> {
  if (provider === 'anthropic') return (await import('./anthropic.ts')).listAnthropicModels(options, signal)
  return (await import('./openai.ts')).listOpenAiModels(provider, options, signal)
}

/** The same model, whose answers say what they cost. */
function withCost(model: ChatModel, prices: ModelPrices | undefined): ChatModel {
  if (!prices) return model
  return {
    ...model,
    async *stream(request, signal) {
      for await (const event of model.stream(request, signal)) {
        if (event.type !== 'done') yield event
        else {
          const { usage } = event.message
          yield { ...event, message: { ...event.message, usage: { ...usage, cost: { total: costOf(usage, prices) } } } }
        }
      }
    },
  }
}
