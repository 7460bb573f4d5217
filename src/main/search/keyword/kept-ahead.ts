/**
 * What a search keeps in memory of an index, on disk beside it: a process that starts reads it in one go instead of
 * building it from every chunk. A copy that can be thrown away at any time: it is used where it is whole and surely of
 * this index, and whatever changed since is read as ever.
 */
import { readFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { isSystemError } from '#shared/util/errors.ts'
import { writeDurablyPrivate } from '#platform'
import { getMeta, identityKey, snapshotPathOf, vectorDimensions, type Db } from '../indexing/index-schema.ts'
import type { BinaryCodeSnapshot } from '../vector/binary-code-index.ts'
import type { PostingParts } from './postings.ts'

/** Another shape of what is kept is another number. */
const format = 2
const sumBytes = 4
/** The newest chunks, by which an index is known that lost its last changes with the power. */
const newest = 32

export interface ReadAhead {
  readonly words: PostingParts
  readonly meaning: BinaryCodeSnapshot | undefined
}

type Hashes = readonly (readonly [id: number, hash: string])[]

interface Kept extends ReadAhead {
  readonly format: number
  readonly identity: string
  readonly hashes: Hashes
}

const headSchema = z.object({ format: z.literal(format), identity: z.string() })

/** What was kept of this index; undefined where there is nothing, or nothing of use. */
export function readKept(db: Db): ReadAhead | undefined {
  try {
    const bytes = readFileSync(snapshotPathOf(db.name))
    const body = bytes.subarray(sumBytes)
    if (bytes.length <= sumBytes || crc32(body) !== bytes.readUInt32LE(0)) return undefined
    const kept: unknown = deserialize(body)
    return headSchema.safeParse(kept).success && isOf(db, kept as Kept) ? (kept as Kept) : undefined
  } catch (error) {
    // Another version of Node may not be able to read it.
    if (isSystemError(error) || (error instanceof Error && error.message.includes('deserialize'))) return undefined
    throw error
  }
}

/** @param read of the index as it is in the transaction that is open */
export function toKept(db: Db, read: ReadAhead): Buffer | undefined {
  const identity = getMeta(db, identityKey)
  if (identity === undefined) return undefined
  const hashes = db
    .prepare<[number], [number, string]>('SELECT id, hash FROM chunks ORDER BY id DESC LIMIT ?')
    .raw()
    .all(newest)
  const body = serialize({ ...read, format, identity, hashes } satisfies Kept)
  const sum = Buffer.alloc(sumBytes)
  sum.writeUInt32LE(crc32(body))
  return Buffer.concat([sum, body])
}

/** @throws AppError as `writeDurablyPrivate` */
export async function writeKept(file: string, kept: Buffer): Promise<void> {
  await writeDurablyPrivate(snapshotPathOf(file), kept)
}

/** No id is given twice, unless the index lost changes: then what has the ids now is something else. */
function isOf(db: Db, { identity, hashes, words, meaning }: Kept): boolean {
  if (getMeta(db, identityKey) !== identity) return false
  const given = db.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck()
  if ((given.get('chunks') ?? 0) < words.lastId) return false
  if (meaning && (given.get('passage_bits') ?? 0) < meaning.lastSeq) return false
  if (meaning && meaning.dimensions !== vectorDimensions(db)) return false
  const hashOf = db.prepare<[number], string>('SELECT hash FROM chunks WHERE id = ?').pluck()
  return hashes.every(([id, hash]) => [undefined, hash].includes(hashOf.get(id)))
}
