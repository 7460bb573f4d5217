/**
 * Context windows and output limits of common models, in tokens, as their makers' documentation gave them in
 * November 2026. A model that is not here gets its provider's row; `models` in the configuration overrides any figure.
 */
export interface ModelLimits {
  readonly contextWindow: number
  readonly maxOutput: number
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
