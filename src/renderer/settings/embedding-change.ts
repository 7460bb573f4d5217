import type { EmbeddingModel } from '#shared/contract/index.ts'
import { embeddingModelOf, embeddingProviders, isSentTexts } from '#shared/util/providers.ts'

const prefix = 'memory.embedding.'

/**
 * The model that would get the texts if the setting `key` were `value`; undefined where none is asked that was not asked
 * before.
 * @param value what would hold then, also where nothing were written any more
 * @param inForce what holds for a setting now, by its key
 */
export function modelSentTo(
  key: string,
  value: unknown,
  inForce: (key: string) => unknown,
): EmbeddingModel | undefined {
  const asked = ['provider', 'model', 'baseUrl'].map((name) => `${prefix}${name}`)
  if (!asked.includes(key) || value === inForce(key)) return undefined
  const [name, named, baseUrl] = asked.map((one) => (one === key ? value : inForce(one)))
  const provider = embeddingProviders.find((one) => one === name)
  if (provider === undefined || !isSentTexts(provider)) return undefined
  const model = embeddingModelOf(provider, typeof named === 'string' ? named : undefined)
  return {
    provider,
    model,
    ...(typeof baseUrl === 'string' ? { baseUrl } : {}),
  }
}

/** What the provider in force is asked for while its model is not named; undefined for every other setting. */
export function modelUnlessNamed(key: string, inForce: (key: string) => unknown): string | undefined {
  if (key !== `${prefix}model`) return undefined
  const provider = embeddingProviders.find((one) => one === inForce(`${prefix}provider`))
  return provider && (embeddingModelOf(provider, undefined) || undefined)
}
