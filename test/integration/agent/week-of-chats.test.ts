/** A week of chats: idle and daily ends, a crash, a night asleep, two time zones and daylight saving time. */
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createApp } from '../../../src/main/app/composition/create-app.ts'
import { mainFolder, prepareFolders } from '../../support/app.ts'
import chats from '../../fixtures/week/chats.json' with { type: 'json' }
import questions from '../../fixtures/week/questions.json' with { type: 'json' }

/** Chats without a statement that is worth keeping. */
const empty = new Set(['c03', 'c06', 'c09', 'c14', 'c17', 'c21', 'c22', 'c28', 'c34', 'c36'])
/** Chats held in New York; the others are held in Berlin, where the clocks change on 2026-03-29. */
const away = new Set(['c20', 'c21', 'c22', 'c23', 'c24'])
const [crashed, asleepAfter] = ['c15', 'c30']

it('leaves one summary of each chat, with its date, and answers about the week on Monday', async () => {
  const clock = { at: new Date() }
  const { home, workspace } = await prepareFolders({
    config: `agents:
  list: [{ id: main, workspace: '{{workspace}}', model: offline }]
`,
  })
  const start = () => createApp({ mainFolder, home, watch: false, now: () => clock.at, env: {} })
  const folder = join(workspace, 'memory')
  let app = await start()
  onTestFinished(() => app.close())
  await app.settings.set([
    ['agents', 'defaults', 'session', 'reset'],
    { mode: 'daily+idle', atHour: 4, idleMinutes: 240 },
  ])
  const sessions = new Map<string, string>()
  for (const [index, { id, at, messages }] of chats.entries()) {
    vi.stubEnv('TZ', away.has(id) ? 'America/New_York' : 'Europe/Berlin')
    const begin = new Date(at)
    const agent = await app.agents.get('main')
    // The service checks each hour while the machine is awake.
    const isAsleep = index === 0 || chats[index - 1]?.id === asleepAfter
    const hours = isAsleep ? 0 : Math.floor((begin.getTime() - clock.at.getTime()) / 3_600_000)
    for (let hour = 0; hour < hours; hour += 1) {
      clock.at = new Date(clock.at.getTime() + 3_600_000)
      await agent.chat.endings.check()
    }
    clock.at = begin
    let session: string | undefined
    for (const text of messages) {
      const sent = await agent.chat.send({ text, session })
      await sent.ended
      ;({ session } = sent)
      clock.at = new Date(clock.at.getTime() + 60_000)
    }
    sessions.set(id, session ?? '')
    if (index % 7 === 3) await agent.chat.endings.end(session ?? '')
    if (index % 7 === 5) await agent.chat.send({ text: '/new', session })
    await agent.chat.endings.check()
    if (id !== crashed) continue
    // The process dies after the note is written, and before the transcript says so.
    await agent.chat.endings.end(session ?? '')
    await agent.chat.endings.check()
    await app.close()
    const file = join(home, 'agents/main/sessions', `${session}.jsonl`)
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(lines.at(-1)).toContain('commonplace.left')
    await writeFile(file, `${lines.slice(0, -1).join('\n')}\n`)
    app = await start()
  }
  clock.at = new Date('2026-03-30T09:00')
  const agent = await app.agents.get('main')
  await agent.chat.endings.check()
  await agent.memory.settle(10_000)
  const notes = await Promise.all(
    (await readdir(folder)).map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })),
  )
  for (const { id, at } of chats) {
    const own = notes.filter(({ text }) => text.includes(`[sessions/${sessions.get(id)}.jsonl]`))
    if (!empty.has(id)) expect([id, own.length]).toEqual([id, 1])
    else expect(own.length).toBeLessThanOrEqual(1)
    for (const { name, text } of own) {
      expect([id, name.slice(0, 10)]).toEqual([id, at.slice(0, 10)])
      const lines = text
        .replaceAll(/ ?\[sessions\/[^\]]*\]/g, '')
        .split('\n')
        .filter((line) => line.startsWith('- '))
      expect(lines.join('\n').length).toBeLessThanOrEqual(1200)
    }
  }
  expect(notes.filter(({ text }) => text.includes('[sessions/')).length).toBeLessThanOrEqual(chats.length)
  const kept = notes.map(({ text }) => text.toLowerCase()).join('\n')
  const holds = (text: string, answers: readonly string[]) =>
    answers.some((answer) => text.includes(answer.toLowerCase()))
  expect(questions.filter(({ answers }) => !holds(kept, answers))).toEqual([])
  let foundCount = 0
  for (const { question, answers } of questions) {
    const { results } = await agent.memory.search(question, { hasChats: false })
    if (holds(results.map(({ snippet }) => snippet.toLowerCase()).join('\n'), answers)) foundCount += 1
  }
  // Half of the questions share no word with the line that answers them: a model would search with other words.
  expect(foundCount).toBeGreaterThanOrEqual(5)
}, 180_000)
