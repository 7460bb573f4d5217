/**
 * The index as a file on disk: opened, begun anew beside an old one, put in the place of that. Vectors cost time and
 * money: whatever becomes of an index, the ones that can still be read go over into the next. What has the name of
 * an index and is none of ours is put aside, whole.
 */
import { existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { EmbeddingSource } from '../embeddings/create-embeddings.ts'
import { makeFolder, setAside } from '#platform'
import type { ChunkSettings } from './chunk.ts'
import {
  createTables,
  ensureIdentity,
  identityOf,
  isDamage,
  isIndexOf,
  keptAheadOf,
  openForWriting,
  type Db,
  type IndexIdentity,
} from './index-schema.ts'
import { IndexStore } from './index-store.ts'

export interface OpenedIndex {
  readonly store: IndexStore
  /** Where the store is built while an older index still answers; undefined when it is the index itself. */
  readonly building: string | undefined
  /** Where something is now that had the index's name and was none of ours. */
  readonly aside: string | undefined
  /** What was wrong with the file that was there; undefined when it was sound, or there was none. */
  readonly damage: string | undefined
}

/**
 * The index that the settings ask for: the one that is there, one whose building was broken off, or a new one.
 * @param isDamaged the file was found to be broken while it was used
 */
export async function openIndexFile(
  file: string,
  settings: { readonly chunk: ChunkSettings; readonly embedding: EmbeddingSource },
  isDamaged = false,
): Promise<OpenedIndex> {
  const identity = identityOf(settings)
  const storeOf = (db: Db) => new IndexStore(db, settings.chunk, settings.embedding)
  await makeFolder(dirname(file))
  const files = filesOf(file)
  if (isDamaged) await putAside(file, files.damaged)
  const { db: current, damage, aside } = await openCurrent(file, files.damaged)
  const { db: begun } = await openSound(files.next, undefined)
  if (current && isIndexOf(current, identity)) {
    begun?.close()
    ensureIdentity(current)
    const store = storeOf(current)
    await takeOver(store, [files.last, files.next, files.damaged])
    return { store, building: undefined, damage, aside }
  }
  const hasOld = current !== undefined && hasTable(current, 'embedding_cache')
  current?.close()
  if (!hasOld) await removeIndexFile(file)
  const place = hasOld ? files.next : file
  const canGoOn = hasOld && begun !== undefined && isIndexOf(begun, identity)
  if (begun && !canGoOn) {
    begun.close()
    await removeIndexFile(files.last)
    await rename(files.next, files.last)
    await removeIndexFile(files.next)
  }
  const store = storeOf(canGoOn ? begun : createIndex(place, identity))
  await takeOver(store, [...(hasOld && !canGoOn ? [file] : []), files.last, files.damaged], file)
  return { store, building: hasOld ? files.next : undefined, damage, aside }
}

/** Puts the index that was built in the place of the old one; nobody may have either open. */
export async function replaceIndexFile(built: string, file: string): Promise<void> {
  await removeIndexFile(file)
  await rename(built, file)
}

/** `next` is being built, `last` was begun for other settings, `damaged` was thrown away. */
function filesOf(file: string) {
  return { next: `${file}.next`, last: `${file}.last`, damaged: `${file}.damaged` }
}

function createIndex(file: string, identity: IndexIdentity): Db {
  const db = openForWriting(file)
  createTables(db, identity)
  return db
}

/** Copies the vectors of other files, as far as they can be read, and removes those files, except `keep`. */
async function takeOver(store: IndexStore, others: readonly string[], keep?: string): Promise<void> {
  for (const other of others) {
    if (!existsSync(other)) continue
    try {
      store.adoptCache(other)
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    if (other !== keep) await removeIndexFile(other)
  }
}

interface Opened {
  readonly db: Db | undefined
  readonly damage: string | undefined
}

/** The index that is in use: what is none of ours is put aside and kept. */
async function openCurrent(file: string, damaged: string): Promise<Opened & { readonly aside: string | undefined }> {
  const info = await stat(file).catch(() => undefined)
  const isOurs = info === undefined || (info.isFile() && !isForeign(file))
  if (!isOurs) return { db: undefined, damage: undefined, aside: await setAside(file) }
  return { ...(await openSound(file, damaged)), aside: undefined }
}

/** No database at all, or one with tables and none that every index of ours has. */
function isForeign(file: string): boolean {
  let db: Db | undefined
  try {
    db = openForWriting(file)
    const isEmpty = db.prepare('SELECT 1 FROM sqlite_master').get() === undefined
    return !isEmpty && !hasTable(db, 'chunks') && !hasTable(db, 'meta')
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'SQLITE_NOTADB'
  } finally {
    db?.close()
  }
}

/** Undefined for none; a damaged one is put aside, or removed where nobody wants it. */
async function openSound(file: string, aside: string | undefined): Promise<Opened> {
  if (!existsSync(file)) return { db: undefined, damage: undefined }
  let db: Db | undefined
  try {
    db = openForWriting(file)
    db.prepare('SELECT count(*) FROM sqlite_master').get()
    return { db, damage: undefined }
  } catch (error) {
    db?.close()
    if (!isDamage(error)) throw error
    if (aside === undefined) await removeIndexFile(file)
    else await putAside(file, aside)
    return { db: undefined, damage: error.message }
  }
}

async function putAside(file: string, aside: string): Promise<void> {
  await removeIndexFile(aside)
  if (existsSync(file)) await rename(file, aside)
  await removeIndexFile(file)
}

function hasTable(db: Db, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined
}

async function removeIndexFile(file: string): Promise<void> {
  for (const each of [file, `${file}-wal`, `${file}-shm`, keptAheadOf(file)]) await rm(each, { force: true })
}
