import { embeddingBaseUrl, embeddingModelOrDefault, type EmbeddingProviderName } from '#shared/util/providers.ts'
import { Outbound, unlessAppError } from '#platform'
import { builtinModelName, builtinSimilarity, createBuiltinEmbeddings } from './builtin/builtin-provider.ts'
import { shareBuiltinModel } from './builtin/builtin-model.ts'
import type { EmbeddingProvider, SimilarityModel } from './embedding-provider.ts'
import { createLocalEmbeddings, type DownloadProgress } from './local-embeddings.ts'
import { createOpenAiEmbeddings } from './openai-embeddings.ts'

/** Settings for creating a provider in any thread; plain data, so that it can be sent to a worker. */
export interface EmbeddingSource {
  readonly provider: EmbeddingProviderName
  readonly model: string
  readonly baseUrl: string | undefined
  readonly batchSize: number
  readonly apiKey: string | undefined
  /** True if texts stay on this machine. */
  readonly isLocal: boolean
  readonly allowDownload: boolean
  readonly modelsFolder: string
  /** Absolute path of the ledger of requests to other machines. */
  readonly outboundFile: string
  readonly builtinFile: string
}

/** Reason why a configured provider can't be used; shown in the status and with every result. */
export type EmbeddingProblem = 'no_key' | 'no_base_url'

/** Gemini's OpenAI-compatible endpoint: ai.google.dev/gemini-api/docs/openai, November 2026. */
const defaultUrls = {
  openai: 'https://api.openai.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta/openai',
  'openai-compatible': undefined,
}

/**
 * Creates the configured provider.
 * @returns undefined if embeddings are turned off, or the reason why the settings are insufficient
 */
export async function createEmbeddings(
  source: EmbeddingSource,
  onDownload: (progress: DownloadProgress) => void = () => undefined,
): Promise<EmbeddingProvider | EmbeddingProblem | undefined> {
  const { provider, apiKey, allowDownload, modelsFolder, outboundFile, builtinFile, isLocal, ...options } = source
  if (provider === 'none') return undefined
  if (provider === 'builtin') return createBuiltinEmbeddings(builtinFile)
  const outbound = new Outbound(outboundFile)
  if (provider === 'local')
    return createLocalEmbeddings({ ...options, allowDownload, modelsFolder, outbound, onDownload })
  const baseUrl = options.baseUrl ?? defaultUrls[provider]
  if (baseUrl === undefined) return 'no_base_url'
  if (provider !== 'openai-compatible' && apiKey === undefined) return 'no_key'
  const address = embeddingBaseUrl(provider, options.baseUrl)
  // Local servers need no key.
  const fetchFor = (isPrivate: boolean) => outbound.fetch({ purpose: 'embedding', isLocal, isPrivate })
  return createOpenAiEmbeddings({ ...options, provider, apiKey: apiKey ?? 'none', baseUrl, address, fetchFor })
}

/** Returns the model that makes digests, or undefined if the index stores vectors of this provider. */
export function digestModelOf({ provider, builtinFile }: DigestSource): SimilarityModel | undefined {
  return provider === 'builtin' ? builtinSimilarity(builtinFile) : undefined
}

export interface DigestSource {
  readonly provider: string
  readonly builtinFile: string
}

/** Returns the configured model or the provider's default. The built-in provider has only one model. */
export function modelOf(provider: EmbeddingProviderName, configuredModel: string | undefined): string {
  return provider === 'builtin' ? builtinModelName : embeddingModelOrDefault(provider, configuredModel)
}

/** Returns the settings of the built-in model, which every installation has. */
export function builtinSource(source: EmbeddingSource): EmbeddingSource {
  const model = modelOf('builtin', undefined)
  return { ...source, provider: 'builtin', model, baseUrl: undefined, apiKey: undefined, isLocal: true }
}

/** Allocates the memory in which worker threads share the built-in model. Must be called before they start. */
export function shareEmbeddings({ provider, builtinFile }: EmbeddingSource): void {
  // The thread that opens the model reports the error.
  if (provider === 'builtin') unlessAppError(() => shareBuiltinModel(builtinFile))
}
