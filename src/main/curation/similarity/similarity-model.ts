import { unlessAppError } from '#platform'
import { createBuiltinEmbeddings } from '#search'

export interface SimilarityModel {
  /** Returns unit vectors in the order of the texts; empty ones for texts without a vector. */
  vectors(texts: readonly string[]): Promise<readonly Float32Array[]>
}

/** Loads the bundled model; undefined if it cannot be loaded. @param file absolute path of the model */
export async function loadSimilarityModel(file: string): Promise<SimilarityModel | undefined> {
  const model = createBuiltinEmbeddings(file)
  const vectors = async (texts: readonly string[]) =>
    (await model.embed(texts)).map((vector) => vector ?? new Float32Array())
  return unlessAppError(() => {
    model.prepare?.()
    return { vectors }
  })
}
