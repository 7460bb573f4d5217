/** The names of the providers, as the configuration writes them: the one list of each kind. */

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

export function isSentTexts(provider: string): boolean {
  return remoteEmbeddingProviders.has(provider)
}
