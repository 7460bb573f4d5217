import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { searchModes } from '../../../src/shared/contract/search.ts'
import { openTestApp } from '../../support/app.ts'
import { until, writeFiles } from '../../support/folder.ts'
import { startTroubledEmbeddings, type TroubledServer } from '../../support/troubled-embeddings.ts'

const { classic } = searchModes
const remark = (at: number) => `- remark ${at} about the weather, the garden, the neighbours and their dog`
const log = (...lines: string[]) => `# Log\n\n${lines.join('\n')}\n`
const remarks = Array.from({ length: 60 }, (_, at) => remark(at + 1))

const embeddingOf = ({ url }: TroubledServer, reach: string) =>
  `provider: openai-compatible, model: hashed, baseUrl: "${url}", reach: ${reach}`

async function open(files: Record<string, string>, config: string) {
  const { app, client, home, workspace } = await openTestApp({ files, config, watch: true })
  const { memory } = await app.agents.get('main')
  await memory.settle(10_000)
  await memory.waitForVectors()
  return {
    app,
    home,
    workspace,
    memory,
    client,
    config: join(home, 'config.yaml'),
    index: join(home, 'memory', 'main.sqlite'),
  }
}

const configWith = (embedding: string, memory = '') =>
  `agents:\n  defaults: { memory: { embedding: { ${embedding} }${memory} } }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n`
const chunked = ', chunking: { unit: tokens }'

interface Row {
  readonly path: string
  readonly start: number
  readonly end: number
  readonly text: string
  readonly private: number
}

/** Returns no units while the file is replaced. */
function unitsIn(file: string): Row[] {
  let db: Database.Database | undefined
  try {
    db = new Database(file, { readonly: true })
    return db
      .prepare<[], Row>(
        `SELECT path, start_line AS start, end_line AS end, text, private
         FROM units JOIN files ON files.id = file_id ORDER BY path, seq`,
      )
      .all()
  } catch {
    return []
  } finally {
    db?.close()
  }
}

describe('chunks instead of entries', () => {
  it('divide chats by message', async () => {
    const message = (role: string, text: string) =>
      JSON.stringify({ type: 'message', timestamp: '2026-03-01T10:00:00.000Z', message: { role, content: text } })
    const { home, memory, index } = await open({}, configWith('provider: none', chunked))
    const chat = [
      message('user', 'The walrus is our mascot.'),
      '{"type":"custom"}',
      message('user', 'We sail on Sunday.'),
    ]
    await writeFiles(home, { 'agents/main/sessions/one.jsonl': `${chat.join('\n')}\n` })
    await memory.reindex()
    expect(unitsIn(index).filter(({ path }) => path.startsWith('sessions/'))).toEqual([
      {
        path: 'sessions/one.jsonl',
        start: 1,
        end: 3,
        text: '- User: The walrus is our mascot.\n- User: We sail on Sunday.',
        private: 0,
      },
    ])
  })
})

describe('private lines', () => {
  const secret = 'the safe code is 7781'
  // Line 20 of the note is in the overlap of the first two chunks.
  const overlap = remarks.with(17, `- ${secret} ^[private]\n  and more of the secret`)
  it.each([
    ['in the overlap', { 'MEMORY.md': log(...overlap) }],
    ['of a note', { 'MEMORY.md': log(...remarks), 'memory/safe.md': `---\nvisibility: private\n---\n\n- ${secret}\n` }],
  ])('%s are in chunks of their own, and never sent', async (_name, files) => {
    const server = await startTroubledEmbeddings()
    const { memory, index, client } = await open(files, configWith(embeddingOf(server, 'remote'), chunked))
    await until(() => server.texts().length > 1)
    expect(server.texts().filter((text) => /secret|safe|7781|Health/.test(text))).toEqual([])
    const units = unitsIn(index)
    const isSecret = ({ text }: Row) => /secret|safe code|Health/.test(text)
    expect(units.filter(isSecret).length).toBeGreaterThan(0)
    expect(units.filter(isSecret).every((unit) => unit.private === 1)).toBe(true)
    expect(units.filter((unit) => !isSecret(unit)).every((unit) => unit.private === 0)).toBe(true)
    for (const { path, start, end } of units.filter(isSecret))
      for (const open of units.filter((unit) => unit.path === path && unit.private === 0))
        expect(open.end < start || end < open.start).toBe(true)
    const forAll = await client.search.query({ agent: 'main', query: 'safe code 7781', options: { hasPrivate: false } })
    expect(JSON.stringify(forAll.results)).not.toContain('7781')
    expect((await memory.search('safe code 7781')).results[0]).toMatchObject({ isPrivate: true })
    // The open lines are sent.
    const sent = server.texts().join('\n')
    expect([1, 5, 30, 60].filter((at) => !sent.includes(remark(at)))).toEqual([])
  })
})

describe('the choice of classic settings', () => {
  const untidy =
    '# my settings\r\nagents:\r\n  list:\r\n    - id: \'main\' # the only one\r\n      workspace: "{{workspace}}"\r\n' +
    '      memory: { search: { maxResults: 9 }, embedding: { provider: none } }\r\nupdates: {}\r\n'

  it.each([['comments, quotes, order and line ends', untidy]])(
    'is undone byte for byte: %s',
    async (_name, text) => {
      const { client, config, memory, index } = await open({ 'MEMORY.md': log(...remarks) }, text)
      const before = await readFile(config)
      const change = await client.search.setSettings({ agent: 'main', settings: classic })
      expect(await client.search.settings({ agent: 'main' })).toEqual(classic)
      await until(() => unitsIn(index).length === 4)
      const { results } = await memory.search('remark garden', { minScore: 0 })
      expect(results.map(({ snippet }) => snippet.length).toSorted()).toEqual([648, 700, 700, 700])
      await client.settings.undo(change)
      expect(await readFile(config)).toEqual(before)
      expect((await client.search.settings({ agent: 'main' })).chunking?.unit).toBe('entry')
      await until(() => unitsIn(index).length === 60)
    },
    30_000,
  )
})
