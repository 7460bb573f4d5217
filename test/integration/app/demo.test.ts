/** The demo, made for two first days and opened by the app. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoHome, openDemo } from '../../../src/main/demo.mjs'
import { startServer, type RunningServer } from '../../../src/main/app/server/start-server.ts'
import type { ContractClient } from '../../../src/shared/contract/index.ts'
import { mainFolder } from '../../support/built.ts'
import { connect } from '../../support/client.ts'
import { temporaryFolder } from '../../support/folder.ts'

const launcher = fileURLToPath(new URL('../../../src/main/launch.mjs', import.meta.url))
const main = { agent: 'main' }
const makingMs = 180_000
const dayMs = 86_400_000

/** Days and weekdays that a text names together: `Friday, 2026-12-04` and `2026-12-04（星期五）`. */
const namedDays = /(?<before>[A-Z][a-z]+day), (?<day>\d{4}-\d\d-\d\d)|(?<date>\d{4}-\d\d-\d\d)（(?<after>星期.)）/g

interface Version {
  readonly language: 'en' | 'zh'
  readonly now: Date
  readonly today: string
  readonly yesterday: string
  readonly locale: string
  /** Number of entries in today's log: one if the demo is made before 09:00. */
  readonly entries: number
  /** Questions that a visitor asks, with a file and words of one of the first two results. */
  readonly questions: readonly (readonly [query: string, path: string, words: string])[]
  /** A question about a fact that has changed, with words of its current and its former value. */
  readonly changed: readonly [query: string, current: string, former: string]
}

const versions: readonly Version[] = [
  {
    language: 'en',
    now: new Date(2028, 1, 29, 9, 40),
    today: '2028-02-29',
    yesterday: '2028-02-28',
    locale: 'en-GB',
    entries: 3,
    questions: [
      ['why did we choose the database', 'projects/ferryline.md', 'PostgreSQL'],
      ['What did we decide about the API?', 'projects/ferryline.md', 'REST'],
      ['How much does Ferryline pay?', 'memory/2028-02-12.md', '18,400 euros'],
    ],
    changed: ['What day are cello lessons?', 'Thursdays', 'Tuesdays'],
  },
  {
    language: 'zh',
    now: new Date(2027, 0, 1, 0, 20),
    today: '2027-01-01',
    yesterday: '2026-12-31',
    locale: 'zh-CN',
    entries: 1,
    questions: [
      ['为什么选这个数据库', '项目/轮渡订票.md', 'PostgreSQL'],
      ['API 用什么', '项目/轮渡订票.md', 'REST'],
      ['Which column needs btree_gist?', '资料/exclusion-constraints.md', 'btree_gist'],
    ],
    changed: ['大提琴课星期几？', '周四', '周二'],
  },
]

