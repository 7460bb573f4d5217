/** Language model providers. The offline model is not in this list: it has no provider. */
export const modelProviders = ['anthropic', 'openai', 'openai-compatible'] as const
export type ModelProvider = (typeof modelProviders)[number]

/** Id of the offline model, which answers by rules, without a language model. Shown as “no model”. */
export const offlineModelId = 'offline'

/** Embedding providers. `builtin`: the bundled model; `none`: keyword search only. */
export const embeddingProviders = ['builtin', 'none', 'openai', 'gemini', 'openai-compatible', 'local'] as const
export type EmbeddingProviderName = (typeof embeddingProviders)[number]

/** Providers that receive the texts over HTTP; the others run in this process. */
const remoteEmbeddingProviders: ReadonlySet<string> = new Set<EmbeddingProviderName>([
  'openai',
  'gemini',
  'openai-compatible',
])

/**
 * Default models: the first choice of each provider's documentation (November 2026); for `openai-compatible` Ollama's
 * most downloaded embedding model; for `local` a small multilingual model.
 */
const defaultEmbeddingModels: Readonly<Partial<Record<EmbeddingProviderName, string>>> = {
  openai: 'text-embedding-3-small',
  gemini: 'gemini-embedding-001',
  'openai-compatible': 'nomic-embed-text',
  local: 'Xenova/multilingual-e5-small',
}

/** @returns the empty string if the provider has no selectable model */
export function embeddingModelOrDefault(provider: EmbeddingProviderName, configuredModel: string | undefined): string {
  return configuredModel ?? defaultEmbeddingModels[provider] ?? ''
}

/** @returns the normalized URL; undefined if the provider uses its default address or sends no texts */
export function embeddingBaseUrl(provider: string, baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !isRemoteEmbeddingProvider(provider)) return undefined
  return (URL.parse(baseUrl)?.href ?? baseUrl).replace(/\/+$/, '')
}

export function isRemoteEmbeddingProvider(provider: string): boolean {
  return remoteEmbeddingProviders.has(provider)
}
