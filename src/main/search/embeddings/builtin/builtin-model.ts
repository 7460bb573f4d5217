import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import { sharedMemory, shareMemory } from '#platform'
import { forEachLine, multiTokenMarker, type TokenTable } from './tokenizer.ts'

const magic = 'CPSE'
const version = 1

const headerSchema = z.object({
  name: z.string(),
  dimensions: z.number().int().positive(),
  tokens: z.number().int().positive().max(multiTokenMarker),
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
 * @throws AppError `provider_unavailable` if the file is missing or invalid
 */
export function shareBuiltinModel(file: string): SharedArrayBuffer {
  const existing = sharedMemory(file)
  if (existing) return existing
  const shared = new SharedArrayBuffer(readHeader(file).stateAt + 4)
  shareMemory(file, shared)
  return shared
}

const loadState = { empty: 0, reading: 1, full: 2 } as const

/** Reads the file into the shared memory, unless another thread has done so. Waits while another thread reads it. */
function fillOnce(shared: SharedArrayBuffer, file: string): void {
  const state = new Int32Array(shared, shared.byteLength - 4, 1)
  for (;;) {
    const previous = Atomics.compareExchange(state, 0, loadState.empty, loadState.reading)
    if (previous === loadState.full) return
    if (previous === loadState.reading) Atomics.wait(state, 0, loadState.reading)
    else break
  }
  let nextState: number = loadState.empty
  try {
    const header = readHeader(file)
    if (header.stateAt + 4 !== shared.byteLength) throw modelError(file, 'the file has changed')
    withFile(file, (handle) => readFully(handle, new Uint8Array(shared, 0, header.end), file))
    fillTable(shared, header, file)
    nextState = loadState.full
  } finally {
    Atomics.store(state, 0, nextState)
    Atomics.notify(state, 0)
  }
}

function readHeader(file: string): Header {
  return withFile(file, (handle) => {
    const prefix = Buffer.alloc(prefixBytes)
    const length = readSync(handle, prefix) === prefixBytes ? prefix.readUInt32LE(8) : 0
    const { size } = fstatSync(handle)
    const head = Buffer.alloc(Math.min(prefixBytes + length, size))
    readSync(handle, head, 0, head.length, 0)
    return parseHeader(head, size, file)
  })
}

/** @throws AppError `provider_unavailable` if the file can't be read */
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

/** Fills the buffer from the start of the file. */
function readFully(handle: number, bytes: Uint8Array, file: string): void {
  for (let length = 0, bytesRead = 0; length < bytes.length; length += bytesRead) {
    bytesRead = readSync(handle, bytes, length, bytes.length - length, null)
    if (bytesRead === 0) throw modelError(file, 'it is cut off')
  }
}

function modelError(file: string, problem: string, cause?: unknown): AppError {
  const message = `the built-in model ${file}: ${problem}`
  return new AppError('provider_unavailable', message, { provider: 'builtin' }, { cause })
}

/** The file begins with the magic word, the version, and the header's length, with four bytes each. */
const prefixBytes = 12

/**
 * @param bytes the beginning of the file
 * @param size of the whole file, in bytes
 */
function parseHeader(bytes: Uint8Array, size: number, file: string) {
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
  if (size < end) throw modelError(file, 'it is cut off')
  // In memory, the hash table, the offset of each token's text, and the loading state follow the file.
  const tableAt = align(end)
  const startsAt = tableAt + 8 * slotCount(header.tokens)
  const stateAt = startsAt + 4 * (header.tokens + 1)
  const vocabularyAt = prefixBytes + length
  return { ...header, vocabularyAt, weightsAt, relatedAt, cosinesAt, rowsAt, end, tableAt, startsAt, stateAt }
}

type Header = ReturnType<typeof parseHeader>

function tablesOf(shared: SharedArrayBuffer, { tokens, tableAt, startsAt }: Header) {
  return {
    table: new Uint32Array(shared, tableAt, 2 * slotCount(tokens)),
    starts: new Uint32Array(shared, startsAt, tokens + 1),
  }
}

function readModel(shared: SharedArrayBuffer, file: string): BuiltinModel {
  const bytes = new Uint8Array(shared)
  const header = parseHeader(bytes, bytes.length, file)
  const { name, dimensions, tokens, folds, weightsAt, rowsAt } = header
  const { table, starts } = tablesOf(shared, header)
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
    textOf: (token) => decode(bytes.subarray(starts[token], (starts[token + 1] ?? 1) - 1)),
  }
}

/**
 * Returns the number of slots of the hash table (open addressing). A slot has two 32-bit values: the token's hash, and
 * its id plus 1 with its length in the upper 8 bits.
 */
function slotCount(tokens: number): number {
  return 2 ** Math.ceil(Math.log2(tokens * 2))
}

const idBits = 24

function fillTable(shared: SharedArrayBuffer, header: Header, file: string): void {
  const { tokens, vocabularyAt, vocabularyBytes } = header
  const { table, starts } = tablesOf(shared, header)
  const mask = table.length / 2 - 1
  let count = 0
  forEachLine(new Uint8Array(shared), vocabularyAt, vocabularyAt + vocabularyBytes, (start, hash, length) => {
    if (count === tokens) throw modelError(file, 'it has more tokens than its header states')
    starts[count] = start
    let slot = hash & mask
    while (table[2 * slot + 1] !== 0) slot = (slot + 1) & mask
    count += 1
    table[2 * slot] = hash
    table[2 * slot + 1] = count | (length << idBits)
  })
  if (count < tokens) throw modelError(file, 'it has fewer tokens than its header states')
  starts[count] = vocabularyAt + vocabularyBytes + 1
}

function findSlot(table: Uint32Array, hash: number, length: number): number {
  const mask = table.length / 2 - 1
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
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
  return new TextDecoder().decode(Uint8Array.from(bytes))
}
