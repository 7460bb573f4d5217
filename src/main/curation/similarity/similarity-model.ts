import { AppError } from '#shared/util/errors.ts'
import { createEmbeddings } from '#search'

export interface SimilarityModel {
  /** Returns unit vectors in the order of the texts; empty ones for texts without a vector. */
  vectors(texts: readonly string[]): Promise<readonly Float32Array[]>
}

/** Loads the bundled model; undefined if it cannot be loaded. @param file absolute path of the model */
export async function loadSimilarityModel(file: string): Promise<SimilarityModel | undefined> {
  const model = await createEmbeddings({
    provider: 'builtin',
    model: '',
    baseUrl: undefined,
    batchSize: 128,
    apiKey: undefined,
    isLocal: true,
    allowDownload: false,
    modelsFolder: '',
    builtinFile: file,
  })
  if (model === undefined || typeof model === 'string') return undefined
  const vectors = async (texts: readonly string[]) => {
    const results: Float32Array[] = []
    for (let from = 0; from < texts.length; from += model.batchSize)
      for (const vector of await model.embed(texts.slice(from, from + model.batchSize)))
        results.push(vector ?? new Float32Array())
    return results
  }
  try {
    await vectors(['a'])
    return { vectors }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Returns the cosine of two unit vectors of equal length; 0 if the first one is empty. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum
}
