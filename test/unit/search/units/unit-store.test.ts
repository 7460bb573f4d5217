import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { builtinSimilarity } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import {
  fingerprint,
  openForWriting,
  setMeta,
  vectorDimensions,
  type Db,
} from '../../../../src/main/search/indexing/index-schema.ts'
import type { ResultSource } from '../../../../src/main/search/indexing/indexed-file.ts'
import { unitHash, type UnitSettings } from '../../../../src/main/search/units/prepare-units.ts'
import { createUnitTables, termTables, type TermTable } from '../../../../src/main/search/units/unit-schema.ts'
import { UnitStore } from '../../../../src/main/search/units/unit-store.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { randomOf } from '../../../support/random.ts'

const model = builtinSimilarity(builtinFile)
const withModel: UnitSettings = { model, folders: [] }
const withoutModel: UnitSettings = { folders: [] }
const opened: Db[] = []
let store: UnitStore

beforeEach(() => {
  store = newStore()
})

afterEach(() => {
  for (const db of opened.splice(0)) db.close()
})

function newStore(settings = withModel): UnitStore {
  const db = openForWriting(':memory:')
  opened.push(db)
  createUnitTables(db)
  return new UnitStore(db, settings)
}

function fileOf(text: string, path = 'note.md', source: ResultSource = 'memory') {
  return { path, source, text, hash: unitHash(text), mtime: 1, size: text.length }
}

function chatOf(text: string) {
  return { ...fileOf(text, 'sessions/one.jsonl', 'sessions'), lineDays: text.split('\n').map(() => '2026-03-05') }
}

const put = (text: string, path?: string, target = store) => target.replaceFile(target.prepare(fileOf(text, path)))

interface Row {
  readonly id: number
  readonly text: string
  readonly seq: number
  readonly start_line: number
  readonly section_id: number
}

function unitsOf(db: Db = store.db): Row[] {
  return db.prepare<[], Row>('SELECT * FROM units ORDER BY file_id, seq').all()
}

const isPrivate = (word: string) => store.db.prepare('SELECT private FROM words WHERE word = ?').pluck().get(word)

/** Ids of the units that have a term, by column. */
function hits(term: string, table: TermTable = 'note_terms'): unknown[] {
  return store.db.prepare(`SELECT doc, col FROM ${table}_hits WHERE term = ? ORDER BY doc, col`).raw().all(term)
}

/** Everything in the tables, with texts and paths instead of ids. */
function contentOf(db: Db): unknown {
  const all = (sql: string) => db.prepare(sql).raw().all()
  const unit = `SELECT path || ' ' || seq FROM units JOIN files ON files.id = file_id WHERE units.id`
  return {
    files: all('SELECT source, path, hash, mtime, size, words, tokens FROM files ORDER BY source, path'),
    units: all(
      `SELECT path, seq, heading, entry, start_line, end_line, first_day, last_day, private, is_chat, flags, length,
              vector, units.hash, label, context, text,
              (SELECT min(seq) FROM units AS other WHERE other.section_id = units.section_id)
       FROM units JOIN files ON files.id = units.file_id JOIN sections ON sections.id = section_id ORDER BY path, seq`,
    ),
    sections: all('SELECT count(*) FROM sections'),
    terms: termTables.map((table) => [
      all(`SELECT term, (${unit} = doc) AS unit, col FROM ${table}_hits ORDER BY term, unit, col`),
      all(`SELECT term, col, doc FROM ${table}_counts ORDER BY term, col`),
    ]),
    words: all('SELECT * FROM words ORDER BY word'),
    codes: all(`SELECT (${unit} = unit_id) AS unit, code, length, private, is_chat FROM unit_codes ORDER BY unit`),
    tags: all('SELECT path, tag, line FROM note_tags JOIN files ON files.id = file_id ORDER BY 1, 2, 3'),
    properties: all(
      'SELECT path, name, line, value FROM note_properties JOIN files ON id = file_id ORDER BY 1, 2, 3, 4',
    ),
    names: all('SELECT path, place, note_names.name FROM note_names JOIN files ON files.id = file_id ORDER BY 1, 2'),
  }
}

