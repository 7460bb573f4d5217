import { z } from 'zod'
import { AppError, isAbort } from '#shared/util/errors.ts'
import { modelProviders, type ModelProvider } from '#shared/util/providers.ts'
import type { Usage } from '#shared/chat/messages.ts'
import { parseStored, readIfExists, writeDurably, type Fetch } from '#platform'
import type { LocalModelServer } from '#shared/contract/index.ts'
import { createFailure } from '../middleware/provider-failures.ts'
import type { ProviderOptions } from '../middleware/provider-fetch.ts'
import type { ChatModel } from '../model.ts'

type ModelLimits = Pick<ChatModel, 'contextWindow' | 'maxOutput' | 'images'>

/** US dollars per million tokens. */
export interface ModelPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

type BasePrices = Pick<ModelPrices, 'input' | 'output'>

/** Providers' list prices; `models.<id>.prices` in the settings overrides them. */
const priceTable: readonly (readonly [pattern: RegExp, prices: ModelPrices])[] = [
  [/^offline$/, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }],
  [/^anthropic\/claude-opus-4-[56]/, { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }],
  [/^anthropic\/claude-(3-opus|opus-4(-[01]|-2025|$))/, { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }],
  [/^anthropic\/claude-(3-[57]-sonnet|sonnet-4)/, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  [/^anthropic\/claude-haiku-4-5/, { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }],
  [/^anthropic\/claude-3-5-haiku/, { input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1 }],
  [/^openai\/gpt-4\.1(-\d|$)/, { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0 }],
  [/^openai\/gpt-4\.1-mini/, { input: 0.4, output: 1.6, cacheRead: 0.1, cacheWrite: 0 }],
  [/^openai\/gpt-4o(-\d|$)/, { input: 2.5, output: 10, cacheRead: 1.25, cacheWrite: 0 }],
  [/^openai\/gpt-4o-mini/, { input: 0.15, output: 0.6, cacheRead: 0.075, cacheWrite: 0 }],
  [/^openai\/gpt-5(\.1)?(-\d|$)/, { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 0 }],
  [/^openai\/gpt-5-mini/, { input: 0.25, output: 2, cacheRead: 0.025, cacheWrite: 0 }],
]

/** Returns undefined if the prices are unknown. @param listed prices that the provider lists */
export function modelPrices(
  id: string,
  configured: BasePrices | undefined,
  listed?: BasePrices,
): ModelPrices | undefined {
  const tablePrices = priceTable.find(([pattern]) => pattern.test(id))?.[1]
  const base = configured ?? listed
  return base ? { ...base, ...cachePrices(id, base.input, tablePrices) } : tablePrices
}

/**
 * Returns cache prices for a given input price. Anthropic charges 0.1 of it for a read and 1.25 for a write of five
 * minutes, for all models (platform.claude.com/docs/en/about-claude/pricing). Other models in the table keep the table's
 * ratio. For unknown models both cost as much as input, so that the counted cost is never too low.
 */
function cachePrices(id: string, input: number, table: ModelPrices | undefined) {
  if (id.startsWith('anthropic/')) return { cacheRead: input * 0.1, cacheWrite: input * 1.25 }
  if (!table || table.input === 0) return { cacheRead: input, cacheWrite: input }
  return { cacheRead: (input * table.cacheRead) / table.input, cacheWrite: (input * table.cacheWrite) / table.input }
}

export function costOf(usage: Omit<Usage, 'totalTokens' | 'cost'>, prices: ModelPrices): number {
  const kinds = ['input', 'output', 'cacheRead', 'cacheWrite'] as const
  return kinds.reduce((sum, kind) => sum + usage[kind] * prices[kind], 0) / 1_000_000
}

type TableLimits = Omit<ModelLimits, 'images'>

