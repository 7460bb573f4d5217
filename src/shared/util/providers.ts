/** Of language models; the offline one needs no provider. */
export const modelProviders = ['anthropic', 'openai', 'openai-compatible'] as const
export type ModelProvider = (typeof modelProviders)[number]

/** Of embeddings: the model that comes with the app, `none` for keywords alone, and others'. */
export const embeddingProviders = ['builtin', 'none', 'openai', 'gemini', 'openai-compatible', 'local'] as const
export type EmbeddingProviderName = (typeof embeddingProviders)[number]

/** Those that are sent the texts; the others work in this process. */
const remoteEmbeddingProviders: ReadonlySet<string> = new Set<EmbeddingProviderName>([
  'openai',
  'gemini',
  'openai-compatible',
])

/**
 * What is asked for where no model is named: the providers' own documents' first choice, November 2026; of a server at
 * home Ollama's most fetched one, and on this machine a small one that knows many languages.
 */
const defaultEmbeddingModels: Readonly<Partial<Record<EmbeddingProviderName, string>>> = {
  openai: 'text-embedding-3-small',
  gemini: 'gemini-embedding-001',
  'openai-compatible': 'nomic-embed-text',
  local: 'Xenova/multilingual-e5-small',
}

/** @param named what the configuration says; the empty text for providers that have no model to choose */
export function embeddingModelOf(provider: EmbeddingProviderName, named: string | undefined): string {
  return named ?? defaultEmbeddingModels[provider] ?? ''
}

/**
 * Where an embedding provider is asked, for telling apart the models of two servers that have one name; undefined at its
 * own address, and where nobody is asked.
 */
export function embeddingAddressOf(provider: string, baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !isSentTexts(provider)) return undefined
  return (URL.parse(baseUrl)?.href ?? baseUrl).replace(/\/+$/, '')
}

export function isSentTexts(provider: string): boolean {
  return remoteEmbeddingProviders.has(provider)
}
