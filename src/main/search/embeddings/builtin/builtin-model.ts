import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { sharedBuffers } from '#platform'
import { forEachLine, maxTokens, type TokenTable } from './tokenizer.ts'

const magic = 'CPSE'
const version = 1

const headerSchema = z.object({
  name: z.string(),
  dimensions: z.number().int().positive(),
  tokens: z.number().int().positive().max(maxTokens),
  /** Size of the vocabulary in bytes; it has one token per line, in UTF-8. */
  vocabularyBytes: z.number().int().positive(),
  /** Number of related tokens that the file lists for each token. */
  related: z.number().int().nonnegative(),
  /** Pairs of characters: a traditional one and its simplified form. */
  folds: z.string(),
})

export interface BuiltinModel extends TokenTable {
  readonly name: string
  readonly dimensions: number
  readonly tokens: number
  /** One row per token, with `dimensions` components. */
  readonly rows: Int8Array
  /** Weight of each token's row: its rarity times the scale of the row. */
  readonly weights: Float32Array
  /** Returns similar tokens, most similar first; cosines are in [0, 1]. */
  related(token: number): { readonly token: number; readonly cosine: number }[]
  /** Returns the folded text of a token. */
  textOf(token: number): string
}

/** Opens the model; each thread reads a file once. @throws AppError `provider_unavailable` if missing or invalid */
export function openBuiltinModel(file: string): BuiltinModel {
  const cached = openedModels.get(file)
  if (cached) return cached
  const shared = shareBuiltinModel(file)
  fillOnce(shared, file)
  const model = readModel(shared, file)
  openedModels.set(file, model)
  return model
}

const openedModels = new Map<string, BuiltinModel>()

/**
 * Allocates memory for the model that threads started later share. The first thread that opens the model fills it.
 * Each file is allocated once per process.
 * @throws AppError `provider_unavailable` if the file is missing
 */
export function shareBuiltinModel(file: string): SharedArrayBuffer {
  const existing = sharedBuffers.get(file)
  if (existing) return existing
  const { size } = withFile(file, (handle) => fstatSync(handle))
  const shared = new SharedArrayBuffer(align(size) + tableBytes + startsBytes + 4)
  sharedBuffers.set(file, shared)
  return shared
}

/**
 * Number of slots of the hash table (open addressing), twice the maximum of tokens. A slot has two 32-bit values: the
 * token's hash, and its id plus 1 with its length in the upper 8 bits.
 */
const slots = 2 ** 17
const slotMask = slots - 1
const tableBytes = 8 * slots
/** The byte offset of each token's text, and the end. */
const startsBytes = 4 * (maxTokens + 1)

/** Returns what follows the file in memory. */
function partsOf(shared: SharedArrayBuffer) {
  const stateAt = shared.byteLength - 4
  const tableAt = stateAt - startsBytes - tableBytes
  return {
    fileBytes: new Uint8Array(shared, 0, tableAt),
    table: new Uint32Array(shared, tableAt, 2 * slots),
    starts: new Uint32Array(shared, tableAt + tableBytes, maxTokens + 1),
    state: new Int32Array(shared, stateAt, 1),
  }
}

const loadState = { empty: 0, reading: 1, full: 2 } as const

/** Reads the file into the shared memory, unless another thread has done so. Waits while another thread reads it. */
function fillOnce(shared: SharedArrayBuffer, file: string): void {
  const { fileBytes, state } = partsOf(shared)
  for (;;) {
    const previous = Atomics.compareExchange(state, 0, loadState.empty, loadState.reading)
    if (previous === loadState.full) return
    if (previous === loadState.reading) Atomics.wait(state, 0, loadState.reading)
    else break
  }
  let nextState: number = loadState.empty
  try {
    withFile(file, (handle) => {
      const { size } = fstatSync(handle)
      if (align(size) !== fileBytes.length) throw modelError(file, 'the file has changed')
      for (let length = 0, bytesRead = 0; length < size; length += bytesRead) {
        bytesRead = readSync(handle, fileBytes, length, size - length, null)
        if (bytesRead === 0) throw modelError(file, 'it is cut off')
      }
      fillTable(shared, file)
    })
    nextState = loadState.full
  } finally {
    Atomics.store(state, 0, nextState)
    Atomics.notify(state, 0)
  }
}

