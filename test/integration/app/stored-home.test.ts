/** A home of version 0.1.0 opens without loss (test/fixtures/README.md). */
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startServer, type RunningServer } from '../../../src/main/app/server/start-server.ts'
import type { ContractClient } from '../../../src/shared/contract/index.ts'
import { mainFolder } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { electron, emptyApp } from '../../support/electron/shell.ts'
import { textsIn } from '../../support/folder.ts'
import {
  expectedOf,
  hashesIn,
  tellAgents,
  tellChats,
  tellHistory,
  tellInbox,
  tellKept,
  tellNotes,
  tellSettings,
  tellShared,
  unpackHome,
} from '../../support/stored-home.ts'

vi.mock('electron', async () => (await import('../../support/electron/shell.ts')).electron)
const { openKeyVault } = await import('../../../src/main/app/electron/key-vault.ts')

const name = 'home-0.1.0'
const main = { agent: 'main' }
const now = () => new Date('2026-11-22T13:00:00Z')
/** Folders of the user. */
const userFolders = ['workspace', 'work', 'old', 'extra', 'folder']
/** Removed settings of version 0.1.0; for agents without the prefix `agents.defaults`. */
const droppedSettings = [
  'agents.list.1.vault.linkPaths',
  'agents.list.1.vault.links',
  'agents.list.1.vault.newNotes',
  'agents.list.2.memory.embedding.dimensions',
  'chat.maxSteps',
  'chat.memoryTool',
  'chat.requestTimeout',
  'chat.toolOutputCharacters',
  'chat.toolTimeout',
  'history.keepDays',
  'mcp.servers.tools-a.cwd',
  'memory.chunk',
  'memory.embedding.batchSize',
  'memory.search.mmrLambda',
  'models.anthropic/test-model.prices.cacheRead',
  'models.anthropic/test-model.prices.cacheWrite',
  'prompts.compaction',
  'prompts.conflicts',
  'prompts.promote',
  'prompts.slug',
  'prompts.title',
  'prompts.withoutMemory',
  'session.memoryHook.messages',
  'spending.warnAt',
  'upkeep.monthlyTokens',
  'vault.followIgnored',
]
const folders: string[] = []
const servers: RunningServer[] = []

interface StoredHome {
  readonly root: string
  readonly client: ContractClient
  /** Files before the start, by folder. */
  readonly before: Record<string, Record<string, string>>
  hashes(): Promise<Record<string, Record<string, string>>>
  told(text: string): string
}

async function unpacked(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'commonplace-')))
  folders.push(root)
  await unpackHome(name, root)
  return root
}

/**
 * Unpacks and opens the fixture.
 * @param folder replaces an agent's workspace
 */
async function openStored(folder?: string): Promise<StoredHome> {
  const root = await unpacked()
  const hashes = async () =>
    Object.fromEntries(
      await Promise.all(userFolders.map(async (user) => [user, await hashesIn(join(root, user))] as const)),
    )
  const before = await hashes()
  const workspace = folder === undefined ? {} : { workspace: join(root, folder) }
  const server = await startServer({
    mainFolder,
    env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    home: join(root, 'state'),
    now,
    ...workspace,
  })
  servers.push(server)
  const client = await connect(server.url)
  await client.search.settle({ ...main, vectors: true })
  const told = (text: string) => text.replaceAll('\\', '/').replace(root.replaceAll('\\', '/'), '')
  return { root, client, before, hashes, told }
}

afterAll(async () => {
  for (const server of servers) await server.close()
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Transcripts by file name, in any folder. */
async function transcriptsIn(root: string): Promise<Record<string, string>> {
  const texts = await textsIn(join(root, 'state'), (path) => /[\\/]\d{4}-\d\d-\d\dT[^\\/]+\.jsonl$/.test(path))
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path.replace(/^.*[\\/]/, ''), text]))
}

