/** What every embedding provider offers, and how a vector is written down. */

export interface EmbeddingProvider {
  /** As in the configuration: `openai`, `openai-compatible`, … */
  readonly provider: string
  readonly model: string
  /** Length of every vector it returns; 0 until the first answer when neither table nor settings know it. */
  readonly dimensions: number
  /** Most texts of one request. */
  readonly batchSize: number
  /**
   * What it is worth at least in texts of a script (`latin`, `cjk`), in [0, 1], where that is known from judged questions:
   * a memory of single facts has no texts that belong together to measure it by.
   */
  readonly knownWorth?: Readonly<Record<string, number>>
  /**
   * Unit vectors in the order of `texts`; undefined for a text that nothing usable came for, never for all of them.
   * @throws AppError `provider_auth`, `provider_rate_limited`, `provider_unavailable`, `provider_error`
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<(Float32Array | undefined)[]>
  /** Whether it knows the language of a question; left out where that is not known beforehand. */
  reads?(text: string): boolean
  /** What each word of a question gives to its cosine with a passage, where the model can tell; they sum to it. */
  terms?(question: string, passage: string): MeaningTerm[]
  /** Words that mean something like a folded word, nearest first, where the model can tell. */
  related?(word: string): RelatedWord[]
}

/** A word of a question in the account of a cosine. */
export interface MeaningTerm {
  readonly term: string
  /** The word of the passage that is nearest to it. */
  readonly nearest: string
  /** Its part of the cosine, which may be negative. */
  readonly share: number
}

export interface RelatedWord {
  readonly word: string
  /** To the word that was asked about. */
  readonly cosine: number
}

/** Scales to length 1, so that cosine similarity is a dot product; undefined when a component is no number. */
export function toUnitVector(values: readonly number[]): Float32Array | undefined {
  let sum = 0
  // JSON has no NaN: a model that computed one sends null, which would count as 0.
  for (const value of values) sum += typeof value === 'number' ? value * value : NaN
  const length = Math.sqrt(sum)
  if (!Number.isFinite(length) || length === 0) return undefined
  return Float32Array.from(values, (value) => value / length)
}

/** The bytes that sqlite-vec reads: 32-bit floats, little-endian. */
export function toBlob(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}
