/**
 * Opens, creates and replaces index files. Vectors cost time and money, so readable vectors of an old index are copied
 * into the new one. A file at the index's path that is not an index is moved aside, not deleted.
 */
import { existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { EmbeddingSource } from '../embeddings/create-embeddings.ts'
import { makeFolder, renameDamaged } from '#platform'
import {
  createTables,
  ensureIdentity,
  identityOf,
  isCorruption,
  isIndexOf,
  snapshotPathOf,
  openForWriting,
  type Db,
  type IndexIdentity,
} from './index-schema.ts'
import { IndexStore } from './index-store.ts'

export interface OpenedIndex {
  readonly store: IndexStore
  /** Path of the store while an older index still serves searches; undefined if it is at the index's own path. */
  readonly building: string | undefined
  /** New path of a file that was at the index's path but is not an index. */
  readonly movedAsideTo: string | undefined
  /** Error message if the existing file was corrupt; undefined if it was sound or missing. */
  readonly corruption: string | undefined
}

/**
 * Opens the index for these settings: the existing one, an unfinished rebuild, or a new one.
 * @param isDamaged the file was found to be corrupt while in use
 * @throws SqliteError or the system error if a file can't be opened, moved or deleted
 */
export async function openIndexFile(file: string, embedding: EmbeddingSource, isDamaged = false): Promise<OpenedIndex> {
  const identity = identityOf(embedding)
  const storeOf = (db: Db) => new IndexStore(db, embedding)
  await makeFolder(dirname(file))
  const files = filesOf(file)
  if (isDamaged) await putAside(file, files.damaged)
  const { db: current, damage: corruption, aside: movedAsideTo } = await openCurrent(file, files.damaged)
  const { db: begun } = await openSound(files.next, undefined)
  if (current && isIndexOf(current, identity)) {
    begun?.close()
    ensureIdentity(current)
    const store = storeOf(current)
    await adoptCaches(store, [files.last, files.next, files.damaged])
    return { store, building: undefined, corruption, movedAsideTo }
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
  await adoptCaches(store, [...(hasOld && !canGoOn ? [file] : []), files.last, files.damaged], file)
  return { store, building: hasOld ? files.next : undefined, corruption, movedAsideTo }
}

/** Replaces the old index by the built one. Both must be closed. */
export async function replaceIndexFile(built: string, file: string): Promise<void> {
  await removeIndexFile(file)
  await rename(built, file)
}

/** `next`: a rebuild. `last`: a rebuild begun for other settings. `damaged`: a corrupt index with vectors to copy. */
function filesOf(file: string) {
  return { next: `${file}.next`, last: `${file}.last`, damaged: `${file}.damaged` }
}

function createIndex(file: string, identity: IndexIdentity): Db {
  const db = openForWriting(file)
  createTables(db, identity)
  return db
}

/** Copies readable vectors from other index files and deletes those files, except `keep`. */
async function adoptCaches(store: IndexStore, others: readonly string[], keep?: string): Promise<void> {
  for (const other of others) {
    if (!existsSync(other)) continue
    try {
      store.adoptCache(other)
    } catch (error) {
      if (!isCorruption(error)) throw error
    }
    if (other !== keep) await removeIndexFile(other)
  }
}

interface Opened {
  readonly db: Db | undefined
  readonly damage: string | undefined
}

async function openCurrent(file: string, damaged: string): Promise<Opened & { readonly aside: string | undefined }> {
  const info = await stat(file).catch(() => undefined)
  const isOurs = info === undefined || (info.isFile() && !isForeign(file))
  if (!isOurs) return { db: undefined, damage: undefined, aside: await renameDamaged(file) }
  return { ...(await openSound(file, damaged)), aside: undefined }
}

/** Returns true if the file is not a database, or is a database without the tables that every index has. */
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

/** Opens a database, if it exists. A corrupt one is moved to `aside`, or deleted if `aside` is undefined. */
async function openSound(file: string, aside: string | undefined): Promise<Opened> {
  if (!existsSync(file)) return { db: undefined, damage: undefined }
  let db: Db | undefined
  try {
    db = openForWriting(file)
    db.prepare('SELECT count(*) FROM sqlite_master').get()
    return { db, damage: undefined }
  } catch (error) {
    db?.close()
    if (!isCorruption(error)) throw error
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
  for (const each of [file, `${file}-wal`, `${file}-shm`, snapshotPathOf(file)]) await rm(each, { force: true })
}
