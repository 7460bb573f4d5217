/** Starts the app with damaged or foreign state files: it reports them and preserves their content. */
import Database from 'better-sqlite3'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changeLogFile } from '../../../src/main/app/agents/state-folders.ts'
import { openAppOn, prepareFolders } from '../../support/app.ts'

const garbage = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 151 + 7) % 256))
const note = 'The pangolin sleeps in the attic.'

interface Case {
  readonly name: string
  /** Path in the state folder; `HASH` stands for the hash of the workspace. */
  readonly file: string
  readonly damage: 'garbage' | 'folder' | 'foreign database' | 'foreign lines' | 'torn'
  /** Problem code, or words in the log. */
  readonly told?: string
  /** `aside`: a copy exists next to the file; `untouched`: the file is unchanged. */
  readonly kept: 'aside' | 'untouched'
}

const cases: readonly Case[] = [
  { name: 'index', file: 'memory/main.sqlite', damage: 'garbage', told: 'index_foreign', kept: 'aside' },
  { name: 'index', file: 'memory/main.sqlite', damage: 'foreign database', told: 'index_foreign', kept: 'aside' },
  { name: 'history', file: 'history/main/HASH.sqlite', damage: 'garbage', told: 'history_damaged', kept: 'aside' },
  { name: 'conversation', file: 'agents/main/sessions/one.jsonl', damage: 'garbage', kept: 'untouched' },
  { name: 'conversation', file: 'agents/main/sessions/one.jsonl', damage: 'torn', kept: 'untouched' },
  {
    name: 'drafts',
    file: 'agents/main/drafts/new-chat~chat.json',
    damage: 'garbage',
    told: 'file_damaged',
    kept: 'aside',
  },
  { name: 'checks', file: 'agents/main/checks/checks.jsonl', damage: 'foreign lines', told: 'checks', kept: 'aside' },
  { name: 'usage', file: 'usage.jsonl', damage: 'garbage', told: 'usage', kept: 'untouched' },
]

async function damageFile(file: string, damage: Case['damage']): Promise<void> {
  await rm(file, { recursive: true, force: true })
  await mkdir(damage === 'folder' ? join(file, 'something') : dirname(file), { recursive: true })
  if (damage === 'garbage') await writeFile(file, garbage)
  else if (damage === 'foreign lines') await writeFile(file, '{"somebody":"else"}\n[1,2]\n')
  else if (damage === 'torn') await writeFile(file, '{"type":"session","version":3,"id":"a","timest')
  else if (damage === 'foreign database') {
    const database = new Database(file)
    database.exec("CREATE TABLE theirs (text); INSERT INTO theirs VALUES ('precious')")
    database.close()
  }
}

/** Uses every feature that reads these files. */
async function useAll(home: string) {
  const { app } = await openAppOn(home)
  const agent = await app.agents.get('main')
  await agent.history.flush()
  await agent.memory.settle(10_000)
  expect((await agent.memory.search('pangolin')).results).toHaveLength(1)
  await agent.sessions.list()
  expect(await agent.drafts.message(undefined)).toBeNull()
  await agent.drafts.saveMessage(undefined, { text: 'typed', attachments: [] })
  await agent.savedQueries.add({ query: 'pangolin', relevant: [{ path: 'MEMORY.md', startLine: 1, endLine: 1 }] })
  await app.ledger.months()
  await agent.workspace.remember('still here', new Date(2026, 0, 20), { cause: 'capture' })
  const { ended } = await agent.chat.send({ text: 'hello', model: 'offline' })
  await ended
  expect(agent.history.timeline({ limit: 10 })).not.toEqual([])
  return { problems: app.health.problems('main').map(({ code }) => code), log: app.log.file }
}

describe('damaged and foreign files', () => {
  it.each(cases)('$name ($damage): starts, reports it and loses no data', async ({ file, damage, told, kept }) => {
    const { home, workspace } = await prepareFolders({ files: { 'MEMORY.md': `${note}\n` } })
    const path = file.includes('HASH') ? changeLogFile(join(home, dirname(file)), workspace) : join(home, file)
    await damageFile(path, damage)
    const { problems, log } = await useAll(home)
    if (told !== undefined) expect([...problems, await readFile(log, 'utf8')].join('\n')).toContain(told)
    const names = await readdir(dirname(path))
    if (kept === 'aside') expect(names.some((name) => name.includes('.damaged-'))).toBe(true)
    else if (damage === 'garbage') expect((await readFile(path)).subarray(0, 4096)).toEqual(garbage)
    else expect(names).toContain(basename(path))
  })

  it('starts with a damaged configuration, reports it and keeps the file', async () => {
    const { home } = await prepareFolders({})
    await writeFile(join(home, 'config.yaml'), garbage)
    const { app } = await openAppOn(home)
    expect(app.settings.problems).not.toEqual([])
    await expect(app.settings.set([['spending', 'monthlyLimit'], 1])).rejects.toMatchObject({ code: 'config_invalid' })
    expect(await readFile(join(home, 'config.yaml'))).toEqual(garbage)
  })

  it('copies a configuration that is not text before it replaces it', async () => {
    const { home } = await prepareFolders({})
    await writeFile(join(home, 'config.yaml'), garbage)
    const { app } = await openAppOn(home)
    await app.settings.save('spending: { monthlyLimit: 1 }\n', await app.settings.source())
    const copy = (await readdir(home)).find((name) => name.startsWith('config.yaml.damaged-')) ?? ''
    expect(await readFile(join(home, copy))).toEqual(garbage)
  })
})
