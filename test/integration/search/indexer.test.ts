import { existsSync } from 'node:fs'
import { rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EmbeddingSource } from '../../../src/main/search/embeddings/create-embeddings.ts'
import { Indexer, type IndexerEvent, type IndexerSettings } from '../../../src/main/search/indexing/indexer.ts'
import { unitHash } from '../../../src/main/search/units/prepare-units.ts'
import { resolveRules, rulesForFolder } from '../../../src/main/workspace/privacy/index.ts'
import { folderWith, temporaryFolder } from '../../support/folder.ts'
import { createOldIndex } from '../../support/outdated-index.ts'
import { startTroubledEmbeddings } from '../../support/troubled-embeddings.ts'

const noEmbedding: EmbeddingSource = {
  provider: 'none',
  model: '',
  baseUrl: undefined,
  batchSize: 4,
  apiKey: undefined,
  isLocal: true,
  allowDownload: false,
  modelsFolder: '',
  outboundFile: '',
  builtinFile: '',
}

async function remoteEmbedding(baseUrl: string): Promise<EmbeddingSource> {
  const outboundFile = join(await temporaryFolder(), 'outbound.jsonl')
  return { ...noEmbedding, provider: 'openai-compatible', model: 'hashed', baseUrl, isLocal: false, outboundFile }
}

/** An indexer of the workspace that has synced once; `events` are those so far. */
async function openIndexer(workspace: string, file: string, settings: Partial<IndexerSettings> = {}) {
  const events: IndexerEvent[] = []
  const indexer = new Indexer(
    {
      file,
      folders: [{ source: 'memory', folder: workspace, prefix: '', forbidden: [] }],
      notes: [],
      embedding: noEmbedding,
      debounceMs: 20,
      watch: false,
      retryMs: 100,
      ...settings,
    },
    (event) => events.push(event),
  )
  onTestFinished(() => indexer.close())
  await indexer.open()
  await indexer.flush(10_000)
  return { indexer, events }
}

function rulesFor(workspace: string, rules: readonly string[]): Pick<IndexerSettings, 'notes'> {
  const privateRules = rulesForFolder(workspace, resolveRules(workspace, rules))
  return { notes: [{ prefix: '', privateRules }] }
}

interface Row {
  readonly id: number
  readonly path: string
  readonly text: string
  readonly line: number
  readonly private: number
}

function read<T>(file: string, sql: string): T[] {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare<[], T>(sql).all()
  db.close()
  return rows
}

function unitsIn(file: string): Row[] {
  return read<Row>(
    file,
    `SELECT units.id, path, text, start_line AS line, private
     FROM units JOIN files ON files.id = file_id ORDER BY path, seq`,
  )
}

const docsIn = (file: string, table: string, term: string) =>
  read<{ doc: number }>(file, `SELECT DISTINCT doc FROM ${table}_hits WHERE term = '${term}'`).map(({ doc }) => doc)

const notes = {
  'MEMORY.md': '# House\n\n- The boiler is old\n- The roof leaks\n',
  'memory/diary.md': '# Diary\n\nA seal came by.\n',
}

async function openNotes(settings: Partial<IndexerSettings> = {}) {
  const workspace = await folderWith(notes)
  const file = join(await temporaryFolder(), 'index.sqlite')
  return { workspace, file, ...(await openIndexer(workspace, file, settings)) }
}

it('reports files that are written while the first scan runs, and no older ones', async () => {
  const workspace = await folderWith({ 'memory/old.md': 'Old\n' })
  await utimes(join(workspace, 'memory/old.md'), new Date(2026, 0, 1), new Date(2026, 0, 1))
  const file = join(await temporaryFolder(), 'index.sqlite')
  await writeFile(join(workspace, 'memory/new.md'), 'New\n')
  const { events } = await openIndexer(workspace, file)
  const reported = () => events.flatMap((event) => (event.type === 'files' ? event.paths : []))
  await expect.poll(reported).toEqual(['memory/new.md'])
})

