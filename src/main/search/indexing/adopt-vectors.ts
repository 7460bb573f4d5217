import { dimensionsKey, dimensionsKeyPrefix, isCorruption, parseFingerprint, setMeta, type Db } from './index-schema.ts'

interface CachedVector {
  readonly provider: string
  readonly model: string
  readonly dims: number
  readonly hash: string
  readonly vector: Buffer
}

const cachedVectors = 'SELECT provider, model, dims, hash, vector FROM other.embedding_cache'

/**
 * Copies the cached vectors and their dimensions from another index, so that no text is embedded twice. Copies the
 * readable part of a corrupt file.
 * @throws SqliteError for other errors
 */
export function adoptVectors(db: Db, otherFile: string): void {
  db.prepare('ATTACH ? AS other').run(otherFile)
  try {
    const tables = db.prepare<[], string>('SELECT name FROM other.sqlite_master').pluck().all()
    if (!tables.includes('embedding_cache') || !tables.includes('meta')) return
    adoptDimensions(db)
    db.exec(`INSERT OR IGNORE INTO embedding_cache (provider, model, dims, hash, vector) ${cachedVectors}`)
  } catch (error) {
    if (!isCorruption(error)) throw error
    adoptReadable(db)
  } finally {
    db.exec('DETACH other')
  }
}

function adoptDimensions(db: Db): void {
  const rows = db.prepare<[], [key: string, value: string]>('SELECT key, value FROM other.meta').raw().all()
  const meta = new Map(rows)
  for (const [key, value] of meta) if (key.startsWith(dimensionsKeyPrefix)) setMeta(db, key, value)
  const [fingerprint, dimensions] = [meta.get('fingerprint'), meta.get('dimensions')]
  if (fingerprint !== undefined && dimensions !== undefined)
    setMeta(db, dimensionsKey(parseFingerprint(fingerprint)), dimensions)
}

function adoptReadable(db: Db): void {
  const put = db.prepare<[CachedVector]>(
    `INSERT OR IGNORE INTO embedding_cache (provider, model, dims, hash, vector)
     VALUES (@provider, @model, @dims, @hash, @vector)`,
  )
  const rows: CachedVector[] = []
  try {
    for (const row of db.prepare<[], CachedVector>(`${cachedVectors} ORDER BY rowid`).iterate()) rows.push(row)
  } catch (error) {
    if (!isCorruption(error)) throw error
  }
  db.transaction(() => {
    for (const row of rows) put.run(row)
  }).immediate()
}
