import { createOpenAiEmbeddings } from './openai.ts'
import type { EmbeddingProvider } from './provider.ts'

export { fromBlob, toBlob, type EmbeddingProvider } from './provider.ts'

/** All that a thread needs to make its own provider; plain data, so that it can be posted there. */
export interface EmbeddingSource {
  readonly provider: 'none' | 'openai' | 'openai-compatible'
  readonly model: string
  readonly baseUrl: string | undefined
  readonly dimensions: number | undefined
  readonly batchSize: number
  readonly apiKey: string | undefined
}

/** Why there are no vectors although none were declined; told in the status and with every result. */
export type EmbeddingProblem = 'no_key' | 'no_base_url'

export function createEmbeddings(source: EmbeddingSource): EmbeddingProvider | EmbeddingProblem | undefined {
  const { provider, model, baseUrl, dimensions, batchSize, apiKey } = source
  if (provider === 'none') return undefined
  if (provider === 'openai-compatible' && baseUrl === undefined) return 'no_base_url'
  if (provider === 'openai' && apiKey === undefined) return 'no_key'
  // Local servers want no key, but the client insists on one.
  return createOpenAiEmbeddings({ provider, model, apiKey: apiKey ?? 'none', baseUrl, dimensions, batchSize })
}
