import type { Db } from './index-schema.ts'

/**
 * @param db the one connection that writes
 * @param read called where anything was written since it was last asked, and within a transaction, which may be taken back
 */
export function untilChanged<T>(db: Db, read: () => T): () => T {
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  let known: { readonly at: number; readonly value: T } | undefined
  return () => {
    if (db.inTransaction) return read()
    const at = changes.get() ?? 0
    if (known?.at !== at) known = { at, value: read() }
    return known.value
  }
}
