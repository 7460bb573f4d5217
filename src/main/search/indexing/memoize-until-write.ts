import type { Db } from './index-schema.ts'

/**
 * Caches a value until the connection writes. Never caches within a transaction: it may be rolled back.
 * @param db must be the only connection that writes
 */
export function memoizeUntilWrite<T>(db: Db, read: () => T): () => T {
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  let known: { readonly at: number; readonly value: T } | undefined
  return () => {
    if (db.inTransaction) return read()
    const at = changes.get() ?? 0
    if (known?.at !== at) known = { at, value: read() }
    return known.value
  }
}
