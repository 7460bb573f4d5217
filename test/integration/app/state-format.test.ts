/** State folders of older and newer versions (src/main/app/agents/state-format.ts). */
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { raiseStateFormat, readStateFormat, stateFormat } from '../../../src/main/app/agents/state-format.ts'
import { startServer } from '../../../src/main/app/server/start-server.ts'
import { mainFolder } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { temporaryFolder, until } from '../../support/folder.ts'
import { expectedOf, hashesIn, tellChats, tellNotes, unpackHome } from '../../support/stored-home.ts'

const main = { agent: 'main' }
const now = () => new Date('2026-11-22T13:00:00Z')

async function unpacked(): Promise<{ root: string; state: string }> {
  const root = await realpath(await temporaryFolder())
  await unpackHome('home-0.1.0', root)
  return { root, state: join(root, 'state') }
}

const start = (home: string) => startServer({ mainFolder, env: {}, home, now })

const change = async (file: string, edit: (text: string) => string) =>
  writeFile(file, edit(await readFile(file, 'utf8')))

/** Adds a field to each object in JSON, at every depth, as a newer version could. */
const withField = (text: string) =>
  JSON.stringify(
    JSON.parse(text, (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, newField: 'kept' } : value,
    ),
  )
const withFieldInLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '\n' : `${withField(line)}\n`))
    .join('')

const count = async (file: string) => (await readFile(file, 'utf8')).split('"newField"').length - 1

describe('a state folder of the next version', () => {
  it('opens with everything in it, and keeps what only the next version reads', async () => {
    const { root, state } = await unpacked()
    const agent = join(state, 'agents/main')
    const chat = join(agent, 'sessions/2026-11-22T12-00-06-953Z_f5a7d1fb.jsonl')
    const files = {
      clients: join(state, 'clients.json'),
      inbox: join(agent, 'upkeep/inbox.json'),
      accepted: join(state, 'history/main/accepted.json'),
      checks: join(agent, 'checks/checks.jsonl'),
    }
    await change(files.clients, withField)
    await change(files.inbox, withField)
    await change(files.accepted, withField)
    await change(files.checks, withFieldInLines)
    await change(join(state, 'history/main/journal.jsonl'), withFieldInLines)
    const entry = { type: 'newKind', id: 'ffffffff', parentId: null, timestamp: now().toISOString(), newField: 1 }
    await change(chat, (text) => `${text}${JSON.stringify(entry)}\n`)
    await change(join(state, 'config.yaml'), (text) => `${text}\nnewSection: { newField: kept } # a comment\n`)
    await writeFile(join(state, 'new-file.json'), '{}')
    await writeFile(join(state, 'format.json'), JSON.stringify({ format: stateFormat + 1, newField: 'kept' }))
    const before = { clients: await count(files.clients), checks: await count(files.checks) }

    const server = await start(state)
    onTestFinished(() => server.close())
    const client = await connect(server.url)
    await client.search.settle({ ...main, vectors: true })
    const told = (text: string) => text.replaceAll('\\', '/').replace(root.replaceAll('\\', '/'), '')
    const expected = (await expectedOf('home-0.1.0')) as { main: Record<string, unknown> }
    expect(await tellNotes(client, 'main')).toEqual(expected.main['notes'])
    const chats = (await tellChats(client, 'main', told)) as Record<string, unknown>
    // The order depends on the time of the files.
    expect(Object.keys(chats).toSorted()).toEqual(Object.keys(expected.main['chats'] as object).toSorted())
    const { problems } = await client.settings.get()
    expect(problems.map(({ key }) => key)).toContain('newSection')

    // Each action writes a file as a whole.
    await client.clients.update({ client: 'codex', permission: 'read' })
    await client.settings.set({ path: ['interface', 'theme'], value: 'light' })
    await client.history.accept({ ...main, hunk: { commit: '0'.repeat(40), key: 'abc' } })
    const { open } = await client.upkeep.list(main)
    await client.upkeep.refuse({ ...main, ids: open.slice(0, 1).map(({ id }) => id) })
    const relevant = [{ path: 'MEMORY.md', startLine: 1, endLine: 1 }]
    await client.checks.add({ ...main, question: { query: 'Who?', relevant } })
    await client.sessions.rename({ ...main, session: '2026-11-22T12-00-06-953Z_f5a7d1fb', name: 'Renamed' })
    await until(async () => (await readFile(chat, 'utf8')).includes('Renamed'))

    const clients = JSON.parse(await readFile(files.clients, 'utf8')) as { id: string; permission: string }[]
    expect(clients.find(({ id }) => id === 'codex')?.permission).toBe('read')
    expect({ clients: await count(files.clients), checks: await count(files.checks) }).toEqual(before)
    // The three proposals and their parts; the file itself is not one of them.
    expect(await count(files.inbox)).toBeGreaterThan(open.length)
    expect(await count(files.accepted)).toBe(1)
    expect(await readFile(chat, 'utf8')).toContain(JSON.stringify(entry))
    expect(await readFile(join(state, 'config.yaml'), 'utf8')).toContain('newSection: { newField: kept } # a comment')
    expect(await readFile(join(state, 'new-file.json'), 'utf8')).toBe('{}')
    // The version is not lowered, so the next version need not convert again.
    expect(await readFile(join(state, 'format.json'), 'utf8')).toContain(`"format":${stateFormat + 1}`)
    expect(Object.keys(await hashesIn(state)).filter((file) => file.includes('damaged'))).toEqual([])
  })
})

describe('a state folder that is two steps newer', () => {
  it('is refused with a clear sentence, and nothing is changed', async () => {
    const { root, state } = await unpacked()
    await writeFile(join(state, 'format.json'), JSON.stringify({ format: stateFormat + 2 }))
    const before = await hashesIn(root)
    await expect(start(state)).rejects.toMatchObject({
      code: 'state_newer',
      message: `${state} was written by a newer version of Commonplace. Install that version. Nothing was changed.`,
    })
    expect(await hashesIn(root)).toEqual(before)
  })
})

describe('the version of a state folder', () => {
  it('is 1 without a readable file, and is raised but never lowered', async () => {
    const folder = await temporaryFolder()
    expect(await readStateFormat(folder)).toBe(1)
    await raiseStateFormat(folder, 1)
    expect(await hashesIn(folder)).toEqual({})
    await raiseStateFormat(folder, 2)
    expect(await readStateFormat(folder, 1)).toBe(2)
    await raiseStateFormat(folder, 1)
    expect(await readFile(join(folder, 'format.json'), 'utf8')).toBe('{"format":2}')
    await raiseStateFormat(folder, 3)
    await expect(readStateFormat(folder, 1)).rejects.toMatchObject({ code: 'state_newer' })
    await writeFile(join(folder, 'format.json'), '{"form')
    expect(await readStateFormat(folder)).toBe(1)
  })
})