describe('indexing files', () => {
  it('keeps the ids of units on unchanged lines', async () => {
    const { workspace, file, indexer } = await openNotes()
    const before = unitsIn(file)
    await writeFile(
      join(workspace, 'MEMORY.md'),
      '# House\n\n- The cellar is wet\n- The boiler is new\n- The roof leaks\n',
    )
    indexer.notifyWritten(['MEMORY.md'])
    await indexer.flush(10_000)
    const idOf = (units: readonly Row[], text: string) => units.find((unit) => unit.text === text)?.id
    const after = unitsIn(file)
    expect(idOf(after, 'The roof leaks')).toBe(idOf(before, 'The roof leaks'))
    expect(after.find(({ text }) => text === 'The roof leaks')?.line).toBe(5)
    expect(idOf(after, 'The boiler is new')).toBeGreaterThan(Math.max(...before.map(({ id }) => id)))
    expect(idOf(after, 'The boiler is old')).toBeUndefined()
    expect(docsIn(file, 'note_terms', 'old')).toEqual([])
  })
})

describe('rules for private notes', () => {
  it('move the units of a note to the private tables and back, although its text is the same', async () => {
    const { workspace, file, indexer } = await openNotes()
    await indexer.close()
    const hits = () => ({
      open: docsIn(file, 'note_terms', 'seal').length,
      private: docsIn(file, 'private_note_terms', 'seal').length,
      word: read(file, "SELECT private FROM words WHERE word = 'seal'"),
      columns: unitsIn(file).map((unit) => [unit.path, unit.private]),
    })
    const open = hits()
    expect(open).toMatchObject({ open: 1, private: 0, word: [{ private: 0 }] })
    const { indexer: strict } = await openIndexer(workspace, file, rulesFor(workspace, ['memory/']))
    expect(hits()).toEqual({
      open: 0,
      private: 1,
      word: [{ private: 1 }],
      columns: [
        ['MEMORY.md', 0],
        ['MEMORY.md', 0],
        ['memory/diary.md', 1],
      ],
    })
    await strict.close()
    await openIndexer(workspace, file, rulesFor(workspace, []))
    expect(hits()).toEqual(open)
  })

  it('hide a note as soon as the index is open, even if its file cannot be read', async () => {
    const { workspace, file, indexer } = await openNotes()
    await indexer.close()
    expect(docsIn(file, 'note_terms', 'seal')).toHaveLength(1)
    await rename(workspace, `${workspace}-moved`)
    onTestFinished(() => rm(`${workspace}-moved`, { recursive: true }))
    const { indexer: strict } = await openIndexer(workspace, file, rulesFor(workspace, ['memory/']))
    expect(strict.status().problems).toMatchObject([{ code: 'folder_unreadable' }])
    expect(unitsIn(file).map(({ path }) => path)).toEqual(['MEMORY.md', 'MEMORY.md'])
    expect(docsIn(file, 'note_terms', 'seal')).toEqual([])
  })

  it('hide a note in the old index during a rebuild', async () => {
    const { workspace, file, indexer } = await openNotes()
    await indexer.close()
    const embedding = { ...(await remoteEmbedding('http://127.0.0.1:9/v1')), isLocal: true }
    const { events } = await openIndexer(workspace, file, { ...rulesFor(workspace, ['memory/']), embedding })
    expect(events).toContainEqual({ type: 'replace' })
    expect(unitsIn(file).map(({ path }) => path)).toEqual(['MEMORY.md', 'MEMORY.md'])
    expect(unitsIn(`${file}.next`).map((unit) => unit.private)).toEqual([0, 0, 1])
  })
})

