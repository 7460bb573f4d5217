import type { LocalModelServer, Locale, Model, ProviderStatus, WireRequest } from '#shared/contract/index.ts'
import {
  type Clock,
  EventEmitter,
  type Fetch,
  type Subscribable,
  type Outbound,
  proxyFetch,
  proxyFor,
  unlimitedFetch,
  type KeyRing,
  type SettingsStore,
} from '#platform'
import { hostTexts } from '#shared/i18n/host-texts.ts'
import { localeOf } from '#shared/i18n/locale.ts'
import { AppError } from '#shared/util/errors.ts'
import { expandVariables, variablePattern } from '#shared/util/expand-variables.ts'
import { modelProviders, type ModelProvider } from '#shared/util/providers.ts'
import { completeBaseUrl, isLocalEndpoint } from '#shared/util/locality.ts'
import type { AssistantMessage, Usage } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import {
  assertModelId,
  costOf,
  modelLimits,
  modelPrices,
  splitModelId,
  type ModelPrices,
  chatModelNames,
  findLocalServers,
  openModelLists,
} from './catalog/catalog.ts'
import type { UsageStore } from './usage/usage-store.ts'
import type { ChatModel } from './model.ts'
import { type ProviderOptions, redactRequest, type RequestSecrets } from './middleware/provider-fetch.ts'
import { createOfflineModel } from './offline/offline-model.ts'
import { replyLanguage, type Sentences } from './offline/sentences.ts'
import { hasRefused, withAnswerSchema, redactSecrets } from './middleware/provider-failures.ts'
import { withAnswerLimits, withIdleTimeout, withRetries, withServerQueue } from './middleware/retry.ts'
import { withTextCalls } from './middleware/text-calls.ts'

interface ModelsOptions {
  readonly settings: Pick<SettingsStore, 'config' | 'locale' | 'set'>
  readonly keys: KeyRing
  readonly env: NodeJS.ProcessEnv
  readonly ledger: UsageStore
  readonly outbound: Outbound
  readonly now: Clock
  readonly listFile: string
  readonly onProblem: (problem: unknown) => void
}

type RequestOrigin = Parameters<Outbound['fetch']>[0]

/** The end of a request: `failure` is undefined if the provider answered. */
interface ModelOutcome {
  readonly model: string
  readonly failure: AppError | undefined
}

export class Models {
  readonly #changes = new EventEmitter<ModelOutcome>()
  readonly changes: Subscribable<ModelOutcome> = this.#changes
  readonly #options: ModelsOptions
  readonly #lists: ReturnType<typeof openModelLists>

  constructor(options: ModelsOptions) {
    this.#options = options
    this.#lists = openModelLists(options.listFile, options.onProblem)
  }

  /** Call it before other methods. */
  load(): Promise<void> {
    return this.#lists.load()
  }

  /** @throws AppError `unknown_model`, `provider_key_missing` with the environment variable to set */
  create(id: string, agent: string, isPrivate: boolean, idleTimeoutMs: number): ChatModel {
    assertModelId(id)
    const { provider, model } = splitModelId(id)
    if (provider === 'offline') return createOfflineModel(this.limits(id), this.#options.now, () => this.#language())
    const options = this.#connectionOf(provider)
    if (!options) throw this.#missingKeyError(provider)
    const { isLocal, baseUrl = '' } = options
    let chatModel = this.#createRemote(provider, model, options, isPrivate)
    chatModel = withAnswerLimits(withAnswerSchema(chatModel, baseUrl))
    if (provider === 'openai-compatible') chatModel = withTextCalls(chatModel)
    chatModel = withIdleTimeout(chatModel, idleTimeoutMs)
    if (isLocal) chatModel = withServerQueue(chatModel, URL.parse(baseUrl)?.origin ?? baseUrl)
    return this.#withTracking(withRetries(chatModel), this.prices(id), agent)
  }

  #createRemote(
    provider: ModelProvider,
    model: string,
    { secrets, isLocal, fetchFor, ...options }: ProviderConnection,
    isPrivate: boolean,
  ): ChatModel {
    const id = `${provider}/${model}`
    const lists = this.#lists
    const { keys } = this.#options
    return {
      id,
      provider,
      model,
      ...this.limits(id),
      isLocal,
      takesTools: () => options.baseUrl === undefined || !hasRefused(options.baseUrl, model, 'tools'),
      async *stream(request, signal) {
        try {
          const fetch = fetchFor({ purpose: request.purpose.kind, isPrivate })
          const onSent = (sent: WireRequest) => request.onSent?.(redactRequest(sent, secrets, keys))
          const providerOptions = { ...options, fetch, onSent }
          if (provider === 'anthropic') {
            const { streamAnthropic } = await import('./providers/anthropic/anthropic.ts')
            yield* streamAnthropic(model, providerOptions, request, signal, lists.listedModel(id)?.thinking)
          } else {
            const { streamOpenAi } = await import('./providers/openai/openai.ts')
            yield* streamOpenAi(provider, model, providerOptions, request, signal)
          }
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          if (error.code !== 'unknown_model') throw withServerAddress(error, { isLocal, baseUrl: options.baseUrl })
          const { models: listed } = await lists.fetchModels(provider, options)
          const models = chatModelNames(listed).slice(0, maxNamedModels).join(', ')
          const message = `${provider} has no model ${model}${models === '' ? '' : `; it has ${models}`}`
          throw new AppError(error.code, message, { ...error.data, model, models }, { cause: error.cause })
        }
      },
    }
  }

