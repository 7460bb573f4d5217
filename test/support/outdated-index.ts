import { cacheKey, openForWriting } from '../../src/main/search/indexing/index-schema.ts'

/** Makes an index look as a version with another division into units left it, so that the app rebuilds it. */
export function outdateIndex(file: string): void {
  const db = openForWriting(file)
  db.prepare(`UPDATE meta SET value = json_set(value, '$.unitVersion', 0) WHERE key = 'fingerprint'`).run()
  db.close()
}

export interface OldVector {
  readonly hash: string
  readonly vector: Float32Array
}

/** Creates an index with the tables and the cached vectors of a version that divided notes into chunks. */
export function createOldIndex(
  file: string,
  { provider, model, address }: { provider: string; model: string; address?: string | undefined },
  vectors: readonly OldVector[],
): void {
  const db = openForWriting(file)
  db.exec(`
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE files (path TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY (source, path)) WITHOUT ROWID;
    CREATE TABLE chunks (id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, text TEXT NOT NULL);
    CREATE TABLE embedding_cache (
      id INTEGER PRIMARY KEY,
      provider TEXT NOT NULL, model TEXT NOT NULL, dims INTEGER NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL,
      UNIQUE (provider, model, dims, hash)
    );
    INSERT INTO chunks (path, text) VALUES ('memory/a.md', 'an old text');
  `)
  const versions = { schemaVersion: 11, tokenizerVersion: 'old', transcriptVersion: 1, chunk: [400, 80] }
  const fingerprint = { ...versions, provider, model, address }
  const meta = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)')
  meta.run('fingerprint', JSON.stringify(fingerprint))
  const put = db.prepare('INSERT INTO embedding_cache (provider, model, dims, hash, vector) VALUES (?, ?, ?, ?, ?)')
  const key = cacheKey({ provider, address })
  for (const { hash, vector } of vectors) put.run(key, model, vector.length, hash, Buffer.from(vector.buffer))
  const [first] = vectors
  if (first) meta.run('dimensions', String(first.vector.length))
  db.close()
}
