import { hash as digest } from 'node:crypto'
import { nameKey, namesOf, parseProperties, tagKey } from '#shared/markdown/properties/parse-properties.ts'
import { countWords, estimateTokens } from '#shared/util/tokens.ts'
import { daysOfPassage, daysOfPath } from './chunk-days.ts'
import { chunkMarkdown, chunkSize, type Chunk } from './chunk.ts'
import { parseDay, type DaySpan } from '../text/days.ts'
import { ChunkPacker } from '../keyword/packed-terms.ts'
import { passagesOf, type Passage } from './passages.ts'
import type { KnownFile } from './indexed-file.ts'
import { digestModelOf, type DigestSource } from '../embeddings/create-embeddings.ts'
import type { TokenIdSequence, SimilarityModel } from '../embeddings/embedding-provider.ts'
import { AppError } from '#shared/util/errors.ts'

export interface FileContent extends KnownFile {
  readonly text: string
  /** For transcripts: the local day of each line's message, `YYYY-MM-DD`. */
  readonly lineDays?: readonly (string | undefined)[]
}

export interface PreparedPassage extends Omit<Passage, 'text'> {
  readonly text: string
  readonly hash: string
}

/**
 * Digests of a chunk's passages, concatenated: passing thousands of small arrays between threads would take longer
 * than computing them.
 */
export interface PackedDigests {
  readonly numbers: TokenIdSequence
  /** End offset (exclusive) of each passage's digest in `numbers`. */
  readonly ends: Uint32Array
}

export interface PreparedChunk extends Chunk {
  readonly hash: string
  /** Encoded by `packed-terms.ts`. */
  readonly terms: Uint8Array
  readonly phrases: string
  readonly passages: readonly PreparedPassage[]
  /** Undefined if the model is remote or can't be loaded. */
  readonly digests?: PackedDigests | undefined
  readonly days: readonly DaySpan[]
}

/** Tags, properties and names of a note. Keys are normalized by `parse-properties.ts`; lines are 1-based. */
export interface PreparedMetadata {
  readonly tags: readonly { readonly tag: string; readonly line: number }[]
  /** A property without a value has an empty string. */
  readonly properties: readonly { readonly name: string; readonly value: string; readonly line: number }[]
  /** Title and aliases; the title has place 0. */
  readonly names: readonly { readonly name: string; readonly place: number }[]
}

export interface PreparedFile extends KnownFile {
  readonly words: number
  readonly tokens: number
  readonly metadata: PreparedMetadata
  readonly chunks: readonly PreparedChunk[]
  /** Words with their terms, without those that this preparer has returned before. */
  readonly spellings: ReadonlyMap<string, string>
}

export interface PrepareSettings {
  /** False if the index has no embedding model: passages are not needed then. */
  readonly hasPassages: boolean
  /** The index's embedding model, if it makes digests. */
  readonly embedding?: DigestSource | undefined
}

const maxRemembered = 50_000
export const noMetadata: PreparedMetadata = { tags: [], properties: [], names: [] }

/**
 * Cuts files into chunks and computes everything that the index stores of them. Omits spellings that it has returned
 * before, so all results of one preparer must go into the same index.
 */
export class FilePreparer {
  readonly #settings: PrepareSettings
  readonly #returnedSpellings = new Set<string>()
  #digestModel: SimilarityModel | undefined

  constructor(settings: PrepareSettings) {
    this.#settings = settings
    this.#digestModel = settings.embedding && digestModelOf(settings.embedding)
  }

  prepare({ text, lineDays, ...file }: FileContent): PreparedFile {
    const { hasPassages } = this.#settings
    // Transcripts have no properties.
    const metadata = lineDays ? noMetadata : metadataOf(text)
    const spellings = new Map<string, string>()
    const names = metadata.names.map(({ name }) => name)
    const packer = new ChunkPacker(file.path, (word, term) => this.#addSpelling(word, term, spellings), names)
    const ofPath = daysOfPath(file.path)
    const chunks = chunkMarkdown(text, chunkSize).map((chunk) => {
      const passages = hasPassages ? passagesOf(chunk) : []
      return {
        ...chunk,
        hash: hashOf(chunk.text),
        ...packer.pack(chunk),
        passages: passages.map((passage) => ({ ...passage, hash: hashOf(passage.text) })),
        digests: this.#digestsOf(passages),
        days: lineDays ? daysOfMessages(chunk, lineDays) : daysOfPassage(chunk, ofPath),
      }
    })
    return { ...file, words: countWords(text), tokens: estimateTokens(text), metadata, chunks, spellings }
  }

  /** Returns undefined if the model can't be loaded: the embed queue reports that error. */
  #digestsOf(passages: readonly Passage[]): PackedDigests | undefined {
    const model = this.#digestModel
    try {
      return model && packed(passages.map(({ text }) => model.digestOf(text)))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#digestModel = undefined
      return undefined
    }
  }

  #addSpelling(word: string, term: string, spellings: Map<string, string>): void {
    if (this.#returnedSpellings.has(word)) return
    if (this.#returnedSpellings.size >= maxRemembered) this.#returnedSpellings.clear()
    this.#returnedSpellings.add(word)
    spellings.set(word, term)
  }
}

function packed(digests: readonly TokenIdSequence[]): PackedDigests {
  let end = 0
  const ends = Uint32Array.from(digests, ({ length }) => (end += length))
  const numbers = new Uint16Array(end)
  for (const [at, digest] of digests.entries()) numbers.set(digest, (ends[at] ?? 0) - digest.length)
  return { numbers, ends }
}

export function metadataOf(text: string): PreparedMetadata {
  const said = parseProperties(text)
  const title = said.properties.find(({ name, isTop }) => isTop && nameKey(name) === 'title')?.values[0]?.trim()
  return {
    tags: said.tags.map(({ name, line }) => ({ tag: tagKey(name), line })),
    properties: said.properties.flatMap(({ name, values, line }) =>
      (values.length > 0 ? values : ['']).map((value) => ({ name: nameKey(name), value, line })),
    ),
    names: namesOf(said).map((name, at) => ({ name, place: name === title ? 0 : at + 1 })),
  }
}

function daysOfMessages(chunk: Chunk, lineDays: readonly (string | undefined)[]): DaySpan[] {
  const said = lineDays
    .slice(chunk.startLine - 1, chunk.endLine)
    .flatMap((day) => (day === undefined ? [] : parseDay(day)))
  return [...new Set(said)].map((day) => ({ first: day, last: day }))
}

/** Returns the hash that identifies equal texts: SHA-256, in hexadecimal. */
export function hashOf(text: string): string {
  return digest('sha256', text)
}
