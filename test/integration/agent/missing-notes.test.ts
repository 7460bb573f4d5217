/** Flushes that fail: the transcript has a pointer to the last message with notes, and later flushes take the others. */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAgent } from '../../support/agent.ts'
import { openAppOn } from '../../support/app.ts'
import { sessionEvents } from '../../../src/main/agent/sessions/session-events.ts'
import type { TranscriptEntry } from '../../../src/main/agent/sessions/transcript-entries.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'

const refused: ScriptedAnswer = { status: 422, message: 'out of luck' }
const isFlush = (text: string) => text.includes('Memory flush.')
const factsIn = (text: string) => [...new Set(text.match(/FACT-\d+ is red/g) ?? [])]
const saying = (turn: number) => `FACT-${turn} is red, ${'as somebody said in the long talk. '.repeat(110)}`

/** A small window, so that the model answers a flush by a schema. `broken` decides which flushes fail. */
async function openChats(broken: (text: string) => boolean) {
  const clock = { at: new Date(2026, 0, 20, 10) }
  const server = await startModelServer({ text: 'ok' })
  const state = { broken }
  server.respond = (body) => {
    const text = JSON.stringify(body['messages'])
    if (text.includes('Summarise the conversation below'))
      return { text: '{"lines": [{"kind": "goal", "text": "Go on"}]}' }
    if (text.includes('Write a summary of the ended')) return { text: '{"topic": "red-facts", "lines": []}' }
    if (!isFlush(text)) return { text: 'Noted.' }
    return state.broken(text) ? refused : { text: JSON.stringify({ notes: factsIn(text) }) }
  }
  const test = await openAgent(server, {
    model: 'openai-compatible/m',
    defaults: 'chat: { titles: false }, memory: { embedding: { provider: none } }',
    settings: 'models: { openai-compatible/m: { contextWindow: 4096, maxOutput: 500 } }\n',
    now: () => clock.at,
  })
  const { agent, send: say } = test
  const sayMany = async (turns: number, more: { isPrivate?: true; withoutMemory?: true } = {}) => {
    let session: string | undefined
    for (let turn = 0; turn < turns; turn += 1) session = await say(saying(turn), session, more)
    return session ?? ''
  }
  const log = () => readFile(join(test.workspace, 'memory/2026-01-20.md'), 'utf8').catch(() => '')
  const branchOf = async (session: string) => (await agent.sessions.get(session)).branch()
  const flushes = () => server.requests.filter(({ text }) => isFlush(text))
  return { ...test, clock, server, state, say, sayMany, log, branchOf, flushes }
}

const flushesOf = (branch: readonly TranscriptEntry[]) => branch.filter((entry) => entry.type === 'flush')

