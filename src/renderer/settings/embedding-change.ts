/** Which changes of settings send a memory's texts to somebody who has not had them. Pure. */
import type { EmbeddingModel } from '../../shared/contract/index.ts'
import { embeddingProviders, isSentTexts } from '../../shared/providers.ts'

const prefix = 'memory.embedding.'

/**
 * The model that would get the texts if the setting `key` were `value`; undefined where none is asked that was not asked
 * before.
 * @param inForce what holds for a setting now, by its key
 */
export function modelSentTo(
  key: string,
  value: unknown,
  inForce: (key: string) => unknown,
): (EmbeddingModel & { readonly baseUrl: string | undefined }) | undefined {
  const asked = ['provider', 'model', 'baseUrl', 'dimensions'].map((name) => `${prefix}${name}`)
  if (!asked.includes(key) || value === inForce(key)) return undefined
  const [name, model, baseUrl, dimensions] = asked.map((one) => (one === key ? value : inForce(one)))
  const provider = embeddingProviders.find((one) => one === name)
  if (provider === undefined || !isSentTexts(provider) || typeof model !== 'string') return undefined
  return {
    provider,
    model,
    ...(typeof dimensions === 'number' ? { dimensions } : {}),
    baseUrl: typeof baseUrl === 'string' ? baseUrl : undefined,
  }
}