describe.each(versions)('the demo of $today ($language)', (version) => {
  const { language, now, today, yesterday, locale, entries, questions, changed } = version
  let home: string
  let server: RunningServer
  let client: ContractClient

  beforeAll(async () => {
    home = join(await mkdtemp(join(tmpdir(), 'commonplace-')), 'demo')
    await openDemo(home, { language, now })
    server = await startServer({ mainFolder, env: {}, home, now: () => now })
    client = await connect(server.url)
    await client.search.settle({ ...main, vectors: true })
  }, makingMs)

  afterAll(async () => {
    await server.close()
    await rm(dirname(home), { recursive: true, force: true, maxRetries: 5 })
  })

  const readNotes = async () => {
    const files = await client.workspace.list(main)
    return Promise.all(files.map(async (file) => ({ ...file, ...(await client.workspace.read({ ...main, ...file })) })))
  }
  const readChats = async (agent = 'main') => {
    const chats = await client.chats.list({ agent })
    return Promise.all(chats.map(({ id }) => client.chats.get({ agent, session: id })))
  }

  it('has notes up to today, and nothing that happens later', async () => {
    const notes = await readNotes()
    const days = new Set(notes.flatMap(({ date }) => date ?? []).toSorted())
    expect([...days].slice(-2)).toEqual([yesterday, today])
    expect(days.size).toBe(22)
    for (const { modifiedAt, path } of notes) expect(modifiedAt, path).toBeLessThanOrEqual(now.getTime())
    const todaysTimes = [...(notes.find(({ date }) => date === today)?.text ?? '').matchAll(/^- (\d\d:\d\d) /gm)]
    const nowTime = now.toTimeString().slice(0, 5)
    expect(todaysTimes.map(([, time = '']) => time <= nowTime)).toEqual(Array(entries).fill(true))
    // Only the appointment with the dentist is later than today.
    const later = notes.flatMap(({ text }) => (text.match(/\d{4}-\d\d-\d\d/g) ?? []).filter((day) => day > today))
    expect(new Set(later).size).toBe(1)
    expect(notes.filter(({ text }) => /\{\{|\}\}/.test(text))).toEqual([])
  })

  it('names the right weekdays', async () => {
    const found = (await readNotes()).flatMap(({ text }) => [...text.matchAll(namedDays)])
    expect(found.length).toBeGreaterThan(0)
    for (const { groups = {} } of found) {
      const { before, after, day, date } = groups
      const named = new Date(`${day ?? date}T12:00`).toLocaleDateString(locale, { weekday: 'long' })
      expect(before ?? after).toBe(named)
    }
  })

  it('has chats of the last weeks with times in order, none later than now', async () => {
    const chats = await readChats()
    expect(chats.length).toBe(5)
    for (const { messages, skippedLines } of chats) {
      const times = messages.map(({ message }) => message.timestamp)
      expect(times).toEqual(times.toSorted((one, other) => one - other))
      expect(times.at(-1)).toBeLessThanOrEqual(now.getTime())
      expect(times[0]).toBeGreaterThan(now.getTime() - 22 * dayMs)
      expect(skippedLines).toEqual([])
      expect(messages.filter(({ message }) => message.role === 'assistant' && message.errorCode)).toEqual([])
    }
  })

  it('has a private chat about a private note', async () => {
    const chats = await readChats()
    const secret = chats.filter(({ summary }) => summary.isPrivate)
    const read = secret.flatMap(({ messages }) =>
      messages.flatMap(({ message }) => (message.role === 'assistant' ? message.content : [])),
    )
    const paths = read.flatMap((part) => (part.type === 'toolCall' ? [part.arguments['path']] : []))
    const locked = (await client.workspace.list(main)).filter(({ privacy }) => privacy?.isWhole)
    expect(paths.length).toBe(1)
    expect(locked.map(({ path }) => path)).toContain(paths[0])
    // The summary of the private chat is private, too.
    expect(locked.length).toBe(2)
  })

  it('has a changed fact, open suggestions, and a history of changes', async () => {
    const { text } = await client.workspace.read({ ...main, path: 'MEMORY.md' })
    expect(text.match(/^- ~~.+~~(?: \(until |（至 ).+(?:, now: |，今：)\[memory\/.+:\d+\]/gm)?.length).toBe(1)
    const { open, done } = await client.suggestions.list(main)
    expect(open.map(({ rule }) => rule).toSorted()).toEqual(['duplicate', 'expired', 'outdated', 'supersedes'])
    const replaced = open.find(({ rule }) => rule === 'supersedes')
    expect(replaced?.evidence.map(({ path }) => path)).toEqual(['MEMORY.md', `memory/${yesterday}.md`])
    expect(done.map(({ rule, state }) => [rule, state])).toEqual([['supersedes', 'accepted']])
    const timeline = await client.history.timeline({ ...main, path: 'MEMORY.md' })
    expect(timeline.length).toBeGreaterThan(5)
  })

  it.each(questions)('answers “%s”', async (query, path, words) => {
    const { results } = await client.search.query({ ...main, query })
    expect(results.slice(0, 2).map((result) => result.path)).toContain(path)
    expect(results.slice(0, 2).some(({ snippet }) => snippet.includes(words))).toBe(true)
  })

  it('answers the current value of a changed fact first', async () => {
    const [query, current, former] = changed
    const { results } = await client.search.query({ ...main, query })
    expect(results[0]?.snippet).toContain(current)
    expect(results[1]?.snippet).toContain(former)
  })

  it('is opened without problems and answers new messages offline', async () => {
    expect((await client.settings.get()).problems).toEqual([])
    expect(await client.health.problems(main)).toEqual([])
    expect(await client.workspace.outside(main)).toEqual([])
    const [chat] = await client.chats.list(main)
    const { session } = await client.chat.send({ ...main, session: chat?.id, text: questions[0]?.[0] ?? '' })
    await expect
      .poll(async () => (await client.chats.get({ ...main, session })).messages.at(-1)?.message, { timeout: 10_000 })
      .toMatchObject({ role: 'assistant', provider: 'offline' })
  })

  it('stays as the user has edited it', async () => {
    await writeFile(join(home, 'notes/MEMORY.md'), '# Mine\n')
    expect(await openDemo(home, { language, now })).toHaveLength(1)
    expect(await openDemo(home, { language, now: new Date(now.getTime() + 8 * dayMs) })).toHaveLength(2)
    expect(await readFile(join(home, 'notes/MEMORY.md'), 'utf8')).toBe('# Mine\n')
  })

  it('is opened by the launcher from COMMONPLACE_HOME', async () => {
    await server.close()
    const { DISPLAY: _x, WAYLAND_DISPLAY: _wayland, ...env } = process.env
    const child = spawn(process.execPath, [launcher, 'start', '--demo', '--no-open'], {
      env: { ...env, COMMONPLACE_HOME: home },
    })
    const told = text(child.stderr)
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await told).toContain(`its folder is ${home}.`)
  })
})

describe('the home of the demo', () => {
  it('is an empty folder, the folder of an earlier demo, or a folder beside other data', async () => {
    const root = await temporaryFolder()
    const home = join(root, 'home')
    const env = { COMMONPLACE_HOME: home }
    expect(demoHome(env)).toBe(home)
    await mkdir(home)
    expect(demoHome(env)).toBe(home)
    await writeFile(join(home, 'demo.json'), '{"isComplete":true}')
    await writeFile(join(home, 'config.yaml'), '')
    expect(demoHome(env)).toBe(home)
  })

  it('is never a folder with other data', async () => {
    const home = join(await temporaryFolder(), 'home')
    const env = { COMMONPLACE_HOME: home }
    await mkdir(home)
    await writeFile(join(home, 'config.yaml'), 'interface: { theme: dark }\n')
    expect(demoHome(env)).toBe(`${home}-demo`)
    await expect(openDemo(home)).rejects.toThrow('holds other data')
    await mkdir(`${home}-demo`)
    await writeFile(join(`${home}-demo`, 'notes.md'), 'mine')
    expect(() => demoHome(env)).toThrow('other data')
    expect([await readdir(home), await readdir(`${home}-demo`)]).toEqual([['config.yaml'], ['notes.md']])
  })
})