describe('a chat whose flush fails twice', () => {
  it('leaves out its oldest messages, shows the failure, and takes the notes at the next turn that can', async () => {
    const { agent, server, state, say, sayMany, log, branchOf, workspace } = await openChats(() => true)
    const session = await sayMany(14)
    expect(server.requests.at(-1)?.text).not.toContain('FACT-0 is red')
    expect(server.requests.at(-1)?.text).toContain('FACT-13 is red')
    expect(server.requests.some(({ text }) => text.includes('Summarise the conversation below'))).toBe(false)
    expect(await log()).toBe('')
    expect(await readdir(join(workspace, 'memory')).catch(() => [])).toEqual([])
    const events = sessionEvents(await branchOf(session)).flatMap(({ event }) => (event.type === 'flush' ? event : []))
    expect(events).toMatchObject([{ status: 'failed' }])
    expect(await agent.sessions.list()).toMatchObject([{ id: session, areNotesMissing: true }])
    state.broken = () => false
    await say('go on', session)
    await say('and on', session)
    await say('and on', session)
    for (let turn = 0; turn < 14; turn += 1) expect(await log()).toContain(`FACT-${turn} is red`)
    expect(await agent.sessions.list()).toMatchObject([{ areNotesMissing: false }])
  }, 60_000)

  it('is not summarised by /compact', async () => {
    const { server, state, say, sayMany, log } = await openChats(() => true)
    const summaries = () => server.requests.filter(({ text }) => text.includes('Summarise the conversation below'))
    const session = await sayMany(8)
    await say('/compact', session)
    expect(summaries()).toEqual([])
    state.broken = () => false
    await say('/compact', session)
    expect(summaries()).not.toEqual([])
    expect(await log()).toContain('FACT-0 is red')
  }, 60_000)

  it('is read while it is idle', async () => {
    const { agent, clock, state, sayMany, log } = await openChats(() => true)
    await sayMany(8)
    state.broken = () => false
    await agent.chat.endings.check()
    expect(await log()).toBe('')
    clock.at = new Date(2026, 0, 20, 10, 11)
    await agent.chat.endings.check()
    expect(await log()).toContain('FACT-0 is red')
    expect(await agent.sessions.list()).toMatchObject([{ areNotesMissing: false }])
  }, 60_000)

  it('is read after it has ended, later and later while the model refuses, and at the next start', async () => {
    const { app, home, agent, clock, state, sayMany, log, flushes } = await openChats(() => true)
    const session = await sayMany(6)
    await agent.chat.endings.end(session)
    await agent.chat.endings.check()
    const asked = flushes().length
    clock.at = new Date(2026, 0, 20, 10, 5)
    await agent.chat.endings.check()
    expect(flushes()).toHaveLength(asked)
    clock.at = new Date(2026, 0, 20, 10, 11)
    await agent.chat.endings.check()
    expect(flushes().length).toBeGreaterThan(asked)
    expect(await log()).toBe('')
    await app.close()
    state.broken = () => false
    const again = await openAppOn(home, { watch: false, now: () => clock.at })
    await (await again.app.agents.get('main')).chat.endings.check()
    for (let turn = 0; turn < 6; turn += 1) expect(await log()).toContain(`FACT-${turn} is red`)
  }, 60_000)

  it('continues at the part that failed', async () => {
    const { agent, state, sayMany, log, branchOf, flushes } = await openChats(() => true)
    const session = await sayMany(14)
    state.broken = (text) => text.includes('FACT-13 is red')
    expect(await agent.chat.endings.takeNotes(session)).toBe(false)
    const branch = await branchOf(session)
    expect(flushesOf(branch).at(-1)).toMatchObject({ status: 'failed', throughEntryId: expect.stringMatching(/./) })
    expect((await log()).match(/FACT-0 is red/g)).toHaveLength(1)
    state.broken = () => false
    const before = flushes().length
    expect(await agent.chat.endings.takeNotes(session)).toBe(true)
    expect(
      flushes()
        .slice(before)
        .some(({ text }) => text.includes('FACT-0 is red')),
    ).toBe(false)
    for (let turn = 0; turn < 14; turn += 1) expect((await log()).split(`FACT-${turn} is red`)).toHaveLength(2)
  }, 60_000)

  it('writes private notes if it is private, and none without memory', async () => {
    const { agent, clock, state, sayMany, log, flushes } = await openChats(() => true)
    await sayMany(8, { isPrivate: true })
    await sayMany(8, { withoutMemory: true })
    state.broken = () => false
    expect((await agent.sessions.list()).map(({ areNotesMissing }) => areNotesMissing).sort()).toEqual([false, true])
    clock.at = new Date(2026, 0, 20, 11)
    await agent.chat.endings.check()
    expect(await log()).toContain('FACT-0 is red')
    const open = await agent.memory.search('FACT-0 red', { staysHere: false, hasPrivate: false }, undefined)
    expect(open.results).toEqual([])
    expect(flushes().every(({ text }) => text.includes('FACT-'))).toBe(true)
  }, 60_000)
})
