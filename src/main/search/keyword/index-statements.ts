import { ChunkPacker } from './packed-terms.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { Source } from '../indexing/indexed-file.ts'
import type { NoteName } from '../query/note-metadata.ts'
import type { PostingSource } from './postings.ts'
import type { ChunkPlace } from './segment.ts'

export interface ChunkText {
  readonly heading: string
  readonly text: string
  readonly names?: readonly NoteName[]
}

/** Selects a note by its path. Paths are unique among these sources. */
const whereNote = "source IN ('memory', 'extra', 'shared') AND path = ?"

export function prepareSearchStatements(db: Db) {
  return {
    /** Changes whenever another connection has changed the database. */
    version: db.prepare<[], number>('PRAGMA data_version').pluck(),
    passagesUpTo: db
      .prepare<[number], number>('SELECT count(*) FROM (SELECT 1 FROM passages WHERE vector IS NOT NULL LIMIT ?)')
      .pluck(),
    unembedded: db.prepare<[], number>('SELECT count(*) FROM chunks WHERE embedded = 0').pluck(),
    chunks: db.prepare<[], number>('SELECT count(*) FROM chunks').pluck(),
    text: db.prepare<[number], ChunkText>('SELECT heading, text FROM chunks WHERE id = ?'),
    chunkAt: db
      .prepare<[string, number, number], number>(
        'SELECT id FROM chunks WHERE path = ? AND start_line <= ? AND end_line >= ? ORDER BY start_line DESC LIMIT 1',
      )
      .pluck(),
    head: db
      .prepare<[string], string>(
        `SELECT substr(text, 1, 600) FROM chunks WHERE ${whereNote} AND start_line = 1 LIMIT 1`,
      )
      .pluck(),
    passageAt: db.prepare<[string, number, number], { id: number; path: string; startLine: number; endLine: number }>(
      `SELECT id, path, start_line AS startLine, end_line AS endLine FROM chunks
       WHERE ${whereNote} AND start_line <= ? AND end_line >= ? ORDER BY start_line DESC LIMIT 1`,
    ),
    passagesOf: db.prepare<[string], { id: number; path: string; startLine: number; endLine: number }>(
      `SELECT id, path, start_line AS startLine, end_line AS endLine FROM chunks WHERE ${whereNote} ORDER BY start_line`,
    ),
    fileCounts: db.prepare<[], { path: string; source: Source; words: number; tokens: number }>(
      'SELECT path, source, words, tokens FROM files',
    ),
  }
}

export interface TermSource extends PostingSource {
  readonly termsOf: (id: number) => Buffer | undefined
}

/** Reads the terms of chunks from `chunk_terms`, or from the texts if an older index lacks that table. */
export function termSource(db: Db): TermSource {
  const hasTerms = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'chunk_terms'").get() !== undefined
  const count = db.prepare<[], number>('SELECT count(*) FROM chunks').pluck()
  const ids = db.prepare<[], number>('SELECT id FROM chunks').pluck()
  return {
    ...(hasTerms ? storedTerms(db) : encodedTerms(db)),
    count: () => count.get() ?? 0,
    ids: () => ids.all(),
  }
}

type Terms = Pick<TermSource, 'chunks' | 'termsOf'>

const placeColumns = 'chunk.id, path, source, start_line AS startLine, end_line AS endLine'

function storedTerms(db: Db): Terms {
  const one = db.prepare<[number], Buffer>('SELECT terms FROM chunk_terms WHERE id = ?').pluck()
  const all = db.prepare<[number, number], ChunkPlace & { terms: Buffer }>(
    `SELECT ${placeColumns}, terms FROM chunk_terms JOIN chunks AS chunk USING (id) WHERE id > ? AND id <= ? ORDER BY id`,
  )
  return {
    termsOf: (id) => one.get(id),
    *chunks(after, upTo) {
      for (const { terms, ...chunk } of all.iterate(after, upTo)) yield [chunk, terms]
    },
  }
}

/** Encodes terms from the text, for an older index that serves searches while it is being rebuilt. */
function encodedTerms(db: Db): Terms {
  const text = 'heading, text FROM chunks AS chunk WHERE id'
  const one = db.prepare<[number], ChunkText & { path: string }>(`SELECT path, ${text} = ?`)
  const all = db.prepare<[number, number], ChunkPlace & ChunkText>(
    `SELECT ${placeColumns}, ${text} > ? AND id <= ? ORDER BY id`,
  )
  return {
    termsOf(id) {
      const row = one.get(id)
      return row && new ChunkPacker(row.path).pack(row).terms
    },
    *chunks(after, upTo) {
      for (const { heading, text: chunkText, ...chunk } of all.iterate(after, upTo))
        yield [chunk, new ChunkPacker(chunk.path).pack({ heading, text: chunkText }).terms]
    },
  }
}
