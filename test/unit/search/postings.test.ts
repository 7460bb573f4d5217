import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashTerm } from '../../../src/main/search/keyword/packed-terms.ts'
import {
  createTables,
  identityKey,
  snapshotPathOf,
  openForReading,
  openForWriting,
  type Db,
} from '../../../src/main/search/indexing/index-schema.ts'
import { readKept, toKept, writeKept } from '../../../src/main/search/keyword/kept-ahead.ts'
import { Postings, type PostingParts } from '../../../src/main/search/keyword/postings.ts'
import { Searcher } from '../../../src/main/search/ranking/searcher.ts'
import { termSource } from '../../../src/main/search/keyword/index-statements.ts'
import { IndexStore } from '../../../src/main/search/indexing/index-store.ts'

const identity = { provider: '', model: '', dimensions: 0 }
const vocabulary = ['amber', 'birch', 'cedar', 'dahlia', 'elder', '数据库', '数据', 'fern 库', 'gorse']
const settings = {
  weights: { vector: 0.7, text: 0.3 },
  minScore: 0,
  maxResults: 10,
  recencyHalfLifeDays: null,
}

let folder: string
let store: IndexStore
const opened: Db[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postings-'))
  const db = openForWriting(join(folder, 'index.sqlite'))
  createTables(db, identity)
  store = new IndexStore(db)
})

afterEach(() => {
  for (const db of opened.splice(0)) db.close()
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function reader(): Db {
  const db = openForReading(join(folder, 'index.sqlite'))
  opened.push(db)
  return db
}

function put(path: string, text: string): void {
  store.transaction(() => store.replaceFile({ path, source: 'memory', hash: text, mtime: 0, size: 1, text }))
}

function remove(path: string): void {
  store.transaction(() => store.removeFile('memory', path))
}

/** Everything that postings return, in a form that does not depend on their history. */
function accountOf(postings: Postings) {
  const having = (term: string) => {
    const found: [string, number, number, number][] = []
    for (const segment of postings.segments)
      segment.forEach(hashTerm(term), (at, inText, beside) => {
        const { path = '', startLine = 0 } = segment.places[at] ?? {}
        found.push([path, startLine, inText, beside])
      })
    return found.sort()
  }
  const terms = [...vocabulary.flatMap((word) => word.split(' ')), '数', '据库', 'a', 'b', 'md', 'nothing']
  return {
    chunks: postings.chunks,
    averages: postings.averages,
    terms: terms.map((term) => [term, postings.documents(hashTerm(term)), having(term)]),
  }
}

function built(): Postings {
  const postings = new Postings(termSource(reader()))
  postings.refresh()
  return postings
}

const path = fc.constantFrom('memory/a.md', 'memory/b.md', 'memory/c.md', 'memory/d.md', 'memory/e.md')
const text = fc
  .array(fc.tuple(fc.constantFrom(...vocabulary), fc.constantFrom(' ', '\n', '\n\n# Part of it\n\n')), {
    maxLength: 120,
  })
  .map((pieces) => pieces.flat().join(''))
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), path, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), reader: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('readSome' as const), reader: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('handOver' as const), reader: fc.nat(1) }) },
)

/** Another reader that restores a snapshot of the first one, as the next process does. */
function successor(postings: Postings): Postings {
  postings.refresh()
  const next = new Postings(termSource(reader()))
  next.begin(deserialize(serialize(postings.toParts())) as PostingParts)
  return next
}

