import { AppError } from '#shared/util/errors.ts'
import { modelProviders, type ModelProvider } from '#shared/util/providers.ts'
import type { Usage } from '#shared/chat/messages.ts'
import type { ListedModel } from './model-lists.ts'

export interface ModelLimits {
  readonly contextWindow: number
  readonly maxOutput: number
  readonly images: boolean
}

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

/**
 * Returns the prices of a model, or undefined if they are unknown. Order: configured prices, prices listed by the
 * provider, the built-in table.
 */
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
function cachePrices(
  id: string,
  input: number,
  table: ModelPrices | undefined,
): Pick<ModelPrices, 'cacheRead' | 'cacheWrite'> {
  if (id.startsWith('anthropic/')) return { cacheRead: input * 0.1, cacheWrite: input * 1.25 }
  if (!table || table.input === 0) return { cacheRead: input, cacheWrite: input }
  return { cacheRead: (input * table.cacheRead) / table.input, cacheWrite: (input * table.cacheWrite) / table.input }
}

/** Returns the cost in US dollars. */
export function costOf(usage: Omit<Usage, 'totalTokens' | 'cost'>, prices: ModelPrices): number {
  const { input, output, cacheRead, cacheWrite } = usage
  return (
    (input * prices.input + output * prices.output + cacheRead * prices.cacheRead + cacheWrite * prices.cacheWrite) /
    1_000_000
  )
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

/** Returns a model's limits in tokens from the settings, the provider's list or the table, in this order. */
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
