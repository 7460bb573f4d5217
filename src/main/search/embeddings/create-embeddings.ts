import { embeddingAddressOf, embeddingModelOf, type EmbeddingProviderName } from '#shared/util/providers.ts'
import { AppError } from '#shared/util/errors.ts'
import { builtinModelName, builtinNearness, createBuiltinEmbeddings } from './builtin/builtin-provider.ts'
import { shareBuiltinModel } from './builtin/builtin-model.ts'
import type { DownloadProgress } from './local-embeddings.ts'
import type { EmbeddingProvider, NearnessModel } from './embedding-provider.ts'

/** All that a thread needs to make its own provider; plain data, so that it can be posted there. */
export interface EmbeddingSource {
  readonly provider: EmbeddingProviderName
  readonly model: string
  readonly baseUrl: string | undefined
  readonly batchSize: number
  readonly apiKey: string | undefined
  /** What it is sent stays on this machine (M64). */
  readonly isLocal: boolean
  readonly allowDownload: boolean
  /** Where models that run in the process are kept. */
  readonly modelsFolder: string
  /** The file of the model that comes with the app. */
  readonly builtinFile: string
}

/** Why there are no vectors although none were declined; told in the status and with every result. */
export type EmbeddingProblem = 'no_key' | 'no_base_url'

/** Google's endpoint that speaks OpenAI's protocol, ai.google.dev/gemini-api/docs/openai, November 2026. */
const geminiBaseUrl = 'https://generativelanguage.googleapis.com/v1beta/openai/'

/** Clients are loaded when they are needed: each costs tens of megabytes. */
export async function createEmbeddings(
  source: EmbeddingSource,
  onDownload: (progress: DownloadProgress) => void = () => undefined,
): Promise<EmbeddingProvider | EmbeddingProblem | undefined> {
  const { provider, apiKey, allowDownload, modelsFolder, builtinFile, isLocal: _isLocal, ...options } = source
  if (provider === 'none') return undefined
  if (provider === 'builtin') return createBuiltinEmbeddings(builtinFile)
  if (provider === 'local') {
    const { createLocalEmbeddings } = await import('./local-embeddings.ts')
    return createLocalEmbeddings({ ...options, allowDownload, modelsFolder, onDownload })
  }
  if (provider === 'openai-compatible' && options.baseUrl === undefined) return 'no_base_url'
  if (provider !== 'openai-compatible' && apiKey === undefined) return 'no_key'
  const { createOpenAiEmbeddings } = await import('./openai-embeddings.ts')
  const baseUrl = options.baseUrl ?? (provider === 'gemini' ? geminiBaseUrl : undefined)
  const address = embeddingAddressOf(provider, options.baseUrl)
  // Local servers want no key, but the client insists on one.
  return createOpenAiEmbeddings({ ...options, provider, apiKey: apiKey ?? 'none', baseUrl, address })
}

/** What makes digests of passages where the index keeps those instead of vectors; undefined for a model that must be asked. */
export function digestsOf({ provider, builtinFile }: DigestSource): NearnessModel | undefined {
  return provider === 'builtin' ? builtinNearness(builtinFile) : undefined
}

export interface DigestSource {
  readonly provider: string
  readonly builtinFile: string
}

/** The model that a provider uses: the built-in one has no other than its own. */
export function modelOf(provider: EmbeddingProviderName, named: string | undefined): string {
  return provider === 'builtin' ? builtinModelName : embeddingModelOf(provider, named)
}

/** To be called before threads are started that are to share the built-in model. */
export function shareEmbeddings({ provider, builtinFile }: EmbeddingSource): void {
  if (provider !== 'builtin') return
  try {
    shareBuiltinModel(builtinFile)
  } catch (error) {
    // The thread that needs it says what is wrong, as with every other provider.
    if (!(error instanceof AppError)) throw error
  }
}
