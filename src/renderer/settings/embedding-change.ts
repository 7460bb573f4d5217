import type { EmbeddingModel } from '#shared/contract/index.ts'
import { embeddingModelOrDefault, embeddingProviders, isRemoteEmbeddingProvider } from '#shared/util/providers.ts'

const prefix = 'memory.embedding.'

/**
 * Returns the embedding model that would be sent the notes' texts after a change of a setting.
 * @param value the effective value after the change, also if the setting is removed
 * @param inForce returns the current effective value of a key
 * @returns undefined if the setting does not affect embeddings, its value stays the same, or the provider is
 * not sent texts
 */
export function newEmbeddingRecipient(
  key: string,
  value: unknown,
  inForce: (key: string) => unknown,
): EmbeddingModel | undefined {
  const asked = ['provider', 'model', 'baseUrl'].map((name) => `${prefix}${name}`)
  if (!asked.includes(key) || value === inForce(key)) return undefined
  const [name, named, baseUrl] = asked.map((one) => (one === key ? value : inForce(one)))
  const provider = embeddingProviders.find((one) => one === name)
  if (provider === undefined || !isRemoteEmbeddingProvider(provider)) return undefined
  const model = embeddingModelOrDefault(provider, typeof named === 'string' ? named : undefined)
  return {
    provider,
    model,
    ...(typeof baseUrl === 'string' ? { baseUrl } : {}),
  }
}

/** Returns the default model of the current embedding provider, or undefined if it has none or the key is another setting. */
export function defaultEmbeddingModel(key: string, inForce: (key: string) => unknown): string | undefined {
  if (key !== `${prefix}model`) return undefined
  const provider = embeddingProviders.find((one) => one === inForce(`${prefix}provider`))
  return provider && (embeddingModelOrDefault(provider, undefined) || undefined)
}
