/** The index as a file on disk: opened, begun anew beside an old one, put in the place of that (M12). */
import { rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, setAside } from '../files/index.ts'
import { createTables, isIndexOf, openForWriting, type Db, type IndexIdentity } from './schema.ts'
import { IndexStore } from './store.ts'

export interface OpenedIndex {
  readonly store: IndexStore
  /** Where the store is built while an older index still answers; undefined when it is the index itself. */
  readonly building: string | undefined
  /** Where something is now that had the index's name and was none of ours. */
  readonly aside: string | undefined
}

/**
 * The index that `identity` asks for: the one that is there, or a new one. A damaged one is thrown away; what is no index
 * of ours is put aside.
 */
export async function openIndexFile(file: string, identity: IndexIdentity): Promise<OpenedIndex> {
  await makeFolder(dirname(file))
  const next = `${file}.next`
  await removeIndexFile(next)
  const { current, aside } = await openKnown(file)
  if (current && isIndexOf(current, identity))
    return { store: new IndexStore(current, identity.chunk), building: undefined, aside }
  const hasOld = current !== undefined && hasTable(current, 'embedding_cache')
  current?.close()
  if (!hasOld) await removeIndexFile(file)
  const db = openForWriting(hasOld ? next : file)
  createTables(db, identity)
  const store = new IndexStore(db, identity.chunk)
  if (hasOld) store.adoptCache(file)
  return { store, building: hasOld ? next : undefined, aside }
}

/** Puts the index that was built in the place of the old one; nobody may have either open. */
export async function replaceIndexFile(built: string, file: string): Promise<void> {
  await removeIndexFile(file)
  await rename(built, file)
}

/** The database that is there, if it is one of ours. */
async function openKnown(file: string): Promise<{ current?: Db; aside: string | undefined }> {
  const info = await stat(file).catch(() => undefined)
  if (!info) return { aside: undefined }
  if (!info.isFile()) return { aside: await setAside(file) }
  let db: Db | undefined
  try {
    db = openForWriting(file)
    if (isForeign(db)) {
      db.close()
      return { aside: await setAside(file) }
    }
    return { current: db, aside: undefined }
  } catch (error) {
    db?.close()
    if (hasCode(error, 'SQLITE_NOTADB')) return { aside: await setAside(file) }
    if (!hasCode(error, 'SQLITE_CORRUPT')) throw error
    await removeIndexFile(file)
    return { aside: undefined }
  }
}

/** It has tables, and none that every index of ours has. */
function isForeign(db: Db): boolean {
  return (
    db.prepare('SELECT 1 FROM sqlite_master').get() !== undefined && !hasTable(db, 'chunks') && !hasTable(db, 'meta')
  )
}

function hasTable(db: Db, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith(code)
}

async function removeIndexFile(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(file + suffix, { force: true })
}
