import type { MeaningTerm } from '#shared/contract/index.ts'

export interface EmbeddingProvider {
  readonly provider: string
  readonly model: string
  /** The server's URL if it is not the default one: the same model name can mean another model there. */
  readonly address?: string | undefined
  /** 0 if unknown before the first answer. */
  readonly dimensions: number
  readonly batchSize: number
  /**
   * Returns unit vectors in the order of `texts`; undefined for texts without a usable vector, but never for all.
   * @param isPrivate true if one of the texts must stay on this machine
   * @throws AppError `private_stays_here` without a request, `provider_auth`, `provider_rate_limited`, `provider_timeout`, `provider_unavailable`,
   * `provider_cut`, `provider_error`
   */
  embed(texts: readonly string[], signal?: AbortSignal, isPrivate?: boolean): Promise<(Float32Array | undefined)[]>
  prepare?(): void
  /** Returns false if the model does not know the language of a question. Absent if that can't be known in advance. */
  understands?(text: string): boolean
  /** Present if the model has a better similarity measure than the cosine. */
  readonly similarity?: SimilarityModel
  explain?(question: string, passage: string): MeaningTerm[]
  /** Most similar first. @param word folded */
  related?(word: string): RelatedWord[]
  /** Present if the model has a vector for each word. */
  readonly words?: WordModel
}

export interface WordModel {
  cosine(one: string, other: string): number
  /** Returns the length of the word's vector: rare words have long ones. */
  rarity(word: string): number
  /** Returns false if the word is composed of others, or unknown. */
  knows(word: string): boolean
}

export interface SimilarityModel {
  /** @throws AppError `provider_unavailable` if the model can't be loaded */
  tokensOf(passage: string): Int32Array
  /** Returns the same vector as `embed`, and its length before normalization. */
  vectorOf(passage: Int32Array): { readonly vector: Float32Array; readonly length: number }
  /**
   * Returns a function that computes the cosine of a passage and `vector`. `vector` has length 1; `length` is that of the
   * passage's vector before normalization.
   */
  cosinesWith(vector: Float32Array): (passage: Int32Array, length: number) => number
  /** Returns a function from a passage and its cosine with the question to the similarity, at most 1. */
  similarityTo(question: string): (passage: Int32Array, cosine: number) => number
}

export interface RelatedWord {
  readonly word: string
  readonly cosine: number
}

/**
 * Scales to length 1, so that the cosine is a dot product. Returns undefined for a zero vector, or if a component is
 * not a finite number.
 */
export function toUnitVector(values: readonly number[]): Float32Array | undefined {
  let sum = 0
  // JSON has no NaN: servers send null for it, which arithmetic would treat as 0.
  for (const value of values) sum += typeof value === 'number' ? value * value : NaN
  const length = Math.sqrt(sum)
  if (!Number.isFinite(length) || length === 0) return undefined
  return Float32Array.from(values, (value) => value / length)
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index] as number) * (other[index] as number)
  return sum
}

/** Reads `toBlob`. Copies, because the blob can start at an address that a Float32Array does not accept. */
export function fromBlob(blob: Buffer): Float32Array {
  return new Float32Array(Uint8Array.from(blob).buffer)
}

/** Returns the vector in the format of sqlite-vec (32-bit floats, little-endian), as a view of the same memory. */
export function toBlob(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}
