import { readFile, readdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventOf } from '../../../src/main/agent/sessions/session-events.ts'
import { openAgent } from '../../support/agent.ts'
import { openAppOn, plainConfig, type TestAppOptions } from '../../support/app.ts'
import { startModelServer } from '../../support/model-server.ts'

const day = (date: number, hour = 12, minute = 0) => new Date(2026, 0, date, hour, minute)

/** An app with a clock and a model that summarises with `summary`. */
async function openWithClock(options: TestAppOptions = {}) {
  const clock = { at: day(20) }
  const server = await startModelServer({ text: 'I see.' })
  const state = {
    summary: 'tea-garden\n- The tea garden opens on 2026-05-04 [1].\n- Bob pays 300 euro [1].',
    summaries: 0,
  }
  server.respond = (body) => {
    const text = JSON.stringify(body)
    if (text.includes('The user does not see your replies in this step')) return { text: 'NO_REPLY' }
    if (!text.includes('You summarise ended conversations')) return { text: 'I see.' }
    state.summaries += 1
    return state.summary === '' ? { status: 500, message: 'down' } : { text: state.summary }
  }
  const test = await openAgent(server, { now: () => clock.at, ...options })
  const folder = join(test.workspace, 'memory')
  const summaries = async () =>
    (await readdir(folder).catch((): string[] => [])).filter((name) => name.length > 13).sort()
  const noteAt = (name = '') => readFile(join(folder, name), 'utf8')
  return { ...test, clock, server, state, say: test.send, summaries, noteAt, folder }
}

const statement = 'The tea garden opens on 2026-05-04, and Bob pays 300 euro.'

