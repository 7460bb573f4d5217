/**
 * Opens, creates and replaces index files. Vectors cost time and money, so readable vectors of an old index are copied
 * into the new one. A file at the index's path that is not an index is moved aside, not deleted.
 */
import { existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, renameDamaged } from '#platform'
import type { NotesFolder } from '#workspace/privacy'
import type { EmbeddingSource } from '../embeddings/create-embeddings.ts'
import { unitSettingsOf, type PlainUnitSettings } from '../units/prepare-units.ts'
import { UnitStore } from '../units/unit-store.ts'
import { adoptVectors } from './adopt-vectors.ts'
import {
  createTables,
  identityOf,
  hasModel,
  isCorruption,
  matchesIdentity,
  modelOfIndex,
  openForWriting,
  vectorDimensions,
  type Db,
  type IndexIdentity,
} from './index-schema.ts'

export interface OpenedIndex {
  readonly store: UnitStore
  /** The older index, if it differs by its units, or by its model and that one can be used; searches read it meanwhile. */
  readonly old: UnitStore | undefined
  /** Path of the store while an older index is still in place; undefined if it is at the index's own path. */
  readonly rebuildPath: string | undefined
  /** New path of a file that was at the index's path but is not an index. */
  readonly movedAsideTo: string | undefined
  /** Error message if the existing file was corrupt; undefined if it was sound or missing. */
  readonly corruptionMessage: string | undefined
}

interface IndexFileSettings extends Pick<PlainUnitSettings, 'chunking'> {
  readonly file: string
  readonly embedding: EmbeddingSource
  /** Folders whose notes may be private. */
  readonly notes: readonly NotesFolder[]
  /** Settings of other models that can still be used. */
  readonly earlier?: readonly EmbeddingSource[]
}

/**
 * Opens the index for these settings: the existing one, an unfinished rebuild, or a new one.
 * @param isCorrupt the file was found to be corrupt while in use
 * @throws SqliteError or the system error if a file can't be opened, moved or deleted
 */
export async function openIndexFile(
  { file, embedding, notes: folders, chunking, earlier = [] }: IndexFileSettings,
  isCorrupt = false,
): Promise<OpenedIndex> {
  const identity = identityOf(embedding, chunking)
  const storeOf = (db: Db, source = embedding) =>
    new UnitStore(db, unitSettingsOf({ embedding: source, folders, chunking: modelOfIndex(db).chunking }))
  await makeFolder(dirname(file))
  const files = filesOf(file)
  if (isCorrupt) await setAside(file, files.damaged)
  const info = await stat(file).catch(() => undefined)
  const movedAsideTo = info && (!info.isFile() || isNotIndex(file)) ? await renameDamaged(file) : undefined
  const { db: current, damage: corruptionMessage } = await openIfIntact(file, files.damaged)
  const { db: unfinished } = await openIfIntact(files.next, undefined)
  if (current && matchesIdentity(current, identity)) {
    unfinished?.close()
    const store = storeOf(current)
    await adoptCaches(store, [files.last, files.next, files.damaged])
    return { store, old: undefined, rebuildPath: undefined, corruptionMessage, movedAsideTo }
  }
  const hasOldIndex = current !== undefined && hasTable(current, 'embedding_cache')
  const canKeep = hasOldIndex && vectorDimensions(current) > 0
  const oldSource = canKeep
    ? [embedding, ...earlier].find((one) => matchesIdentity(current, identityOf(one, modelOfIndex(current).chunking)))
    : undefined
  const old = oldSource && current && storeOf(current, oldSource)
  if (!old) current?.close()
  if (!hasOldIndex) await removeIndexFile(file)
  const place = hasOldIndex ? files.next : file
  const canResume = hasOldIndex && unfinished !== undefined && matchesIdentity(unfinished, identity)
  if (unfinished && !canResume) {
    unfinished.close()
    await removeIndexFile(files.last)
    await rename(files.next, files.last)
    await removeIndexFile(files.next)
  }
  const store = storeOf(canResume ? unfinished : createIndex(place, identity))
  const hasUsableVectors = hasOldIndex && (!old || hasModel(old.db, identity))
  await adoptCaches(store, [...(hasUsableVectors ? [file] : []), files.last, files.damaged], file)
  return { store, old, rebuildPath: hasOldIndex ? files.next : undefined, corruptionMessage, movedAsideTo }
}

/** Replaces the old index by the built one. Both must be closed. */
export async function replaceIndexFile(built: string, file: string): Promise<void> {
  await removeIndexFile(file)
  await rename(built, file)
}

/** `next`: a rebuild. `last`: a rebuild begun for other settings. `corruptFile`: a corrupt index with vectors to copy. */
function filesOf(file: string) {
  return { next: `${file}.next`, last: `${file}.last`, damaged: `${file}.damaged` }
}

function createIndex(file: string, identity: IndexIdentity): Db {
  const db = openForWriting(file)
  createTables(db, identity)
  return db
}

/** Copies readable vectors from other index files and deletes those files, except `keep`. */
async function adoptCaches(store: UnitStore, others: readonly string[], keep?: string): Promise<void> {
  for (const other of others) {
    if (!existsSync(other)) continue
    try {
      adoptVectors(store.db, other)
    } catch (error) {
      if (!isCorruption(error)) throw error
    }
    if (other !== keep) await removeIndexFile(other)
  }
}

/** Returns true if the file is not a database, or is a database without the table that every index has. */
function isNotIndex(file: string): boolean {
  let db: Db | undefined
  try {
    db = openForWriting(file)
    const isEmpty = db.prepare('SELECT 1 FROM sqlite_master').get() === undefined
    return !isEmpty && !hasTable(db, 'meta')
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'SQLITE_NOTADB'
  } finally {
    db?.close()
  }
}

/** Opens a database, if it exists. A corrupt one is moved to `aside`, or deleted if `aside` is undefined. */
async function openIfIntact(
  file: string,
  aside: string | undefined,
): Promise<{ readonly db?: Db; readonly damage?: string }> {
  if (!existsSync(file)) return {}
  let db: Db | undefined
  try {
    db = openForWriting(file)
    db.prepare('SELECT count(*) FROM sqlite_master').get()
    return { db }
  } catch (error) {
    db?.close()
    if (!isCorruption(error)) throw error
    if (aside === undefined) await removeIndexFile(file)
    else await setAside(file, aside)
    return { damage: error.message }
  }
}

async function setAside(file: string, aside: string): Promise<void> {
  await removeIndexFile(aside)
  if (existsSync(file)) await rename(file, aside)
  await removeIndexFile(file)
}

function hasTable(db: Db, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined
}

async function removeIndexFile(file: string): Promise<void> {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) await rm(each, { force: true })
}