describe('replacing a file', () => {
  it('stores units that another change has removed since the file was prepared', () => {
    put('- boiler\n- roof')
    const prepared = store.prepare(fileOf('- boiler\n- attic'))
    put('- roof')
    store.replaceFile(prepared)
    expect(unitsOf().map(({ text }) => text)).toEqual(['boiler', 'attic'])
    expect(hits('boiler')).toHaveLength(1)
  })

  const pieces = [
    '# House',
    '## Boiler',
    '# Garden',
    '- boiler is old',
    '- call Ana about the boiler',
    '  - nested item',
    '',
    '',
    'A paragraph about gardening #tag',
    '- 数据库在哪里？',
    '- secret walrus ^[local]',
    '# Diary ^[local]',
    'Ana: hello there',
    '| a | b |\n|---|---|\n| cell | other |',
    '```\ncode here\n```',
    '- boiler is old',
    'key:: value',
    '## 2026-10-03',
    'The walrus swam far out to the cold sea today. '.repeat(12),
  ]
  const pathsOfVault = ['a.md', 'memory/2026-10-03.md', 'b.md']

  it.each(Array.from({ length: 10 }, (_, seed) => ({ seed })))(
    'has the same content as a new index after random changes ($seed)',
    ({ seed }) => {
      const random = randomOf(seed)
      const below = (limit: number) => Math.floor(random() * limit)
      const pick = () => pieces[below(pieces.length)] ?? ''
      const texts = new Map(pathsOfVault.map((path) => [path, Array.from({ length: 12 }, pick)]))
      const chat = ['- User: hello there', '', '- Assistant: the boiler is old']
      for (let round = 0; round < 12; round += 1) {
        const path = pathsOfVault[below(pathsOfVault.length)] ?? ''
        const lines = texts.get(path) ?? Array.from({ length: 5 }, pick)
        const at = below(lines.length + 1)
        if (random() < 0.1) {
          store.removeFile('memory', path)
          texts.delete(path)
          continue
        }
        if (random() < 0.1) lines.unshift('---\ntitle: Furnace\ntags: [old]\n---')
        else if (random() < 0.3) lines.splice(below(lines.length), 1, ...lines.splice(at, 2))
        else lines.splice(at, below(3), pick(), pick())
        texts.set(path, lines)
        put(lines.join('\n'), path)
        chat.push(`- User: ${pick()}`.split('\n', 1)[0] ?? '')
        store.replaceFile(store.prepare(chatOf(chat.join('\n'))))
      }
      const fresh = newStore()
      for (const [path, lines] of texts) put(lines.join('\n'), path, fresh)
      if (chat.length > 3) fresh.replaceFile(fresh.prepare(chatOf(chat.join('\n'))))
      expect(contentOf(store.db)).toEqual(contentOf(fresh.db))
    },
  )
})

describe('tables of terms', () => {
  it('separate notes from chats and open units from private ones', () => {
    put('- open dolphin\n- secret dolphin ^[local]')
    store.replaceFile(store.prepare(chatOf('- User: said dolphin\n- User: hidden dolphin ^[local]')))
    const [open, secret, said, hidden] = unitsOf().map(({ id }) => id)
    const unitsByTable = Object.fromEntries(termTables.map((table) => [table, hits('dolphin', table)]))
    expect(unitsByTable).toEqual({
      note_terms: [[open, 'text']],
      private_note_terms: [[secret, 'text']],
      chat_terms: [[said, 'text']],
      private_chat_terms: [[hidden, 'text']],
    })
    const codes = store.db.prepare('SELECT unit_id, private, is_chat FROM unit_codes ORDER BY unit_id').raw().all()
    expect(codes).toEqual([
      [open, 0, 0],
      [secret, 1, 0],
      [said, 0, 1],
      [hidden, 1, 1],
    ])
  })

  it('move a unit that becomes private', () => {
    put('- dolphin')
    put('---\nvisibility: local\n---\n- dolphin')
    expect(hits('dolphin')).toEqual([])
    expect(hits('dolphin', 'private_note_terms')).toHaveLength(1)
  })
})