describe('embedding', () => {
  const twiceSent = (texts: readonly string[]) => texts.filter((text, at) => texts.indexOf(text) !== at)

  it('sends no private text and no chat to a remote provider', async () => {
    const server = await startTroubledEmbeddings()
    const workspace = await folderWith({
      ...notes,
      'memory/mixed.md': '- The open garden\n- The secret garden ^[local]\n',
      'memory/own.md': '---\nvisibility: local\n---\nThe hidden diary\n',
    })
    const sessions = await folderWith({
      'one.jsonl': `${JSON.stringify({ type: 'message', id: 'a', message: { role: 'user', content: 'The talk' } })}\n`,
    })
    const file = join(await temporaryFolder(), 'index.sqlite')
    const { indexer } = await openIndexer(workspace, file, {
      ...rulesFor(workspace, ['memory/diary.md']),
      folders: [
        { source: 'memory', folder: workspace, prefix: '', forbidden: [] },
        { source: 'sessions', folder: sessions, prefix: 'sessions/', forbidden: [] },
      ],
      embedding: await remoteEmbedding(server.url),
    })
    await indexer.embedded()
    expect(server.texts().toSorted()).toEqual(['The boiler is old', 'The open garden', 'The roof leaks'])
    const unsent = read<{ id: number }>(file, 'SELECT id FROM units WHERE vector IS NULL').length
    expect(unsent).toBeGreaterThanOrEqual(4)
    expect(indexer.status().problems).toEqual([
      { code: 'passages_local', message: `${unsent} texts are private: only keyword search finds them` },
    ])
  })

  it('sends equal texts once, also after their headings have changed', async () => {
    const server = await startTroubledEmbeddings()
    Object.assign(server, { trouble: 'slow', delayMs: 50 })
    const entries = Array.from({ length: 40 }, (_, at) => `- Entry number ${at % 7}\n`).join('')
    const workspace = await folderWith({ 'MEMORY.md': `# One\n\n${entries}`, 'memory/copy.md': `# Two\n\n${entries}` })
    const file = join(await temporaryFolder(), 'index.sqlite')
    const { indexer } = await openIndexer(workspace, file, { embedding: await remoteEmbedding(server.url) })
    expect((await indexer.embedded()).status).toMatchObject({ units: 80, embedded: 80 })
    await writeFile(join(workspace, 'MEMORY.md'), `# Another\n\n${entries}`)
    indexer.notifyWritten(['MEMORY.md'])
    await indexer.flush(10_000)
    expect((await indexer.embedded()).status).toMatchObject({ units: 80, embedded: 80 })
    expect(twiceSent(server.texts())).toEqual([])
    expect(server.texts()).toHaveLength(7)
  })
})

describe('replacing an index', () => {
  it('rebuilds an index of an old schema next to it, and uses its vectors of equal texts', async () => {
    const server = await startTroubledEmbeddings()
    const workspace = await folderWith(notes)
    const file = join(await temporaryFolder(), 'index.sqlite')
    const vector = Float32Array.from({ length: 64 }, (_, at) => (at === 0 ? 1 : 0))
    const model = { provider: 'openai-compatible', model: 'hashed', address: server.url }
    createOldIndex(file, model, [{ hash: unitHash('The roof leaks'), vector }])
    const { indexer, events } = await openIndexer(workspace, file, { embedding: await remoteEmbedding(server.url) })
    expect(events).toContainEqual({ type: 'replace' })
    expect(read(file, 'SELECT text FROM chunks')).toHaveLength(1)
    await indexer.swap()
    expect((await indexer.embedded()).status).toMatchObject({ state: 'ready', units: 3, embedded: 3, problems: [] })
    expect(server.texts().toSorted()).toEqual(['A seal came by.', 'The boiler is old'])
    expect(unitsIn(file)).toHaveLength(3)
    expect(existsSync(`${file}.next`)).toBe(false)
  })

  it('resumes an interrupted rebuild', async () => {
    const workspace = await folderWith(notes)
    const file = join(await temporaryFolder(), 'index.sqlite')
    createOldIndex(file, { provider: 'openai', model: 'small' }, [])
    const { indexer } = await openIndexer(workspace, file)
    await indexer.close()
    const ids = unitsIn(`${file}.next`).map(({ id }) => id)
    const { indexer: again } = await openIndexer(workspace, file)
    await again.swap()
    expect(unitsIn(file).map(({ id }) => id)).toEqual(ids)
  })

  it('rebuilds a corrupt index and keeps the vectors that can be read', async () => {
    const server = await startTroubledEmbeddings()
    const { workspace, file, indexer } = await openNotes({ embedding: await remoteEmbedding(server.url) })
    await indexer.embedded()
    await indexer.close()
    const sent = server.texts().length
    const embedding = await remoteEmbedding(server.url)
    const { indexer: again, events } = await openIndexer(workspace, file, { embedding })
    await again.recover(true)
    expect(events).toContainEqual({ type: 'reopen' })
    expect((await again.embedded()).status).toMatchObject({ state: 'ready', units: 3, embedded: 3 })
    expect(again.status().problems).toMatchObject([{ code: 'index_damaged' }])
    expect(server.texts()).toHaveLength(sent)
  })

  it('moves a file aside that is not an index', async () => {
    const workspace = await folderWith(notes)
    const file = join(await temporaryFolder(), 'index.sqlite')
    await writeFile(file, 'this is no database at all, but it is long enough to look like one')
    const { indexer } = await openIndexer(workspace, file)
    expect(indexer.status()).toMatchObject({ units: 3, problems: [{ code: 'index_foreign' }] })
  })
})
