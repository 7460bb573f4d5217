/**
 * Opens, creates and replaces index files. The index is at its path; a rebuild is beside it at `.next` until it replaces
 * the index. Vectors cost time and money, so readable vectors of an old or corrupt file are copied into the new one
 * before the old file goes. A file at the index's path that is not an index is moved aside, not deleted.
 */
import { existsSync, rmSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, damagedPath } from '#platform'
import type { NotesFolder } from '#workspace/privacy'
import type { EmbeddingSource } from '../embeddings/create-embeddings.ts'
import { unitSettingsOf } from '../units/prepare-units.ts'
import type { Chunking } from '../units/split-chunks.ts'
import { UnitStore } from '../units/unit-store.ts'
import {
  cacheKey,
  createTables,
  identityOf,
  isCorruption,
  matchesIdentity,
  modelOfIndex,
  openForWriting,
  vectorDimensions,
  type Db,
  type IndexIdentity,
} from './index-schema.ts'

export interface IndexFileSettings {
  readonly file: string
  readonly embedding: EmbeddingSource
  /** Folders whose notes may be private. */
  readonly notes: readonly NotesFolder[]
  /** Undefined if units are entries. */
  readonly chunking?: Chunking | undefined
  /** Settings of other models that can still be used: an index of one is searched until the new one is complete. */
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
) {
  const identity = identityOf(embedding, chunking, folders)
  const storeOf = (db: Db, source = embedding) =>
    new UnitStore(db, unitSettingsOf({ embedding: source, folders, chunking: modelOfIndex(db).chunking }))
  const next = `${file}.next`
  await makeFolder(dirname(file))
  const found = isCorrupt ? { kind: 'corrupt' as const } : inspect(file)
  const movedAsideTo = found.kind === 'foreign' ? damagedPath(file) : undefined
  if (movedAsideTo !== undefined) await rename(file, movedAsideTo)
  if (found.kind === 'empty') await removeIndexFile(file)
  if (inspect(next).kind !== 'index') await removeIndexFile(next)
  if (found.kind === 'corrupt' || (found.kind !== 'index' && existsSync(next))) {
    const successor = existsSync(next) ? openForWriting(next) : createIndex(next, identity)
    adoptVectors(successor, file)
    successor.close()
    await replaceIndexFile(next, file)
  }
  const report = {
    isReplaced: found.kind !== 'index' && found.kind !== 'missing',
    corruptionMessage: found.message,
    movedAsideTo,
    old: undefined,
    rebuildPath: undefined,
  }
  if (!existsSync(file)) return { ...report, store: storeOf(createIndex(file, identity)) }
  const current = openForWriting(file)
  if (matchesIdentity(current, identity)) {
    adoptVectors(current, next)
    await removeIndexFile(next)
    return { ...report, store: storeOf(current) }
  }
  const oldSource =
    vectorDimensions(current) > 0
      ? [embedding, ...earlier].find((one) => {
          const { chunking: chunks, daily } = modelOfIndex(current)
          return matchesIdentity(current, { ...identityOf(one, chunks), daily })
        })
      : undefined
  let rebuilt = existsSync(next) ? openForWriting(next) : undefined
  if (rebuilt && !matchesIdentity(rebuilt, identity)) {
    // A rebuild for other settings: its vectors go through the old index into the new rebuild.
    rebuilt.close()
    rebuilt = undefined
    adoptVectors(current, next)
    await removeIndexFile(next)
  }
  rebuilt ??= createIndex(next, identity)
  // While the old index is searched, it keeps the vectors of other models.
  adoptVectors(rebuilt, file, oldSource && identity)
  if (!oldSource) current.close()
  return { ...report, store: storeOf(rebuilt), old: oldSource && storeOf(current, oldSource), rebuildPath: next }
}

export async function replaceIndexFile(built: string, file: string): Promise<void> {
  await removeIndexFile(file)
  await rename(built, file)
}

function createIndex(file: string, identity: IndexIdentity): Db {
  // SQLite would truncate the `-shm` of a file that was moved. Reading it in the search thread would end the process.
  rmSync(`${file}-shm`, { force: true })
  const db = openForWriting(file)
  createTables(db, identity)
  return db
}

/** `foreign`: no database, or one of another program. `empty`: an index that was not completely created. */
function inspect(file: string): {
  readonly kind: 'missing' | 'foreign' | 'empty' | 'corrupt' | 'index'
  readonly message?: string
} {
  if (!existsSync(file)) return { kind: 'missing' }
  if (!statSync(file).isFile()) return { kind: 'foreign' }
  let db: Db | undefined
  try {
    db = openForWriting(file)
    const tables = db.prepare<[], string>('SELECT name FROM sqlite_master').pluck().all()
    if (tables.includes('embedding_cache')) return { kind: 'index' }
    return { kind: tables.length === 0 || tables.includes('meta') ? 'empty' : 'foreign' }
  } catch (error) {
    if (!isCorruption(error)) throw error
    return 'code' in error && error.code === 'SQLITE_NOTADB'
      ? { kind: 'foreign' }
      : { kind: 'corrupt', message: error.message }
  } finally {
    db?.close()
  }
}

/**
 * Copies cached vectors from another index, if it exists, so that no text is embedded twice. Copies
 * the readable part of a corrupt file.
 * @param only the model whose vectors are copied; those of all models if undefined
 * @throws SqliteError for other errors
 */
function adoptVectors(db: Db, otherFile: string, only?: IndexIdentity): void {
  if (!existsSync(otherFile)) return
  try {
    db.prepare('ATTACH ? AS other').run(otherFile)
  } catch (error) {
    if (isCorruption(error)) return
    throw error
  }
  const filter = only ? [cacheKey(only), only.model] : []
  const cached = `SELECT provider, model, dims, hash, vector FROM other.embedding_cache
                  ${only ? 'WHERE provider = ? AND model = ?' : ''}`
  try {
    db.prepare(
      `INSERT OR IGNORE INTO embedding_cache (provider, model, dims, hash, vector) ${cached} ORDER BY rowid`,
    ).run(...filter)
  } catch (error) {
    if (!isCorruption(error)) throw error
    adoptReadable(db, `${cached} ORDER BY rowid`, filter)
  } finally {
    db.exec('DETACH other')
  }
}

function adoptReadable(db: Db, select: string, filter: readonly string[]): void {
  const put = db.prepare(
    'INSERT OR IGNORE INTO embedding_cache (provider, model, dims, hash, vector) VALUES (?, ?, ?, ?, ?)',
  )
  const rows: unknown[][] = []
  try {
    for (const row of db
      .prepare<unknown[], unknown[]>(select)
      .raw()
      .iterate(...filter))
      rows.push(row)
  } catch (error) {
    if (!isCorruption(error)) throw error
  }
  db.transaction(() => rows.forEach((row) => put.run(...row))).immediate()
}

async function removeIndexFile(file: string): Promise<void> {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) await rm(each, { force: true })
}
