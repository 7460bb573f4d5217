import type { EmbeddingModel } from '#shared/contract/index.ts'
import { embeddingModelOrDefault, embeddingProviders, isRemoteEmbeddingProvider } from '#shared/util/providers.ts'

const prefix = 'memory.embedding.'

/**
 * Returns the remote embedding model that receives the texts of the notes after a change of a setting.
 * @param value the effective value after the change, also if the setting is removed
 * @param effectiveValue returns the current effective value of a key
 * @returns undefined if the setting does not affect embeddings, its value stays the same, or the model is local
 */
export function newEmbeddingRecipient(
  key: string,
  value: unknown,
  effectiveValue: (key: string) => unknown,
): EmbeddingModel | undefined {
  const keys = ['provider', 'model', 'baseUrl'].map((name) => `${prefix}${name}`)
  if (!keys.includes(key) || value === effectiveValue(key)) return undefined
  const [providerName, modelName, baseUrl] = keys.map((other) => (other === key ? value : effectiveValue(other)))
  const provider = embeddingProviders.find((known) => known === providerName)
  if (provider === undefined || !isRemoteEmbeddingProvider(provider)) return undefined
  const model = embeddingModelOrDefault(provider, typeof modelName === 'string' ? modelName : undefined)
  return { provider, model, ...(typeof baseUrl === 'string' ? { baseUrl } : {}) }
}

/** Returns the default model of the current embedding provider; undefined if it has none, or for any other setting. */
export function defaultEmbeddingModel(key: string, effectiveValue: (key: string) => unknown): string | undefined {
  if (key !== `${prefix}model`) return undefined
  const provider = embeddingProviders.find((known) => known === effectiveValue(`${prefix}provider`))
  return provider && (embeddingModelOrDefault(provider, undefined) || undefined)
}
