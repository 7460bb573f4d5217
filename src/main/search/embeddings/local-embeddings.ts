/**
 * A model that runs in the process, by transformers.js and ONNX: from a folder of the user's, or from the hub once the
 * user has said that it may be fetched. The library is an optional dependency and is loaded only here.
 */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { toUnitVector, type EmbeddingProvider } from './embedding-provider.ts'

export interface LocalEmbeddingOptions {
  /** A name on the hub (`Xenova/multilingual-e5-small`), or the absolute path of a folder with the model's files. */
  readonly model: string
  /** Where fetched models are kept. */
  readonly modelsFolder: string
  readonly allowDownload: boolean
  readonly batchSize: number
  readonly onDownload: (progress: DownloadProgress) => void
}

export interface DownloadProgress {
  readonly file: string
  /** 0 to 1. */
  readonly share: number
}

/** The part of transformers.js that is used, so that the types hold where the package is not installed. */
interface Extractor {
  (texts: string[], options: { pooling: 'mean'; normalize: boolean }): Promise<{ tolist(): number[][] }>
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
        // What was missing may be there at the next try.
        extractor = undefined
        throw error
      })
      signal?.throwIfAborted()
      const rows = await run(extract, texts, options.model)
      return rows.map((row) => {
        const vector = toUnitVector(row)
        if (!vector)
          throw new AppError('provider_error', `local/${options.model} gave no usable vector`, { provider: 'local' })
        dimensions ||= vector.length
        return vector
      })
    },
  }
}

async function run(extract: Extractor, texts: readonly string[], model: string): Promise<number[][]> {
  try {
    return (await extract([...texts], { pooling: 'mean', normalize: true })).tolist()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('provider_error', `local/${model} failed: ${reason}`, { provider: 'local' }, { cause: error })
  }
}

async function load({ model, modelsFolder, allowDownload, onDownload }: LocalEmbeddingOptions): Promise<Extractor> {
  const isFolder = isAbsolute(model)
  const isFetched = existsSync(join(modelsFolder, model, 'config.json'))
  if (isFolder ? !existsSync(join(model, 'config.json')) : !isFetched && !allowDownload) {
    const remedy = isFolder ? 'it has no config.json' : 'allow the download with memory.embedding.allowDownload: true'
    throw new AppError('provider_unavailable', `the model ${model} is not on this machine; ${remedy}`, {
      provider: 'local',
    })
  }
  const { env, pipeline } = await importTransformers()
  env.cacheDir = modelsFolder
  env.localModelPath = isFolder ? '/' : modelsFolder
  env.allowLocalModels = true
  env.allowRemoteModels = !isFolder && allowDownload
  try {
    return (await pipeline('feature-extraction', model, {
      dtype: existsSync(join(isFolder ? model : join(modelsFolder, model), 'onnx', 'model_quantized.onnx'))
        ? 'q8'
        : 'fp32',
      progress_callback: (event: { status: string; file?: string; progress?: number }) => {
        if (event.status === 'progress') onDownload({ file: event.file ?? model, share: (event.progress ?? 0) / 100 })
      },
    })) as unknown as Extractor
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError(
      'provider_unavailable',
      `the model ${model} cannot be loaded: ${reason}`,
      { provider: 'local' },
      { cause: error },
    )
  }
}

async function importTransformers() {
  try {
    return await import('@huggingface/transformers')
  } catch (error) {
    throw new AppError(
      'provider_unavailable',
      'local embeddings are not installed: run npm install --include=optional',
      { provider: 'local' },
      { cause: error },
    )
  }
}
