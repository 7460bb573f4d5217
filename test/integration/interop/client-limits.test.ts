/** Limits of other programs: calls at once and per minute, notes per day, and the order of searches. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../../src/main/app/server/start-server.ts'
import type { ContractClient } from '../../../src/shared/contract/index.ts'
import { openTestServer } from '../../support/app.ts'
import { mainFolder } from '../../support/built.ts'
import { connect } from '../../support/client.ts'
import { connectClient, type Answer } from '../../support/mcp-clients.ts'

const client = 'guest'
const limits = { notesPerDay: 200, charactersPerDay: 500_000, callsPerMinute: 240, callsAtOnce: 4 }
const files = { 'projects/acme.md': '# Acme\n\nThe database is PostgreSQL 17, decided in May.\n' }

/** Starts an app at a fixed time of the day, with one program of name and id `guest`. */
async function openWithGuest(now?: () => Date) {
  const server = await openTestServer({ files, ...(now ? { now } : {}) })
  const app = await connect(server.url)
  const { token } = await app.clients.issueToken({ client, name: 'Guest', agent: 'main' })
  return { ...server, app, where: { url: new URL('/mcp', server.url).href, token } }
}

const textOf = ({ content }: Answer) => content[0]?.text ?? ''
const isAnswered = ({ isError }: Answer) => isError !== true

describe('calls of a program', () => {
  it('share their places over all connections; further ones wait, and the rest fail with a time', async () => {
    const { home, where } = await openWithGuest()
    const http = await connectClient('v2', where, 'guest')
    const stdio = await connectClient('v2', { args: ['--home', home] }, 'guest')
    const search = (at: number) => (at % 2 === 0 ? http : stdio).call('memory_search', { query: `Acme database ${at}` })
    const answers = await Promise.all(Array.from({ length: 80 }, (_, at) => search(at)))
    const answered = answers.filter(isAnswered)
    expect(answered.length).toBeGreaterThanOrEqual(36)
    expect(answered.length).toBeLessThan(80)
    for (const answer of answered) expect(textOf(answer)).toContain('PostgreSQL 17')
    for (const answer of answers.filter((each) => !isAnswered(each)))
      expect(textOf(answer)).toBe('Guest makes too many calls; try again in 5 s')
    expect(isAnswered(await search(0))).toBe(true)
    expect(isAnswered(await search(1))).toBe(true)
  })

  it('are limited per minute, resources included, and counted', async () => {
    const { app, where } = await openWithGuest()
    await app.clients.update({ client, limits: { ...limits, callsPerMinute: 3 } })
    const { call, client: mcp } = await connectClient('v1', where, 'guest')
    expect(isAnswered(await call('memory_search', { query: 'Acme' }))).toBe(true)
    expect(isAnswered(await call('remember', { text: 'Acme goes live on Friday' }))).toBe(true)
    await mcp.readResource({ uri: 'note://projects/acme.md' })
    expect(textOf(await call('memory_get', { path: 'projects/acme.md' }))).toMatch(/too many calls; try again in \d+ s/)
    await expect(mcp.listResources()).rejects.toThrow(/too many calls; try again in \d+ s/)
    const [guest] = await app.clients.list()
    expect(guest).toMatchObject({ limits: { callsPerMinute: 3, callsAtOnce: 4 }, today: { calls: 5, notes: 1 } })
  })
})

describe('programs without a token', () => {
  const meet = async (app: ContractClient, name: string) => {
    await app.clients.meet({ client: name, name, agent: 'main' })
    return name
  }

  it('share the limits of notes, so that another name gives no further ones', async () => {
    const { app } = await openWithGuest()
    // Enough names that the first programs are no longer stored.
    for (let at = 0; at < 200; at += 1)
      await app.clients.remember({ client: await meet(app, `name-${at}`), agent: 'main', text: `${at}` })
    for (const name of ['name-200', 'name-201', 'name-0'])
      await expect(
        app.clients.remember({ client: await meet(app, name), agent: 'main', text: 'x' }),
        name,
      ).rejects.toMatchObject({
        code: 'client_quota',
        message:
          'the programs without a token together may save 200 notes and 500000 characters a day; nothing was written',
      })
    await app.clients.issueToken({ client: 'known', name: 'Known', agent: 'main' })
    await app.clients.remember({ client: 'known', agent: 'main', text: 'x' })
    await app.clients.update({ client: 'name-200', limits: { ...limits, notesPerDay: 201 } })
    await app.clients.remember({ client: 'name-200', agent: 'main', text: 'y' })
  }, 60_000)
})

describe('notes of a program', () => {
  it('are limited per day, also after a restart, and allowed again on the next day', async () => {
    let now = new Date(2026, 4, 3, 12)
    const { app, home, close } = await openWithGuest(() => now)
    await app.clients.update({ client, limits: { ...limits, notesPerDay: 2 } })
    const noteWith = (memory: ContractClient, text: string) => memory.clients.remember({ client, agent: 'main', text })
    await noteWith(app, 'one')
    await noteWith(app, 'two')
    const refusal = {
      code: 'client_quota',
      message: expect.stringMatching(/^Guest may save 2 notes and 500000 characters a day.*nothing was written$/),
    }
    await expect(noteWith(app, 'three')).rejects.toMatchObject(refusal)
    await close()
    const restarted = await startServer({ mainFolder, env: {}, home, now: () => now })
    onTestFinished(() => restarted.close())
    const again = await connect(restarted.url)
    await expect(noteWith(again, 'three')).rejects.toMatchObject(refusal)
    now = new Date(2026, 4, 4, 0, 1)
    expect(await noteWith(again, 'three')).toMatchObject({ path: 'memory/2026-05-04.md' })
    const [guest] = await again.clients.list()
    expect(guest?.today).toEqual({ date: '2026-05-04', calls: 0, notes: 1, characters: 5 })
  })
})

it('a note with a secret is refused, and marked private if the model of the program runs here', async () => {
  const { app, workspace, where } = await openWithGuest()
  const { call } = await connectClient('v2', where, 'guest')
  const text = 'Wi-Fi in the hall\n\nWi-Fi password: hunter2'
  expect(textOf(await call('remember', { text }))).toBe(
    'it looks like a secret (password); nothing was written. Tell the user, who can save it as a private note in Commonplace.',
  )
  expect((await app.clients.list())[0]?.today.notes).toBe(0)
  await app.clients.update({ client, hasFullAccess: true })
  const [, path = ''] = /^saved (\S+):/.exec(textOf(await call('remember', { text }))) ?? []
  const log = await readFile(join(workspace, path), 'utf8')
  expect(log).toMatch(/^Wi-Fi in the hall \^\[mcp: Guest, [-\d]+\]\n\nWi-Fi password: hunter2 \^\[private\]/m)
})

it('the search of the user overtakes the waiting searches of programs', async () => {
  const { app } = await openWithGuest()
  await app.search.settle({ agent: 'main' })
  const order: string[] = []
  const searches = Array.from({ length: 20 }, () =>
    app.search.query({ agent: 'main', query: 'Acme database', forProgram: client }).then(() => order.push('program')),
  )
  await app.search.query({ agent: 'main', query: 'Acme database' })
  order.push('user')
  await Promise.all(searches)
  expect(order.indexOf('user')).toBeLessThanOrEqual(2)
})