  /** Records the usage of each request, emits its outcome, and removes API keys from its errors. */
  #withTracking(model: ChatModel, prices: ModelPrices | undefined, agent: string): ChatModel {
    const { ledger, keys } = this.#options
    const outcomes = this.#changes
    const withCost = (usage: Usage): Usage => (prices ? { ...usage, cost: { total: costOf(usage, prices) } } : usage)
    return {
      ...model,
      async *stream(request, signal) {
        await ledger.assertWithinLimit()
        let partialUsage: Usage | undefined
        let streamed = ''
        try {
          for await (const event of model.stream(request, signal)) {
            if (event.type === 'usage') partialUsage = event.usage
            else if (event.type === 'text' || event.type === 'thinking') streamed += event.delta
            if (event.type === 'retry') yield { ...event, message: keys.scrub(event.message) }
            else if (event.type !== 'done') yield event
            else {
              partialUsage = undefined
              const message: AssistantMessage = { ...event.message, usage: withCost(event.message.usage) }
              await ledger.add(agent, model.id, message.usage)
              yield { ...event, message }
            }
          }
          outcomes.emit({ model: model.id, failure: undefined })
        } catch (error) {
          const failure = error instanceof AppError ? redactSecrets(error, keys) : undefined
          if (!signal.aborted && failure && providerFailurePattern.test(failure.code))
            outcomes.emit({ model: model.id, failure })
          throw failure ?? error
        } finally {
          // The stream ended early: the output is estimated from the received text.
          if (partialUsage) {
            const output = Math.max(partialUsage.output, estimateTokens(streamed))
            const totalTokens = partialUsage.totalTokens - partialUsage.output + output
            await ledger.add(agent, model.id, withCost({ ...partialUsage, output, totalTokens }))
          }
        }
      },
    }
  }

  /** Returns the app's sentences in the language of the user. @param userTexts texts of the user, latest first */
  sentencesFor(userTexts: readonly string[]): Sentences {
    return hostTexts[replyLanguage(userTexts, this.#language())].offline
  }

  #language(): Locale {
    return localeOf('system', [this.#options.settings.locale])
  }

  limits(id: string) {
    return modelLimits(id, this.#options.settings.config.models[id], this.#lists.listedModel(id))
  }

  /**
   * Lists the offline model, `selected`, configured models, and the models of each provider with a key. `failures`: the
   * providers whose list could not be fetched. @param fresh true to bypass the cache
   */
  async list(selected: string, fresh = false) {
    const ids = new Set(['offline', selected])
    const failures: { provider: string; code: string }[] = []
    const lists = modelProviders.map(async (provider) => {
      const options = this.#connectionOf(provider)
      const none = { models: [], failure: undefined }
      return { provider, ...(options ? await this.#lists.fetchModels(provider, options, fresh) : none) }
    })
    for (const { provider, models, failure } of await Promise.all(lists)) {
      for (const name of chatModelNames(models)) ids.add(`${provider}/${name}`)
      if (failure) failures.push({ provider, code: failure.code })
    }
    for (const id of Object.keys(this.#options.settings.config.models)) ids.add(id)
    return { models: [...ids].map((id) => this.#describe(id)), failures }
  }

  /**
   * Returns the ids of the provider's chat models; the first is suggested.
   * @throws AppError `input_invalid` for an unknown provider, `provider_key_missing`, or an error of the provider
   */
  async test(name: string): Promise<string[]> {
    const provider = providerOf(name)
    const options = this.#connectionOf(provider)
    if (!options) throw this.#missingKeyError(provider)
    const { models, failure } = await this.#lists.fetchModels(provider, options, true)
    if (failure) throw redactSecrets(withServerAddress(failure, options), this.#options.keys)
    return chatModelNames(models).map((model) => `${provider}/${model}`)
  }

  /** Probes the known ports of this machine; nothing leaves it. */
  localServers(): Promise<LocalModelServer[]> {
    return findLocalServers(this.#options.env, this.#options.outbound.fetch({ purpose: 'models' }))
  }

  /**
   * @param address completed by `completeBaseUrl`; undefined for the default
   * @throws AppError `input_invalid` for an unknown provider, and for a text that is no address
   */
  async setBaseUrl(name: string, address: string | undefined): Promise<void> {
    const provider = providerOf(name)
    const url = address === undefined ? undefined : completeBaseUrl(address, provider === 'openai-compatible')
    if (address !== undefined && url === undefined)
      throw new AppError('input_invalid', `${address} is no HTTP address`, { reason: address })
    await this.#options.settings.set([['providers', provider, 'baseUrl'], url])
  }

  providers(): ProviderStatus[] {
    const { settings, keys } = this.#options
    return modelProviders.map((name) => ({
      name,
      keySource: keys.source(name),
      keeps: keys.canStore ? 'keychain' : 'session',
      variable: keys.variable(name),
      baseUrl: settings.config.providers[name].baseUrl ?? null,
      isLocal: this.#connectionOf(name)?.isLocal ?? false,
    }))
  }

  #describe(id: string): Model {
    const { provider, model } = splitModelId(id)
    const { contextWindow, images } = this.limits(id)
    const prices = this.prices(id)
    const connection = provider === 'offline' ? { isLocal: true } : this.#connectionOf(provider)
    return {
      id,
      provider,
      model,
      contextWindow,
      available: connection !== undefined,
      isLocal: connection?.isLocal ?? false,
      images,
      prices: prices ? { input: prices.input, output: prices.output } : null,
    }
  }

  /** Returns US dollars per million tokens; undefined if unknown. */
  prices(id: string): ModelPrices | undefined {
    return modelPrices(id, this.#options.settings.config.models[id]?.prices, this.#lists.listedModel(id)?.prices)
  }

  #connectionOf(provider: ModelProvider): ProviderConnection | undefined {
    const { settings, keys, env, outbound } = this.#options
    const { baseUrl: configured, headers, proxy, reach } = settings.config.providers[provider]
    const isCompatible = provider === 'openai-compatible'
    const address = configured ?? (isCompatible ? env['OPENAI_COMPATIBLE_BASE_URL'] : undefined)
    const baseUrl = address === undefined ? undefined : completeBaseUrl(address, isCompatible)
    // Local servers need a URL but no key.
    const apiKey = keys.get(provider) ?? (isCompatible ? 'none' : undefined)
    if (apiKey === undefined || (isCompatible && !baseUrl)) return undefined
    const isLocal = isLocalEndpoint(reach, baseUrl, proxyFor(baseUrl, proxy, env))
    const plainFetch = proxyFetch(proxy, env) ?? (isLocal ? unlimitedFetch : undefined)
    const fetchFor = (origin: RequestOrigin) => outbound.fetch({ ...origin, isLocal }, plainFetch)
    return {
      apiKey,
      baseUrl,
      timeoutMs: isLocal ? localTimeoutMs : requestTimeoutMs,
      headers: headers && expandVariables(headers, env),
      secrets: secretsOf(apiKey, headers, env),
      isLocal,
      fetchFor,
      fetch: fetchFor({ purpose: 'models' }),
      now: this.#options.now,
    }
  }

  #missingKeyError(provider: ModelProvider): AppError {
    const variable =
      provider === 'openai-compatible' ? 'OPENAI_COMPATIBLE_BASE_URL' : this.#options.keys.variable(provider)
    return new AppError('provider_key_missing', `${provider} is not set up: set ${variable} and start again`, {
      provider,
      variable,
    })
  }
}

const maxNamedModels = 8

const requestTimeoutMs = 600_000
/** For models of this machine, which may be slow. */
const localTimeoutMs = 24 * 3_600_000

function secretsOf(apiKey: string, headers: Readonly<Record<string, string>> = {}, env: NodeJS.ProcessEnv) {
  const secretHeaders = Object.entries(headers).filter(([, value]) => value.search(variablePattern) >= 0)
  const values = secretHeaders.flatMap(([, value]) =>
    [...value.matchAll(variablePattern)].map(([, variable = '']) => env[variable] ?? ''),
  )
  return { headers: secretHeaders.map(([name]) => name), values: [apiKey, ...values] }
}

interface ProviderConnection extends ProviderOptions {
  readonly secrets: RequestSecrets
  readonly isLocal: boolean
  readonly fetchFor: (origin: RequestOrigin) => Fetch
}

/** Names the address if no server answers on this machine: the network is not the cause. */
function withServerAddress(error: AppError, { isLocal, baseUrl }: Pick<ProviderConnection, 'isLocal' | 'baseUrl'>) {
  if (error.code !== 'provider_unavailable' || !isLocal || baseUrl === undefined) return error
  const address = URL.parse(baseUrl)?.host ?? baseUrl
  const message = `no model server answers at ${address}; is the server running?`
  return new AppError('server_down', message, { ...error.data, address }, { cause: error.cause })
}

const providerFailurePattern = /^(?:provider_|server_down$|unknown_model$)/

function providerOf(name: string): ModelProvider {
  const provider = modelProviders.find((candidate) => candidate === name)
  if (provider) return provider
  throw new AppError('input_invalid', `unknown provider ${name}`, { reason: name })
}
