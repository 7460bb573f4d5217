import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { embeddingBaseUrl, embeddingModelOrDefault, type EmbeddingProviderName } from '#shared/util/providers.ts'
import { type Fetch, Outbound } from '#platform'
import { AppError, type ErrorCode, unlessAppError } from '#shared/util/errors.ts'
import { builtinModelName, builtinSimilarity, createBuiltinEmbeddings } from './builtin/builtin-provider.ts'
import { shareBuiltinModel } from './builtin/builtin-model.ts'
import { type EmbeddingProvider, type SimilarityModel, toUnitVector } from './embedding-provider.ts'
import { createOpenAiEmbeddings } from './openai-embeddings.ts'

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

/** @returns the configured provider; undefined if embeddings are off, or the reason why settings are insufficient */
export async function createEmbeddings(
  source: EmbeddingSource,
  onDownload: (progress: DownloadProgress) => void = () => undefined,
): Promise<EmbeddingProvider | EmbeddingProblem | undefined> {
  const { provider, apiKey, isLocal } = source
  if (provider === 'none') return undefined
  if (provider === 'builtin') return createBuiltinEmbeddings(source.builtinFile)
  const outbound = new Outbound(source.outboundFile)
  if (provider === 'local') return createLocalEmbeddings({ ...source, outbound, onDownload })
  const baseUrl = source.baseUrl ?? defaultUrls[provider]
  if (baseUrl === undefined) return 'no_base_url'
  if (provider !== 'openai-compatible' && apiKey === undefined) return 'no_key'
  const address = embeddingBaseUrl(provider, source.baseUrl)
  // Local servers need no key.
  const fetchFor = (isPrivate: boolean) => outbound.fetch({ purpose: 'embedding', isLocal, isPrivate })
  return createOpenAiEmbeddings({ ...source, provider, apiKey: apiKey ?? 'none', baseUrl, address, fetchFor })
}

export function textModelOf({ provider, builtinFile }: TextModelSource): SimilarityModel | undefined {
  return provider === 'builtin' ? builtinSimilarity(builtinFile) : undefined
}

export type TextModelSource = Pick<EmbeddingSource, 'builtinFile'> & { readonly provider: string }

export function modelOf(provider: EmbeddingProviderName, configuredModel: string | undefined): string {
  return provider === 'builtin' ? builtinModelName : embeddingModelOrDefault(provider, configuredModel)
}

export function builtinSource(source: EmbeddingSource): EmbeddingSource {
  const model = modelOf('builtin', undefined)
  return { ...source, provider: 'builtin', model, baseUrl: undefined, apiKey: undefined, isLocal: true }
}

/** Allocates the memory in which worker threads share the built-in model. Must be called before they start. */
export function shareEmbeddings({ provider, builtinFile }: EmbeddingSource): void {
  // The thread that opens the model reports the error.
  if (provider === 'builtin') unlessAppError(() => shareBuiltinModel(builtinFile))
}

/** `model`: a name on the Hugging Face hub (`Xenova/multilingual-e5-small`), or the absolute path of a model folder. */
interface LocalEmbeddingOptions extends Pick<
  EmbeddingSource,
  'model' | 'modelsFolder' | 'allowDownload' | 'batchSize'
> {
  readonly outbound: Outbound
  readonly onDownload: (progress: DownloadProgress) => void
}

interface DownloadProgress {
  readonly file: string
  /** 0 to 1. */
  readonly share: number
}

const packageName = '@huggingface/transformers'
/** The version this code was tested with. */
const packageVersion = '4.3.1'

interface Extractor {
  (texts: string[], options: { pooling: 'mean'; normalize: boolean }): Promise<{ tolist(): number[][] }>
}

/** The part of the transformers.js API in use; its types are not installed. */
interface Transformers {
  readonly env: Record<'cacheDir' | 'localModelPath', string> &
    Record<'allowLocalModels' | 'allowRemoteModels', boolean> & { fetch: Fetch }
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: {
      dtype: 'q8' | 'fp32'
      progress_callback: (event: { status: string; file?: string; progress?: number }) => void
    },
  ): Promise<Extractor>
}

