/**
 * Context windows and output limits of common models, in tokens, as their makers' documentation gave them in
 * November 2026. A model that is not here gets its provider's row; `models` in the configuration overrides any figure.
 */
import type { Usage } from '../../shared/messages.ts'

export interface ModelLimits {
  readonly contextWindow: number
  readonly maxOutput: number
}

/** US dollars for a million tokens. */
export interface ModelPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/**
 * List prices as the makers' pages gave them when this table was written; they change, and `models.<id>.prices` in the
 * configuration overrides them. A model that is not here has no price, and its cost is not shown.
 */
const priceTable: readonly (readonly [pattern: RegExp, prices: ModelPrices])[] = [
  [/^offline$/, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }],
  [/^anthropic\/claude-(3-)?opus/, { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }],
  [/^anthropic\/claude-(3-[57]-)?sonnet/, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }],
  [/^anthropic\/claude-3-5-haiku/, { input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1 }],
  [/^openai\/gpt-4\.1(-\d|$)/, { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0 }],
  [/^openai\/gpt-4o(-\d|$)/, { input: 2.5, output: 10, cacheRead: 1.25, cacheWrite: 0 }],
  [/^openai\/gpt-5(-\d|$)/, { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 0 }],
]

export function modelPrices(id: string, own: ModelPrices | undefined): ModelPrices | undefined {
  return own ?? priceTable.find(([pattern]) => pattern.test(id))?.[1]
}

/** What a usage costs, in US dollars. */
export function costOf(usage: Omit<Usage, 'totalTokens' | 'cost'>, prices: ModelPrices): number {
  const { input, output, cacheRead, cacheWrite } = usage
  return (
    (input * prices.input + output * prices.output + cacheRead * prices.cacheRead + cacheWrite * prices.cacheWrite) /
    1_000_000
  )
}

export type ProviderName = 'offline' | 'anthropic' | 'openai' | 'openai-compatible'

const table: readonly (readonly [pattern: RegExp, limits: ModelLimits])[] = [
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

/** A local model's window when nobody says otherwise; small enough to be true nearly everywhere. */
const unknown: ModelLimits = { contextWindow: 32_768, maxOutput: 4096 }

export function modelLimits(
  id: string,
  overrides: { readonly contextWindow?: number | undefined; readonly maxOutput?: number | undefined } = {},
): ModelLimits {
  const row = table.find(([pattern]) => pattern.test(id))?.[1] ?? unknown
  const contextWindow = overrides.contextWindow ?? row.contextWindow
  return { contextWindow, maxOutput: Math.min(overrides.maxOutput ?? row.maxOutput, Math.floor(contextWindow / 2)) }
}

/** `anthropic/claude-x` → `['anthropic', 'claude-x']`. The model's own name may hold slashes. */
export function splitModelId(id: string): { provider: ProviderName; model: string } {
  const slash = id.indexOf('/')
  if (slash < 0) return { provider: 'offline', model: 'offline' }
  const provider = id.slice(0, slash)
  if (provider === 'anthropic' || provider === 'openai' || provider === 'openai-compatible')
    return { provider, model: id.slice(slash + 1) }
  return { provider: 'offline', model: 'offline' }
}