async function asked(client: ContractClient, agent: string, query: string): Promise<string | undefined> {
  const { results } = await client.search.query({ agent, query })
  return results[0]?.path.replaceAll('\\', '/').replace(/^.*\/extra\//, 'extra/')
}

describe('a home of version 0.1.0', () => {
  let home: StoredHome
  let expected: Record<string, Record<string, unknown>>

  beforeAll(async () => {
    expected = (await expectedOf(name)) as typeof expected
    home = await openStored()
    await home.client.search.settle({ agent: 'arbeit', vectors: true })
  })

  it('opens with every setting that still exists and names the others', async () => {
    const { client, told } = home
    const { problems, appearance, shortcuts, firstRun } = await client.settings.get()
    expect(problems.map(({ key }) => key.replace(/^agents\.defaults\./, '')).toSorted()).toEqual(droppedSettings)
    expect({ appearance, shortcuts, firstRun }).toEqual({
      appearance: { theme: 'dark', locale: 'zh-CN', autosave: 'delay', remotePictures: 'always' },
      shortcuts: { 'Mod+K': 'Mod+J' },
      firstRun: false,
    })
    const kept = Object.entries(expected['settings'] ?? {}).filter(
      ([key]) => !problems.some((problem) => key === problem.key || key.startsWith(`${problem.key}.`)),
    )
    // Settings that are newer than the home have their defaults.
    expect(await tellSettings(client, told)).toMatchObject(Object.fromEntries(kept))
    expect(await client.search.settings(main)).toEqual({
      weights: { vector: 0.6, text: 0.4 },
      minScore: 0.25,
      maxResults: 9,
      maxCharacters: 1600,
      recencyHalfLifeDays: 400,
      chunking: { unit: 'entry', tokens: 400, overlap: 80 },
    })
    expect((await client.settings.mcpServers()).map(({ name: server, state }) => [server, state])).toEqual([
      ['tools-a', 'disabled'],
      ['tools-b', 'disabled'],
    ])
    expect(await client.health.problems(main)).toMatchObject([{ code: 'config_ignored', level: 'warning' }])
  })

  it('has every agent, connected program and usage figure', async () => {
    const { client, told } = home
    expect(await tellAgents(client, told)).toEqual(expected['agents'])
    expect(await tellShared(client)).toEqual(expected['shared'])
    const token = 'cp-zvJ5LQuxEjWd19Cv9_J-xHrASpguvlo2IKIpvfxf_Dc'
    expect(await client.clients.admit({ token })).toMatchObject({
      id: 'claude-code',
      permission: 'read',
      hasFullAccess: true,
    })
  })

  it.each(['main', 'arbeit'])('has every note of %s with its text, links and tags', async (agent) => {
    expect(await tellNotes(home.client, agent)).toEqual(expected[agent]?.['notes'])
  })

  it.each(['main', 'arbeit'])('has every chat of %s, with messages, saved notes and requests', async (agent) => {
    expect(await tellChats(home.client, agent, home.told)).toEqual(expected[agent]?.['chats'])
  })

  it.each(['main', 'arbeit'])('has the history of %s, its inbox, checks, drafts, imports and moves', async (agent) => {
    const { client, told } = home
    expect(await tellHistory(client, agent)).toEqual(expected[agent]?.['history'])
    expect(await tellInbox(client, agent)).toEqual(expected[agent]?.['inbox'])
    expect(await tellKept(client, agent, told)).toEqual(expected[agent]?.['kept'])
  })

  it('finds notes and chats by words and by meaning', async () => {
    const { client } = home
    const queries: readonly (readonly [agent: string, query: string, path: string])[] = [
      // Weights as numbers keep a superseded line in its place.
      ['main', 'What is the gate code?', 'MEMORY.md'],
      ['main', '谁喜欢吃火锅', 'memory/2026-11-20.md'],
      ['main', 'sailing boat Nimbus', 'private/diary.md'],
      ['main', 'boiler pressure', 'extra/manual.md'],
      ['main', 'ferry to Elba', 'imported/Travel.md'],
      ['main', 'university canals of Leiden', 'sessions/2026-11-22T12-00-01-721Z_43d5d7c9.jsonl'],
      ['arbeit', 'invoice paid by Krüger', 'ledger.md'],
      ['arbeit', 'What is the gate code?', '@main/MEMORY.md'],
    ]
    for (const [agent, query, path] of queries) expect(await asked(client, agent, query), query).toBe(path)
    const { files, units, embedded, provider, state } = await client.search.status(main)
    expect({ files, provider, state, isWhole: units > 0 && embedded === units }).toEqual({
      files: 24,
      provider: 'builtin',
      state: 'ready',
      isWhole: true,
    })
    const { results } = await client.search.query({ ...main, query: 'Who lives in Rotterdam and leads Aurora?' })
    expect(results.some(({ vectorScore }) => (vectorScore ?? 0) > 0)).toBe(true)
    const chats = await client.sessions.find({ ...main, query: 'tulips' })
    expect(chats.map(({ title }) => title)).toEqual(['Gate, logo and 花'])
  })

  it('changes no user file and no transcript', async () => {
    const { root, before, hashes } = home
    expect(Object.values(before).map((files) => Object.keys(files).length)).toEqual([29, 7, 5, 1, 2])
    expect(await hashes()).toEqual(before)
    const fresh = await unpacked()
    const made = await transcriptsIn(fresh)
    const kept = await transcriptsIn(root)
    expect(Object.keys(kept)).toEqual(Object.keys(made))
    // A crash had cut off the answer; the app adds it now.
    const cut = '2026-11-22T12-00-16-598Z_81183953.jsonl'
    for (const [file, text] of Object.entries(made)) {
      const here = (kept[file] ?? '').replaceAll(root, fresh)
      expect(file === cut ? here.slice(0, text.length) : here, file).toBe(text)
    }
  })

  it('knows the cached model lists and the learned context windows', async () => {
    const { client } = home
    // The provider does not answer any more.
    const { models } = await client.chat.models(main)
    expect(models.map(({ id }) => id)).toContain('openai-compatible/test-model')
    await client.settings.setModel({ ...main, model: 'anthropic/shrunk-model' })
    const { contextWindow, learned } = await client.context.report(main)
    expect({ contextWindow, learned }).toEqual({
      contextWindow: 4600,
      learned: { window: 4600, believed: 60_000, isGuess: false },
    })
  })

  it('has the keys of the desktop', async () => {
    const state = join(home.root, 'state')
    await emptyApp()
    // The home contains the keys as reversed texts.
    vi.spyOn(electron.safeStorage, 'decryptString').mockImplementation((bytes) =>
      [...bytes.toString()].reverse().join(''),
    )
    expect(await openKeyVault(state)?.load()).toEqual({
      anthropic: 'sk-kept-anthropic',
      'openai-compatible': 'sk-kept-local',
    })
  })
})

describe('state of a separate folder in version 0.1.0', () => {
  it('has notes, chats, history and drafts', async () => {
    const { client, told, before, hashes } = await openStored('folder')
    const { folder } = (await expectedOf(name)) as { folder: Record<string, unknown> }
    expect({
      notes: await tellNotes(client, 'main'),
      chats: await tellChats(client, 'main', told),
      history: await tellHistory(client, 'main'),
      kept: await tellKept(client, 'main', told),
    }).toEqual(folder)
    expect(await asked(client, 'main', 'Where does the canoe lie?')).toBe('MEMORY.md')
    expect(await hashes()).toEqual(before)
  })
})

describe('changes made with version 0.1.0', () => {
  it('can still be undone', async () => {
    const { root, client } = await openStored()
    const read = (path: string) => readFile(join(root, 'workspace', path), 'utf8')
    const { upkeep, history, sessions } = client

    const { done } = await upkeep.list(main)
    const promoted = done.find(({ rule }) => rule === 'promote')
    expect(await read('MEMORY.md')).toContain('- Aurora is hosted on Fly (decided 2026-11-02).\n')
    expect(await upkeep.undo({ ...main, acceptance: promoted?.acceptance ?? '' })).toEqual({ undone: 1, stuck: [] })
    expect(await read('MEMORY.md')).not.toContain('Aurora')

    const batches = await history.batches(main)
    const undo = (wanted: string) =>
      history.undoBatch({ ...main, undo: batches.find(({ kind }) => kind === wanted)?.undo ?? '' })
    expect(await undo('replacement')).toEqual({ notes: 1, left: [] })
    expect(await read('notes/garden.md')).toContain('Tomatoes grow in the raised bed.\nBeans grow along the fence.\n')

    await undo('tag')
    expect(await read('people/王小明.md')).toBe('# 王小明\n\n他在鹿特丹工作，负责 [[极光计划]]。 #person\n')

    await undo('move')
    expect(await read('people/Anna.md')).toBe(
      '# Anna\n\nAnna works from Utrecht on Wednesdays. Her project is [[Aurora]]. #person\n',
    )
    expect(await read('projects/Aurora.md')).toContain('[[people/Anna|Anna]]')

    const [chats, notes] = await client.import.past(main)
    expect(await client.import.undo({ ...main, id: chats?.id ?? '' })).toEqual({ removed: 1, left: [] })
    // A picture is identified by its time in ms, which the archive does not preserve.
    expect(await client.import.undo({ ...main, id: notes?.id ?? '' })).toEqual({
      removed: 2,
      left: ['imported/map.png'],
    })
    await expect(read('imported/Travel.md')).rejects.toMatchObject({ code: 'ENOENT' })

    const versions = await history.timeline({ ...main, path: 'notes/plan.md' })
    expect(await read('notes/plan.md')).toBe('# Plan\n\nVersion two: paint the fence blue.\n')
    await history.restore({ ...main, path: 'notes/plan.md', commit: versions.at(-1)?.commit ?? '' })
    expect(await read('notes/plan.md')).toBe('# Plan\n\nVersion one: paint the fence.\n')

    await client.workspace.restore({ ...main, trashed: '.trash/1795348818403/notes/old plan.md' })
    expect(await read('notes/old plan.md')).toBe('# Old plan\n\nThis plan for a windmill was given up.\n')

    const session = '2026-11-22T12-00-14-486Z_ac6333f3'
    await sessions.restore({ ...main, session })
    const { messages } = await sessions.get({ ...main, session })
    expect(messages[0]?.message).toMatchObject({ role: 'user', content: 'A chat to be put aside: xylophone' })

    const chat = '2026-11-22T12-00-01-721Z_43d5d7c9'
    const shown = (await sessions.get({ ...main, session: chat })).messages
    const edited = shown.find(({ message }) => message.role === 'user' && message.content === 'Tell me of Leiden')
    await sessions.switchTo({ ...main, session: chat, entry: edited?.versions?.ids[0] ?? '' })
    const said = (await sessions.get({ ...main, session: chat })).messages.map(({ message }) => message.content)
    expect(said).toContain('Tell me of Delft')
    expect(said).not.toContain('Tell me of Leiden')
  })
})