/** @throws AppError `provider_unavailable` if the file can't be read or is invalid */
function withFile<T>(file: string, read: (handle: number) => T): T {
  try {
    const handle = openSync(file, 'r')
    try {
      return read(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    throw error instanceof AppError ? error : modelError(file, 'it cannot be read', error)
  }
}

function modelError(file: string, problem: string, cause?: unknown): AppError {
  const message = `the built-in model ${file}: ${problem}`
  return new AppError('provider_unavailable', message, { provider: 'builtin' }, { cause })
}

/** The file begins with the magic word, the version, and the header's length, with four bytes each. */
const prefixBytes = 12

function parseHeader(bytes: Uint8Array, file: string) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < prefixBytes || decode(bytes.subarray(0, 4)) !== magic)
    throw modelError(file, 'it is not a model file')
  if (view.getUint32(4, true) !== version) throw modelError(file, `version ${view.getUint32(4, true)} is not supported`)
  const length = view.getUint32(8, true)
  const header = headerSchema.parse(JSON.parse(decode(bytes.subarray(prefixBytes, prefixBytes + length))))
  const weightsAt = align(prefixBytes + length + header.vocabularyBytes)
  const relatedAt = weightsAt + 4 * header.tokens
  const cosinesAt = relatedAt + 2 * header.tokens * header.related
  const rowsAt = cosinesAt + header.tokens * header.related
  const end = rowsAt + header.tokens * header.dimensions
  if (bytes.length < end) throw modelError(file, 'it is cut off')
  return { ...header, vocabularyAt: prefixBytes + length, weightsAt, relatedAt, cosinesAt, rowsAt }
}

function readModel(shared: SharedArrayBuffer, file: string): BuiltinModel {
  const { fileBytes, table, starts } = partsOf(shared)
  const header = parseHeader(fileBytes, file)
  const { name, dimensions, tokens, folds, weightsAt, rowsAt } = header
  const related = new Uint16Array(shared, header.relatedAt, tokens * header.related)
  const cosines = new Uint8Array(shared, header.cosinesAt, tokens * header.related)
  const characters = [...folds]
  const pairs = characters.flatMap((character, index) =>
    index % 2 === 0 ? [[character, characters[index + 1] ?? character] as const] : [],
  )
  return {
    name,
    dimensions,
    tokens,
    weights: new Float32Array(shared, weightsAt, tokens),
    rows: new Int8Array(shared, rowsAt, tokens * dimensions),
    folds: new Map(pairs),
    find: (hash, length) => findSlot(table, hash, length),
    related: (token) =>
      Array.from(related.subarray(token * header.related, (token + 1) * header.related), (other, index) => ({
        token: other,
        cosine: (cosines[token * header.related + index] ?? 0) / 255,
      })),
    textOf: (token) => decode(fileBytes.subarray(starts[token], (starts[token + 1] ?? 1) - 1)),
  }
}

const idBits = 24

function fillTable(shared: SharedArrayBuffer, file: string): void {
  const { fileBytes, table, starts } = partsOf(shared)
  const { tokens, vocabularyAt, vocabularyBytes } = parseHeader(fileBytes, file)
  let count = 0
  forEachLine(fileBytes, vocabularyAt, vocabularyAt + vocabularyBytes, (start, hash, length) => {
    if (count === tokens) throw modelError(file, 'it has more tokens than its header states')
    starts[count] = start
    let slot = hash & slotMask
    while (table[2 * slot + 1] !== 0) slot = (slot + 1) & slotMask
    count += 1
    table[2 * slot] = hash
    table[2 * slot + 1] = count | (length << idBits)
  })
  if (count < tokens) throw modelError(file, 'it has fewer tokens than its header states')
  starts[count] = vocabularyAt + vocabularyBytes + 1
}

function findSlot(table: Uint32Array, hash: number, length: number): number {
  for (let slot = hash & slotMask; ; slot = (slot + 1) & slotMask) {
    const entry = table[2 * slot + 1] ?? 0
    if (entry === 0) return -1
    if (table[2 * slot] === hash && entry >>> idBits === length) return (entry & (2 ** idBits - 1)) - 1
  }
}

function align(offset: number): number {
  return Math.ceil(offset / 4) * 4
}

function decode(bytes: Uint8Array): string {
  // TextDecoder does not accept shared memory.
  return new TextDecoder().decode(bytes.slice())
}