const limitTable: readonly (readonly [pattern: RegExp, limits: TableLimits])[] = [
  [/^offline$/, { contextWindow: 32_000, maxOutput: 2000 }],
  [/^anthropic\/claude-(opus|sonnet)-4/, { contextWindow: 200_000, maxOutput: 32_000 }],
  [/^anthropic\/claude-3-5/, { contextWindow: 200_000, maxOutput: 8192 }],
  [/^anthropic\/claude-3-(opus|sonnet|haiku)/, { contextWindow: 200_000, maxOutput: 4096 }],
  [/^anthropic\//, { contextWindow: 200_000, maxOutput: 16_000 }],
  [/^openai\/gpt-5/, { contextWindow: 400_000, maxOutput: 32_000 }],
  [/^openai\/gpt-4\.1/, { contextWindow: 1_047_576, maxOutput: 32_768 }],
  [/^openai\/gpt-4o/, { contextWindow: 128_000, maxOutput: 16_384 }],
  [/^openai\/o\d/, { contextWindow: 200_000, maxOutput: 32_000 }],
  [/^openai\//, { contextWindow: 128_000, maxOutput: 16_384 }],
  [/deepseek/i, { contextWindow: 128_000, maxOutput: 8192 }],
  [/qwen|kimi|moonshot/i, { contextWindow: 128_000, maxOutput: 8192 }],
]

const imageModelPattern =
  /^anthropic\/|^openai\/(gpt-4o|gpt-4\.1|gpt-5|o[134])|vision|llava|[-_]vl\b|gemma-?3|pixtral|llama-?4|gemini|gpt-4o|gpt-5|claude/i
const maxListedOutput = 64_000

/** Limits of unknown models, small enough for nearly all local ones. */
const defaultLimits: TableLimits = { contextWindow: 32_768, maxOutput: 4096 }

export function modelLimits(
  id: string,
  configured: Partial<ListedModel> = {},
  listed: Partial<ListedModel> = {},
): ModelLimits {
  const table = limitTable.find(([pattern]) => pattern.test(id))?.[1] ?? defaultLimits
  const contextWindow = configured.contextWindow ?? listed.contextWindow ?? table.contextWindow
  // Some providers list a huge output limit; reserving that much would waste the window.
  const listedOutput = listed.maxOutput === undefined ? undefined : Math.min(listed.maxOutput, maxListedOutput)
  const maxOutput = Math.min(configured.maxOutput ?? listedOutput ?? table.maxOutput, Math.floor(contextWindow / 2))
  return { contextWindow, maxOutput, images: configured.images ?? listed.images ?? imageModelPattern.test(id) }
}

/** Splits `anthropic/a/b` into `anthropic` and `a/b`; an id without a known provider is the offline model. */
export function splitModelId(id: string): { provider: ModelProvider | 'offline'; model: string } {
  const provider = modelProviders.find((name) => id.startsWith(`${name}/`))
  if (provider === undefined) return { provider: 'offline', model: 'offline' }
  return { provider, model: id.slice(provider.length + 1) }
}

/** @throws AppError `unknown_model` unless the id is `offline` or begins with a known provider */
export function assertModelId(id: string): void {
  const { provider, model } = splitModelId(id)
  if (provider === 'offline' ? id === 'offline' : model !== '') return
  const forms = modelProviders.map((name) => `${name}/…`).join(', ')
  throw new AppError('unknown_model', `there is no model ${id}: use offline or one of ${forms}`, { model: id })
}

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
export type ListedModel = Readonly<z.infer<typeof listedModelSchema>>

const cacheSchema = z.record(z.string(), z.array(listedModelSchema))

/** @param file absolute path of the cache @param onProblem receives its read and write errors */
export function openModelLists(file: string, onProblem: (problem: unknown) => void) {
  const lists = new Map<string, readonly ListedModel[]>()
  const fetchTimes = new Map<string, number>()

  /** Call it once before other methods. */
  async function load(): Promise<void> {
    try {
      const cachedLists = parseStored(cacheSchema, (await readIfExists(file)) ?? '') ?? {}
      for (const [provider, models] of Object.entries(cachedLists)) lists.set(provider, models)
    } catch (error) {
      onProblem(error)
    }
  }

  /** Returns the cached properties of a model; undefined if it is not listed. @param id `provider/model` */
  function listedModel(id: string): ListedModel | undefined {
    const [provider = ''] = id.split('/', 1)
    return lists.get(provider)?.find(({ name }) => `${provider}/${name}` === id)
  }

  /**
   * Returns a provider's models, cached for 10 minutes. After an error of the provider (`failure`), they are the previous
   * ones; other errors are thrown.
   * @param fresh true to bypass the cache
   */
  async function fetchModels(provider: ModelProvider, options: ProviderOptions, fresh = false) {
    const cacheKey = `${provider} ${options.baseUrl ?? ''} ${options.apiKey}`
    const cachedModels = lists.get(provider) ?? []
    const fetchedAt = fetchTimes.get(cacheKey) ?? -Infinity
    if (!fresh && performance.now() - fetchedAt < maxAgeMs) return { models: cachedModels, failure: undefined }
    try {
      const models = await fetchList(provider, options, AbortSignal.timeout(listTimeoutMs))
      fetchTimes.set(cacheKey, performance.now())
      lists.set(provider, models)
      await writeDurably(file, JSON.stringify(Object.fromEntries(lists))).catch(onProblem)
      return { models, failure: undefined }
    } catch (error) {
      const failure = isAbort(error) ? createFailure('provider_timeout', provider) : error
      if (failure instanceof AppError) return { models: cachedModels, failure }
      throw error
    }
  }

  return { load, listedModel, fetchModels }
}

async function fetchList(provider: ModelProvider, options: ProviderOptions, signal: AbortSignal) {
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
