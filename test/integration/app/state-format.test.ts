/** State folders of newer versions (src/main/app/agents/state-folders.ts). */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { raiseStateFormat, readStateFormat, stateFormat } from '../../../src/main/app/agents/state-folders.ts'
import { startServer } from '../../../src/main/app/server/start-server.ts'
import type { ContractClient } from '../../../src/shared/contract/index.ts'
import { mainFolder, prepareFolders } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { temporaryFolder, textsIn, until } from '../../support/folder.ts'

const main = { agent: 'main' }
const now = () => new Date('2026-11-22T13:00:00Z')
const files = {
  'MEMORY.md': '# Memory\n\n- Anna prefers green tea in the morning\n',
  'memory/2026-11-02.md':
    '# 2026-11-02\n\n- Anna prefers **green tea** in the morning.\n- The garage is closed until Friday.\n',
  'notes/old.md': 'See [[Rentals]].\n',
  'notes/Rental.md': '# Rental\n\nThe rent is 1450 euros.\n',
}

async function start(home: string) {
  const server = await startServer({ mainFolder, env: {}, home, now })
  onTestFinished(() => server.close())
  return { server, client: await connect(server.url) }
}

/** Creates a state folder with a chat, a connected program, suggestions, an accepted change and a saved search. */
async function createHome() {
  const { home, workspace } = await prepareFolders({ files })
  const { server, client } = await start(home)
  await client.clients.meet({ client: 'codex', name: 'Codex' })
  await client.suggestions.look(main)
  await addCheck(client, 'Who?')
  const { session } = await client.chat.send({ ...main, text: 'Remember that Ben lives in Leiden.' })
  const messages = () => client.chats.get({ ...main, session }).then((chat) => chat.messages)
  await until(async () => (await messages()).at(-1)?.message.role === 'assistant')
  // The app writes the note after the answer.
  await until(async () => (await client.workspace.list(main)).some(({ path }) => path === 'memory/2026-11-22.md'))
  await client.history.timeline(main)
  await client.search.settle({ ...main, vectors: true })
  const content = { notes: await client.workspace.list(main), messages: await messages() }
  await server.close()
  return { root: dirname(home), state: home, workspace, session, content }
}

const addCheck = (client: ContractClient, query: string) =>
  client.savedSearches.add({
    ...main,
    question: { query, relevant: [{ path: 'MEMORY.md', startLine: 1, endLine: 1 }] },
  })

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
    const { state, session, content } = await createHome()
    const agent = join(state, 'agents/main')
    const chat = join(agent, `sessions/${session}.jsonl`)
    const files = {
      clients: join(state, 'clients.json'),
      inbox: join(agent, 'upkeep/inbox.json'),
      checks: join(agent, 'checks/checks.jsonl'),
    }
    await change(files.clients, withField)
    await change(files.inbox, withField)
    await change(files.checks, withFieldInLines)
    const parentId = content.messages.at(-1)?.id
    const entry = { type: 'newKind', id: 'ffffffff', parentId, timestamp: now().toISOString(), newField: 1 }
    await appendFile(chat, `${JSON.stringify(entry)}\n`)
    await appendFile(join(state, 'config.yaml'), '\nnewSection: { newField: kept } # a comment\n')
    await writeFile(join(state, 'new-file.json'), '{}')
    await writeFile(join(state, 'format.json'), JSON.stringify({ format: stateFormat + 1, newField: 'kept' }))
    const before = { clients: await count(files.clients), checks: await count(files.checks) }

    const { client } = await start(state)
    await client.search.settle({ ...main, vectors: true })
    expect(await client.workspace.list(main)).toEqual(content.notes)
    expect((await client.chats.get({ ...main, session })).messages).toEqual(content.messages)
    const { problems } = await client.settings.get()
    expect(problems.map(({ key }) => key)).toContain('newSection')

    // Each action writes a file as a whole.
    await client.clients.update({ client: 'codex', permission: 'read' })
    await client.settings.set({ path: ['interface', 'theme'], value: 'light' })
    const { open } = await client.suggestions.list(main)
    await client.suggestions.refuse({ ...main, ids: open.slice(0, 1).map(({ id }) => id) })
    await addCheck(client, 'Where?')
    await client.chats.rename({ ...main, session, name: 'Renamed' })
    await until(async () => (await readFile(chat, 'utf8')).includes('Renamed'))

    const { clients } = JSON.parse(await readFile(files.clients, 'utf8')) as {
      clients: { id: string; permission: string }[]
    }
    expect(clients.find(({ id }) => id === 'codex')?.permission).toBe('read')
    expect({ clients: await count(files.clients), checks: await count(files.checks) }).toEqual(before)
    // The proposals and their parts; the file itself is not one of them.
    expect(await count(files.inbox)).toBeGreaterThan(open.length)
    expect(await readFile(chat, 'utf8')).toContain(JSON.stringify(entry))
    expect(await readFile(join(state, 'config.yaml'), 'utf8')).toContain('newSection: { newField: kept } # a comment')
    expect(await readFile(join(state, 'new-file.json'), 'utf8')).toBe('{}')
    // The version is not lowered, so the next version need not convert again.
    expect(await readFile(join(state, 'format.json'), 'utf8')).toContain(`"format":${stateFormat + 1}`)
    expect(Object.keys(await textsIn(state)).filter((file) => file.includes('damaged'))).toEqual([])
  })
})

describe('a state folder that is two steps newer', () => {
  it('is refused with a clear sentence, and nothing is changed', async () => {
    const { root, state } = await createHome()
    await writeFile(join(state, 'format.json'), JSON.stringify({ format: stateFormat + 2 }))
    const before = await textsIn(root)
    await expect(startServer({ mainFolder, env: {}, home: state, now })).rejects.toMatchObject({
      code: 'state_newer',
      message: `${state} was written by a newer version of Commonplace. Install that version. Nothing was changed.`,
    })
    expect(await textsIn(root)).toEqual(before)
  })
})

describe('the version of a state folder', () => {
  it('is 1 without a readable file, and is raised but never lowered', async () => {
    const folder = await temporaryFolder()
    expect(await readStateFormat(folder)).toBe(1)
    await raiseStateFormat(folder, 1)
    expect(await textsIn(folder)).toEqual({})
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
