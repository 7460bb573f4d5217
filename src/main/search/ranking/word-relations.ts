import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import type { WordRelations } from './query-words.ts'

/** Returns the word relations of a model; none if it has none. */
export function wordRelations(provider: EmbeddingProvider | undefined): WordRelations {
  return {
    related: (word) => provider?.related?.(word) ?? [],
    cosine: (one, other) => provider?.wordCosine?.(one, other) ?? 0,
  }
}