describe('postings', () => {
  it('updated incrementally by two readers equal postings that are built from scratch', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
        for (const { path: old } of store.knownFiles()) remove(old)
        const readers = [new Postings(termSource(reader())), new Postings(termSource(reader()))]
        for (const one of changes) {
          if (one.kind === 'put') put(one.path, one.text)
          else if (one.kind === 'remove') remove(one.path)
          else if (one.kind === 'look') readers[one.reader]?.refresh()
          else if (one.kind === 'readSome') readers[one.reader]?.readSome()
          else readers.splice(one.reader, 1, successor(readers[one.reader] ?? built()))
        }
        const expected = accountOf(built())
        for (const one of readers) {
          one.refresh()
          expect(accountOf(one)).toEqual(expected)
          expect(one.segments.length).toBeLessThan(10)
        }
        for (const db of opened.splice(0)) db.close()
      }),
      { numRuns: 60 },
    )
  })

  it('a search during a transaction of the indexer sees all of it or nothing', async () => {
    put('memory/a.md', 'The amber note.')
    const searcher = new Searcher(reader(), undefined)
    const pathsFor = async (query: string) =>
      (await searcher.search(query, settings, {}, false)).results.map((result) => result.path)
    expect(await pathsFor('amber')).toEqual(['memory/a.md'])
    store.db.exec('BEGIN IMMEDIATE')
    store.replaceFile({ path: 'memory/a.md', source: 'memory', hash: '2', mtime: 0, size: 1, text: 'The birch note.' })
    expect(await pathsFor('amber')).toEqual(['memory/a.md'])
    expect(await pathsFor('birch')).toEqual([])
    store.db.exec('COMMIT')
    expect(await pathsFor('amber')).toEqual([])
    expect(await pathsFor('birch')).toEqual(['memory/a.md'])
    remove('memory/a.md')
    expect(await pathsFor('birch')).toEqual([])
  })

  it('an older index without encoded terms returns the same results', async () => {
    put('memory/a.md', '# Trees\n\nAmber and birch, 数据库里.')
    put('memory/b.md', 'Birch.')
    const answers = async () => {
      const searcher = new Searcher(reader(), undefined)
      const asked = ['amber birch', '"and birch"', '数据', '"数据库里" trees']
      return Promise.all(asked.map(async (query) => (await searcher.search(query, settings, {}, false)).results))
    }
    const before = await answers()
    store.db.exec('DROP TABLE chunk_terms')
    expect(await answers()).toEqual(before)
    expect(before.map((results) => results.length)).toEqual([2, 1, 1, 1])
  })

  it('a search matches any of its words and all of its phrases', async () => {
    put('memory/a.md', 'Amber and birch stand here.')
    put('memory/b.md', 'Birch and amber stand there; the data is in 数据库里.')
    const searcher = new Searcher(reader(), undefined)
    const pathsFor = async (query: string) =>
      (await searcher.search(query, settings, {}, false)).results.map((result) => result.path).sort()
    expect(await pathsFor('amber')).toEqual(['memory/a.md', 'memory/b.md'])
    expect(await pathsFor('"amber and birch"')).toEqual(['memory/a.md'])
    expect(await pathsFor('stand "birch and amber"')).toEqual(['memory/b.md'])
    expect(await pathsFor('stand "birch" "amber and"')).toEqual(['memory/a.md'])
    expect(await pathsFor('"数据库里"')).toEqual(['memory/b.md'])
    expect(await pathsFor('"cedar" amber')).toEqual([])
    expect(await pathsFor('？！ "" - * NEAR(')).toEqual([])
  })

  it('a snapshot is used only if it is complete and belongs to this index', async () => {
    const db = store.db
    for (const word of ['amber', 'birch', 'cedar']) put(`memory/${word}.md`, `The ${word} note.`)
    const keep = async () => {
      const kept = toKept(db, { words: built().toParts(), meaning: undefined })
      await writeKept(db.name, kept ?? Buffer.alloc(0))
    }
    const keptChunks = () => readKept(reader())?.words.segments.map(({ ids }) => ids.length)
    expect(keptChunks()).toBeUndefined()
    await keep()
    expect(keptChunks()).toEqual([3])
    // Changes since the snapshot are read incrementally.
    put('memory/fern.md', 'The fern note.')
    remove('memory/amber.md')
    expect(keptChunks()).toEqual([3])
    // Changes lost in a power failure: new chunks get the ids of the lost ones.
    await keep()
    db.prepare("UPDATE chunks SET hash = 'other' WHERE path = 'memory/fern.md'").run()
    expect(keptChunks()).toBeUndefined()
    await keep()
    db.exec("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'chunks'")
    expect(keptChunks()).toBeUndefined()
    db.exec("UPDATE sqlite_sequence SET seq = 9 WHERE name = 'chunks'")
    expect(keptChunks()).toEqual([3])
    const file = snapshotPathOf(db.name)
    const whole = readFileSync(file)
    for (const broken of [whole.subarray(0, -9), Buffer.from('no such thing'), Buffer.alloc(0)]) {
      writeFileSync(file, broken)
      expect(keptChunks()).toBeUndefined()
    }
    writeFileSync(file, whole)
    db.prepare('UPDATE meta SET value = ? WHERE key = ?').run('another index', identityKey)
    expect(keptChunks()).toBeUndefined()
  })
})
