/** What a search asks of the index, as SQL that is prepared once. */
import type { Db } from '../schema.ts'
import type { Source } from '../store.ts'
import type { ChunkTerms } from './bm25.ts'

export interface ChunkRow extends ChunkTerms {
  readonly id: number
  readonly path: string
  readonly source: Source
  readonly startLine: number
  readonly endLine: number
  readonly title: string
  readonly text: string
}

export function prepareSearch(db: Db) {
  return {
    collection: db.prepare<[], { chunks: number; averageLength: number; unembedded: number }>(
      'SELECT count(*) AS chunks, coalesce(avg(length), 0) AS averageLength, coalesce(sum(embedded = 0), 0) AS unembedded FROM chunks',
    ),
    documents: db.prepare<[string], number>('SELECT doc FROM chunks_vocabulary WHERE term = ?').pluck(),
    phraseDocuments: db.prepare<[string], number>('SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?').pluck(),
    match: db
      .prepare<[string, number], number>(
        'SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY bm25(chunks_fts, 1.0, 1.0, 1.0, 0.6, 0.6) LIMIT ?',
      )
      .pluck(),
    rows: db.prepare<[string], ChunkRow>(
      `SELECT c.id, c.path, c.source, c.start_line AS startLine, c.end_line AS endLine, c.heading AS title, c.text, c.length,
              f.words, f.chars, f.heading, f.place
       FROM json_each(?) AS wanted
       JOIN chunks AS c ON c.id = wanted.value
       JOIN chunks_fts AS f ON f.rowid = c.id`,
    ),
    chunkAt: db
      .prepare<[string, number, number], number>(
        'SELECT id FROM chunks WHERE path = ? AND start_line <= ? AND end_line >= ? ORDER BY start_line DESC LIMIT 1',
      )
      .pluck(),
    fileCounts: db.prepare<[], { path: string; source: Source; words: number; tokens: number }>(
      'SELECT path, source, words, tokens FROM files',
    ),
  }
}