describe('words', () => {
  it('are private only while no open unit has them', () => {
    put('- open walrus\n- secret walrus and dolphin ^[local]')
    expect([isPrivate('walrus'), isPrivate('dolphin')]).toEqual([0, 1])
    put('- secret walrus and dolphin ^[local]')
    expect(isPrivate('walrus')).toBe(1)
    put('- dolphin', 'other.md')
    expect(isPrivate('dolphin')).toBe(0)
  })
})

describe('vectors', () => {
  it('of other models are stored for each text without one', () => {
    store = newStore(withoutModel)
    put('- Ana: one\n- Ana: two\n- hidden ^[local]')
    expect(store.counts().embedded).toBe(0)
    const [first, ...others] = store.textsToEmbed(0, 10)
    expect(first).toMatchObject({ text: 'one', hash: unitHash('one') })
    expect(others.map(({ text }) => text)).toEqual(['two', 'hidden'])
    const vector = Float32Array.of(0.6, -0.8, 0)
    store.storeVectors('openai', 'small', [{ id: first?.id ?? 0, hash: unitHash('one'), vector }])
    expect(store.counts().embedded).toBe(1)
    expect(store.textsToEmbed(0, 10).map(({ text }) => text)).toEqual(['two', 'hidden'])
    expect(store.textsToEmbed(others[0]?.id ?? 0, 10).map(({ text }) => text)).toEqual(['hidden'])
    expect(store.db.prepare('SELECT vector FROM embedding_cache').pluck().all()).toEqual([Buffer.from(vector.buffer)])
    expect(store.db.prepare('SELECT code FROM unit_codes').pluck().all()).toEqual([Buffer.of(1)])
    expect(vectorDimensions(store.db)).toBe(3)
    store.resetVectors(4)
    expect(store.counts().embedded).toBe(0)
    expect(vectorDimensions(store.db)).toBe(4)
  })

  it('of other models are removed, and those of removed units with them', () => {
    store = newStore(withoutModel)
    setMeta(store.db, 'fingerprint', fingerprint({ provider: 'openai', model: 'small' }))
    for (const text of ['one', 'two']) put(text, `${text}.md`)
    const texts = store.textsToEmbed(0, 10)
    const vector = Float32Array.of(0.6, -0.8, 0)
    const cached = () => store.db.prepare('SELECT model, hash FROM embedding_cache ORDER BY id').raw().all()
    for (const text of texts) store.storeVectors('openai', 'small', [{ ...text, vector }])
    store.removeFile('memory', 'two.md')
    store.removeUnusedVectors(false)
    expect(cached()).toHaveLength(2)
    store.removeUnusedVectors(true)
    expect(cached()).toEqual([['small', unitHash('one')]])
    for (const [provider, model] of [
      ['gemini', 'small'],
      ['openai', 'tiny'],
      ['openai', 'large'],
    ] as const) {
      store.storeVectors(provider, model, [{ id: 0, hash: 'other', vector }])
      expect(cached()).toHaveLength(2)
      store.removeUnusedVectors(false)
      expect(cached()).toEqual([['small', unitHash('one')]])
    }
  })

  it('of the built-in model are computed later if it could not be loaded', () => {
    store = newStore({ model: builtinSimilarity('/missing/model.bin'), folders: [] })
    put('- the old boiler\n- a walrus\n- a seal')
    expect(store.counts().embedded).toBe(0)
    const repaired = new UnitStore(store.db, withModel)
    const last = repaired.storeMissingCodes(0, 2)
    expect(repaired.storeMissingCodes(last ?? 0, 2)).toBeDefined()
    expect(repaired.storeMissingCodes(0, 2)).toBeUndefined()
    const fresh = newStore()
    put('- the old boiler\n- a walrus\n- a seal', 'note.md', fresh)
    expect(contentOf(store.db)).toEqual(contentOf(fresh.db))
  })

  it('of a remote model are not made of private units and of chats', () => {
    store = newStore(withoutModel)
    put('- open\n- hidden ^[local]')
    store.replaceFile(store.prepare(chatOf('- User: what is hidden?')))
    expect(store.textsToEmbed(0, 10, true).map(({ text }) => text)).toEqual(['open'])
    expect(store.textsToEmbed(0, 10)).toHaveLength(3)
    expect(store.countUnsent()).toBe(2)
  })
})