export function createLocalEmbeddings(options: LocalEmbeddingOptions): EmbeddingProvider {
  let extractor: Promise<Extractor> | undefined
  let dimensions = 0
  return {
    provider: 'local',
    model: options.model,
    batchSize: Math.min(options.batchSize, 16),
    get dimensions() {
      return dimensions
    },
    async embed(texts, signal) {
      extractor ??= load(options)
      const extract = await extractor.catch((error: unknown) => {
        // Allows a retry: the user may install what was missing.
        extractor = undefined
        throw error
      })
      signal?.throwIfAborted()
      const output = await extract([...texts], { pooling: 'mean', normalize: true }).catch((error: unknown) => {
        throw localError('provider_error', `local/${options.model} failed`, error)
      })
      return output.tolist().map((row) => {
        const vector = toUnitVector(row)
        if (!vector) throw localError('provider_error', `local/${options.model} gave no usable vector`)
        dimensions ||= vector.length
        return vector
      })
    },
  }
}

async function load(options: LocalEmbeddingOptions): Promise<Extractor> {
  const { model, modelsFolder, allowDownload, outbound, onDownload } = options
  const isFolder = isAbsolute(model)
  const isDownloaded = existsSync(join(modelsFolder, model, 'config.json'))
  if (isFolder ? !existsSync(join(model, 'config.json')) : !isDownloaded && !allowDownload) {
    const reason = isFolder
      ? 'its folder has no config.json'
      : 'to allow the download, set memory.embedding.allowDownload: true'
    throw localError('provider_unavailable', `the model ${model} is not on this machine: ${reason}`)
  }
  const { env, pipeline } = await importTransformers(modelsFolder)
  env.cacheDir = modelsFolder
  env.localModelPath = isFolder ? '/' : modelsFolder
  env.allowLocalModels = true
  // Versions without this setting would download past the gate.
  env.allowRemoteModels = !isFolder && allowDownload && 'fetch' in env
  env.fetch = downloadsOf(outbound)
  try {
    return await pipeline('feature-extraction', model, {
      dtype: existsSync(join(isFolder ? model : join(modelsFolder, model), 'onnx', 'model_quantized.onnx'))
        ? 'q8'
        : 'fp32',
      progress_callback: (event) => {
        if (event.status === 'progress') onDownload({ file: event.file ?? model, share: (event.progress ?? 0) / 100 })
      },
    })
  } catch (error) {
    throw localError('provider_unavailable', `the model ${model} cannot be loaded`, error)
  }
}

/** Downloads with the gate, which does not follow redirects, from the model hub and the servers that it names. */
function downloadsOf(outbound: Outbound): Fetch {
  const send = outbound.fetch({ purpose: 'download' })
  return async (input, init) => {
    let response = await send(input, init)
    for (let redirects = 0; redirects < 5 && response.headers.has('location'); redirects += 1) {
      const headers = new Headers(init?.headers)
      headers.delete('authorization')
      response = await send(new URL(response.headers.get('location') ?? '', response.url), { ...init, headers })
    }
    return response
  }
}

/** Imports transformers.js from the dependencies or the models folder, where users of the package can install it. */
async function importTransformers(modelsFolder: string): Promise<Transformers> {
  for (const base of [import.meta.url, pathToFileURL(join(modelsFolder, 'package.json'))]) {
    try {
      const file = createRequire(base).resolve(packageName)
      const loaded = (await import(pathToFileURL(file).href)) as Transformers | { readonly default: Transformers }
      return 'pipeline' in loaded ? loaded : loaded.default
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'
      if (!isMissing) throw localError('provider_unavailable', `${packageName} cannot be loaded`, error)
    }
  }
  throw localError(
    'provider_unavailable',
    `local embeddings are not installed: run npm install --prefix "${modelsFolder}" ${packageName}@${packageVersion}`,
  )
}

function localError(code: ErrorCode, problem: string, cause?: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : cause
  const message = reason === undefined ? problem : `${problem}: ${String(reason)}`
  return new AppError(code, message, { provider: 'local' }, { cause })
}
