import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { cached } from '#shared/util/lazy.ts'
import { sharedBuffers } from '#platform'

const magic = 'CPSE'
const version = 1

const headerSchema = z.object({
  name: z.string(),
  dimensions: z.number().int().positive(),
  tokens: z.number().int().positive(),
  /** Size of the vocabulary in bytes; it has one token per line, in UTF-8. */
  vocabularyBytes: z.number().int().positive(),
  related: z.number().int().nonnegative(),
  /** Pairs of characters: a traditional one and its simplified form. */
  folds: z.string(),
})

export type BuiltinModel = ReturnType<typeof readModel>

/** Opens the model; each thread reads a file once. @throws AppError `provider_unavailable` if missing or invalid */
export const openBuiltinModel = cached((file: string) => {
  const shared = shareBuiltinModel(file)
  const bytes = new Uint8Array(shared)
  // Another thread may read at the same time: it writes the same bytes.
  const bytesRead = withFile(file, (handle) => readSync(handle, bytes, 0, bytes.length, 0))
  if (bytesRead < bytes.length) throw modelError(file, 'it is cut off')
  return readModel(shared, file)
})

/**
 * Allocates memory for the model, once per process: threads that start later share it.
 * @throws AppError `provider_unavailable` if the file is missing
 */
export function shareBuiltinModel(file: string): SharedArrayBuffer {
  const existing = sharedBuffers.get(file)
  if (existing) return existing
  const shared = new SharedArrayBuffer(withFile(file, (handle) => fstatSync(handle).size))
  sharedBuffers.set(file, shared)
  return shared
}

function withFile<T>(file: string, read: (handle: number) => T): T {
  try {
    const handle = openSync(file, 'r')
    try {
      return read(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    throw modelError(file, 'it cannot be read', error)
  }
}

function modelError(file: string, problem: string, cause?: unknown): AppError {
  const message = `the built-in model ${file}: ${problem}`
  return new AppError('provider_unavailable', message, { provider: 'builtin' }, { cause })
}

/** The file begins with the magic word, the version, and the header's length, with four bytes each. */
const prefixBytes = 12

/** Reads the format that `resources/models/builtin/README.md` describes. */
function readModel(shared: SharedArrayBuffer, file: string) {
  // TextDecoder does not accept shared memory.
  const decode = (from: number, to: number) => new TextDecoder().decode(new Uint8Array(shared).slice(from, to))
  const view = new DataView(shared)
  if (shared.byteLength < prefixBytes || decode(0, 4) !== magic) throw modelError(file, 'it is not a model file')
  if (view.getUint32(4, true) !== version) throw modelError(file, `version ${view.getUint32(4, true)} is not supported`)
  const vocabularyAt = prefixBytes + view.getUint32(8, true)
  const header = headerSchema.parse(JSON.parse(decode(prefixBytes, vocabularyAt)))
  const { dimensions, tokens, folds, related, vocabularyBytes } = header
  const weightsAt = Math.ceil((vocabularyAt + vocabularyBytes) / 4) * 4
  const relatedAt = weightsAt + 4 * tokens
  const cosinesAt = relatedAt + 2 * tokens * related
  const rowsAt = cosinesAt + tokens * related
  if (shared.byteLength < rowsAt + tokens * dimensions) throw modelError(file, 'it is cut off')
  const relatedTokens = new Uint16Array(shared, relatedAt, tokens * related)
  const cosines = new Uint8Array(shared, cosinesAt, tokens * related)
  const vocabulary = decode(vocabularyAt, vocabularyAt + vocabularyBytes).split('\n')
  const numbers = new Map<string, number>()
  for (const [number, token] of vocabulary.entries()) numbers.set(token, number)
  return {
    dimensions,
    /** Weight of each token's row: its rarity times the scale of the row. */
    weights: new Float32Array(shared, weightsAt, tokens),
    rows: new Int8Array(shared, rowsAt, tokens * dimensions),
    /** Maps traditional characters to simplified ones. */
    folds: new Map<string, string>(Array.from(folds.matchAll(/(.)(.)/gu), ([, from = '', to = '']) => [from, to])),
    /** Number of each token. A piece within a word begins with `##`. */
    numbers,
    /** Returns similar tokens, most similar first; cosines are in [0, 1]. */
    related: (token: number) =>
      Array.from(relatedTokens.subarray(token * related, (token + 1) * related), (other, index) => ({
        token: other,
        cosine: (cosines[token * related + index] ?? 0) / 255,
      })),
    textOf: (token: number) => vocabulary[token] ?? '',
  }
}