describe('the end of a session', () => {
  it('comes by the clock, dated by its messages, with links to them', async () => {
    const { agent, clock, say, summaries, noteAt } = await openWithClock()
    clock.at = day(20, 23)
    const session = await say(statement)
    clock.at = day(21, 3, 59)
    await agent.chat.endings.check()
    expect(await summaries()).toEqual([])
    clock.at = day(21, 4, 1)
    await agent.chat.endings.check()
    expect(await summaries()).toEqual(['2026-01-20-tea-garden.md'])
    const note = await noteAt('2026-01-20-tea-garden.md')
    expect(note).toMatch(/^# 2026-01-20: tea garden\n\n/)
    const [, line] = /- Bob pays 300 euro \[sessions\/.*\.jsonl:(\d+)\]/.exec(note) ?? []
    const { lines } = await agent.visibleTo({ seesPrivate: true }).lines(`sessions/${session}.jsonl`, Number(line), 1)
    expect(lines[0]).toContain('Bob pays 300 euro')
    expect(await agent.sessions.list()).toMatchObject([{ id: session, kept: 2 }])
  })

  it('comes by idleness, by hand, and with /new, once for each', async () => {
    const { app, agent, clock, state, say, summaries } = await openWithClock()
    await app.settings.set([['agents', 'defaults', 'session', 'reset'], { mode: 'idle', idleMinutes: 30 }])
    const idle = await say(statement)
    const byHand = await say(statement)
    clock.at = day(20, 12, 10)
    await agent.chat.endings.end(byHand)
    await agent.chat.endings.check()
    expect(await summaries()).toHaveLength(1)
    clock.at = day(20, 12, 30)
    await agent.chat.endings.check()
    expect(await summaries()).toHaveLength(2)
    const last = await say(statement)
    await agent.chat.send({ text: '/new', session: last })
    await agent.chat.endings.check()
    await agent.chat.endings.check()
    expect(await summaries()).toHaveLength(3)
    expect(state.summaries).toBe(3)
    expect((await agent.sessions.get(idle)).messages()).toHaveLength(2)
  })

  it('comes at the next start for a session that ended meanwhile', async () => {
    const { app, home, clock, say, folder } = await openWithClock()
    await say(statement)
    await app.close()
    clock.at = day(22)
    const env = { ANTHROPIC_API_KEY: 'k' }
    const again = await openAppOn(home, { env, watch: false, now: () => clock.at })
    await (await again.app.agents.get('main')).chat.endings.check()
    expect(await readdir(folder)).toEqual(['2026-01-20-tea-garden.md'])
  })

  it('changes the one summary of a session that is taken up again, or proposes the change of an edited one', async () => {
    const { agent, clock, state, say, summaries, noteAt, folder } = await openWithClock()
    const session = await say(statement)
    await agent.chat.endings.end(session)
    await agent.chat.endings.check()
    const [name = ''] = await summaries()
    clock.at = day(20, 15)
    await say('And Carol brings the cake.', session)
    state.summary = 'tea-garden\n- Bob pays 300 euro [1].\n- Carol brings the cake [3].'
    await agent.chat.endings.end(session)
    await agent.chat.endings.check()
    expect(await summaries()).toEqual([name])
    expect(await noteAt(name)).toContain('Carol brings the cake')
    const edited = (await noteAt(name)).replace('the cake', 'two cakes')
    await writeFile(join(folder, name), edited)
    await say('And Dan sings.', session)
    state.summary = 'tea-garden\n- Dan sings [5].'
    await agent.chat.endings.end(session)
    await agent.chat.endings.check()
    expect(await noteAt(name)).toBe(edited)
    const { open } = await agent.suggestions.list()
    const { edits } = open[0]?.files[0] ?? {}
    expect(edits?.flatMap(({ after }) => after).join('\n')).toMatch(/two cakes[^]*Dan sings/)
    await unlink(join(folder, name))
    await say('Eve dances.', session)
    state.summary = 'eve\n- Eve dances [7].'
    await agent.chat.endings.end(session)
    await agent.chat.endings.check()
    expect(await summaries()).toEqual(['2026-01-20-eve.md'])
  })

  it('writes nothing for nothing, for a chat without memory, and for a running one', async () => {
    const { agent, clock, state, say, summaries } = await openWithClock()
    await say(statement, undefined, { withoutMemory: true })
    await agent.chat.send({ text: '/new' })
    state.summary = '好的，没有需要保存的内容。'
    await say('What is the capital of France?')
    clock.at = day(22)
    await agent.chat.endings.check()
    expect(await summaries()).toEqual([])
    expect(state.summaries).toBe(1)
    await agent.chat.endings.check()
    expect(state.summaries).toBe(1)
  })

  it('waits for a model that cannot be reached', async () => {
    const { agent, clock, state, say, summaries } = await openWithClock()
    const text = state.summary
    state.summary = ''
    await say(statement)
    clock.at = day(21, 5)
    await agent.chat.endings.check()
    const failed = state.summaries
    state.summary = text
    await agent.chat.endings.check()
    expect(state.summaries).toBe(failed)
    clock.at = day(21, 6)
    await agent.chat.endings.check()
    expect(await summaries()).toHaveLength(1)
  })

  it('keeps the statements of the user if the answer of the model is no summary', async () => {
    const { agent, state, say, summaries, noteAt } = await openWithClock()
    for (const answer of ['OK, noted in this answer.', '{"summary": ["x"]}', '<think>Hm.</think>']) {
      state.summary = answer
      const session = await say(statement)
      await agent.chat.endings.end(session)
      await agent.chat.endings.check()
    }
    const names = await summaries()
    expect(names).toHaveLength(3)
    for (const name of names) expect(await noteAt(name)).toContain('The tea garden opens on 2026-05-04')
  })

  it('leaves out what the chat has saved as notes, requests, and openings', async () => {
    const test = await openWithClock({ config: plainConfig })
    const { client, agent, say, summaries, noteAt, clock } = test
    const close = async (session: string) => {
      clock.at = new Date(clock.at.getTime() + 3_600_000)
      await agent.chat.endings.end(session)
      await agent.chat.endings.check()
      return summaries()
    }
    const session = await say('The rent is now 1,520 euros a month.')
    await say('Remember that the rent is now 1,520 euros a month.', session)
    await say('Remind me to call Mum at 6pm tomorrow', session)
    await say('/remember My sister Hannah is allergic to peanuts', session)
    await say('My locker at the pool has the number 42.', session)
    const kept = { agent: 'main', text: 'My locker at the pool has the number 42.', session }
    await client.workspace.remember(kept)
    for (const request of [
      'Tell me about Priya',
      'Show me my notes on Oslo',
      'Find my passport number',
      '告诉我小王的电话',
      'Forget the wifi password',
      'Garden key',
      '房东的微信',
    ])
      await say(request, session)
    for (const event of (await agent.sessions.get(session)).messages().flatMap(({ message }) => message)) {
      const change = event.role === 'toolResult' && event.details?.kind === 'change' ? event.details.change : undefined
      if (change) await agent.revert({ change: change.change ?? 0 })
    }
    expect(await close(session)).toEqual([])
    await say('Actually the dentist appointment moved to December 11.', session)
    const [name] = await close(session)
    expect((await noteAt(name)).split('\n').filter((line) => line.startsWith('- '))).toEqual([
      expect.stringMatching(/^- The dentist appointment moved to December 11\. \[/),
    ])
  })

  it('can be undone, and is shown in the chat', async () => {
    const { agent, say, summaries } = await openWithClock()
    const session = await say(statement)
    await agent.chat.endings.end(session)
    await agent.chat.endings.check()
    const events = (await agent.sessions.get(session)).branch().flatMap((entry) => eventOf(entry) ?? [])
    expect(events).toMatchObject([
      { type: 'flush', status: 'nothing' },
      { type: 'flush', status: 'summarized' },
    ])
    const [change] = events.flatMap((event) => (event.type === 'flush' ? event.changes : []))
    await agent.revert({ change: change?.change ?? 0 })
    expect(await summaries()).toEqual([])
    await agent.chat.endings.check()
    expect(await summaries()).toEqual([])
  })
})

describe('a new chat', () => {
  it('gets summaries of recent chats within 1,500 tokens, without their links, unless they are switched off', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => {
        const date = `2026-01-${String(8 + index).padStart(2, '0')}`
        const text = `# ${date}: tea\n\nSummary of the chat [sessions/a.jsonl]\n\n${`- Number ${index} ${'tea '.repeat(40)}[sessions/a.jsonl:3]\n`.repeat(4)}`
        return [`memory/${date}-tea.md`, text]
      }),
    )
    const dump = '# 2026-01-20: old\n\nThe end of a conversation (sessions/b.jsonl).\n\n**User:** raw words\n'
    const test = await openWithClock({
      files: { ...files, 'memory/2026-01-20-old.md': dump, 'memory/2026-01-19.md': '# 2026-01-19\n\n- A log line\n' },
    })
    const { app, agent, server, say } = test
    await say('Hello.')
    const request = JSON.stringify(server.requests[0]?.body)
    expect(request).toContain('Number 11')
    expect(request).not.toContain('Number 2 ')
    expect(request).not.toMatch(/a\.jsonl:3|raw words/)
    const { items } = await agent.chat.meter.report(undefined, undefined)
    const summaries = items.filter(({ note }) => note === 'summary')
    expect(summaries.length).toBeGreaterThan(2)
    expect(summaries.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(1500)
    await app.settings.set([
      ['agents', 'defaults', 'chat', 'context'],
      { summaries: false, logs: false, longTerm: false },
    ])
    const after = (await agent.chat.meter.report(undefined, undefined)).items.map(({ name }) => name)
    expect(after.filter((name) => name.startsWith('memory/') || name === 'MEMORY.md')).toEqual([])
  })
})
