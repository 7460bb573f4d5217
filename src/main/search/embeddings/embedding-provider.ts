export interface EmbeddingProvider {
  /** As in the configuration: `openai`, `openai-compatible`, … */
  readonly provider: string
  readonly model: string
  /** Where it is asked, if not at its own address: another server's model of that name is another. */
  readonly address?: string | undefined
  /** Length of every vector it returns; 0 until the first answer when neither table nor settings know it. */
  readonly dimensions: number
  /** Most texts of one request. */
  readonly batchSize: number
  /** What is known of it from judged questions, by script (`latin`, `cjk`). */
  readonly judged?: Readonly<Record<string, JudgedModel>>
  /**
   * Unit vectors in the order of `texts`; undefined for a text that nothing usable came for, never for all of them.
   * @throws AppError `provider_auth`, `provider_rate_limited`, `provider_unavailable`, `provider_error`
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<(Float32Array | undefined)[]>
  /** Does what the first question would wait for, where that is known. */
  prepare?(): void
  /** Whether a text stays on this machine and is not sent. */
  holds?(text: string): Promise<boolean>
  /** Whether it knows the language of a question; left out where that is not known beforehand. */
  reads?(text: string): boolean
  /** Where the model can tell more of how near a passage is to a question than their cosine does. */
  readonly nearness?: NearnessModel
  /** What each word of a question gives to its nearness to a passage, where the model can tell; they sum to it. */
  terms?(question: string, passage: string): MeaningTerm[]
  /** Words that mean something like a folded word, nearest first, where the model can tell. */
  related?(word: string): RelatedWord[]
}

/** What a passage comes down to for a model; the model alone knows how to read it. Kept in the index instead of its vector. */
export type Digest = Uint16Array

export interface NearnessModel {
  /** Made once by whoever asks for a passage again and again. @throws AppError `provider_unavailable` */
  digestOf(passage: string): Digest
  /** The passage's vector, as `embed` makes it, and how long it was before it was scaled to length 1. */
  vectorOf(passage: Digest): { readonly vector: Float32Array; readonly length: number }
  /** The cosines of passages, by their digests and lengths, with a vector of length 1. */
  cosinesWith(vector: Float32Array): (passage: Digest, length: number) => number
  /** How near passages are to a question, by their cosines with it; at most 1, and as the cosine for best and worst. */
  to(question: string): (passage: Digest, cosine: number) => number
}

export interface JudgedModel {
  /** At least so much, in [0, 1]: a memory of single facts has no texts that belong together to measure it by. */
  readonly worth: number
  /** Where it is not the one of other models: how far an answer is above what unanswered questions get. */
  readonly margin?: Margin
}

/** In deviations of what unanswered questions get: where the model is worth as much as can be, and where nothing. */
export interface Margin {
  readonly surest: number
  readonly leastSure: number
}

/** A word of a question in the account of a nearness. */
export interface MeaningTerm {
  readonly term: string
  /** The word of the passage that is nearest to it. */
  readonly nearest: string
  /** Its part of the nearness, which may be negative. */
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
