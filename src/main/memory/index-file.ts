/** The index as a file on disk: opened, begun anew beside an old one, put in the place of that (M12). */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createTables, isIndexOf, openForWriting, type Db, type IndexIdentity } from './schema.ts'
import { IndexStore } from './store.ts'

export interface OpenedIndex {
  readonly store: IndexStore
  /** Where the store is built while an older index still answers; undefined when it is the index itself. */
  readonly building: string | undefined
}

/** The index that `identity` asks for: the one that is there, or a new one. A damaged one is thrown away. */
export async function openIndexFile(file: string, identity: IndexIdentity): Promise<OpenedIndex> {
  await mkdir(dirname(file), { recursive: true })
  const next = `${file}.next`
  await removeIndexFile(next)
  const current = await openOrDiscard(file)
  if (current && isIndexOf(current, identity))
    return { store: new IndexStore(current, identity.chunk), building: undefined }
  const hasOld = current !== undefined && hasTable(current, 'embedding_cache')
  current?.close()
  if (!hasOld) await removeIndexFile(file)
  const db = openForWriting(hasOld ? next : file)
  createTables(db, identity)
  const store = new IndexStore(db, identity.chunk)
  if (hasOld) store.adoptCache(file)
  return { store, building: hasOld ? next : undefined }
}

/** Puts the index that was built in the place of the old one; nobody may have either open. */
export async function replaceIndexFile(built: string, file: string): Promise<void> {
  await removeIndexFile(file)
  await rename(built, file)
}

async function openOrDiscard(file: string): Promise<Db | undefined> {
  if (!existsSync(file)) return undefined
  try {
    const db = openForWriting(file)
    db.prepare('SELECT count(*) FROM sqlite_master').get()
    return db
  } catch (error) {
    if (!isDamaged(error)) throw error
    await removeIndexFile(file)
    return undefined
  }
}

function hasTable(db: Db, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined
}

function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))
}

async function removeIndexFile(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(file + suffix, { force: true })
}
