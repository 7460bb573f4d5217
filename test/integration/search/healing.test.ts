/** Compaction while the provider fails and recovers: no fact is lost, and the number of extra requests is bounded. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/shared/contract/index.ts'
import { isCoolingDown, compactionState } from '../../../src/main/agent/compaction/compaction-state.ts'
import { sessionEvents } from '../../../src/main/agent/sessions/session-events.ts'
import type { TranscriptEntry } from '../../../src/main/agent/sessions/transcript-entries.ts'
import { openTestApp } from '../../support/app.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'
import { configOf, conversationModel, factOf, lostFacts } from '../../support/scripted-conversation.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

const now = () => new Date(2026, 0, 20, 10, 0)
const failure: ScriptedAnswer = { status: 422, message: 'out of luck' }

interface Talk {
  readonly contextWindow: number
  readonly files?: Readonly<Record<string, string>>
  /** Length of a message, in characters. */
  readonly size?: number
  /** `request` counts from 1; undefined makes the request succeed. */
  readonly fails?: (request: number, body: Record<string, unknown>) => ScriptedAnswer | undefined
}

async function openTalk({ contextWindow, files = {}, size = 600, fails }: Talk) {
  const server = await startModelServer({ text: 'ok' })
  const behave = conversationModel()
  let asked = 0
  server.respond = (body) => {
    asked += 1
    return fails?.(asked, body) ?? behave(body)
  }
  server.window = contextWindow
  const test = await openTestApp({
    files,
    config: configOf(server.url, ', chat: { titles: false }', contextWindow),
    env: { ANTHROPIC_API_KEY: 'k' },
    now,
  })
  const agent = await test.app.agents.get('main')
  let session: string | undefined
  let turn = 0
  const say = async (turns: number): Promise<void> => {
    for (const end = turn + turns; turn < end; turn += 1) {
      const text = `The list says: ${factOf(turn)}. ${'Some more talk about it. '.repeat(Math.ceil(size / 25))}`
      const sent = await agent.chat.send({ text, session })
      await sent.ended
      session = sent.session
    }
  }
  const transcript = () => agent.sessions.get(session ?? '')
  const events = async (): Promise<SessionEvent[]> =>
    session === undefined ? [] : sessionEvents((await transcript()).branch()).map(({ event }) => event)
  const report = () => agent.chat.meter.report(session, undefined)
  return { ...test, agent, server, say, transcript, events, report, turns: () => turn }
}

/** True for requests that are neither a flush nor a summary. */
const isAnswer = (body: Record<string, unknown>) =>
  !/Memory flush\.|Summarise the conversation below/.test(JSON.stringify(body['messages']))

/** Returns the branch before the message of a turn (0-based). */
function until(branch: readonly TranscriptEntry[], turn: number): TranscriptEntry[] {
  let said = -1
  return branch.slice(
    0,
    branch.findIndex((entry) => entry.type === 'message' && entry.message.role === 'user' && (said += 1) === turn),
  )
}

const isFlush = (body: Record<string, unknown>) => JSON.stringify(body['messages']).includes('Memory flush.')

describe('notes that no flush could take', () => {
  it('are taken from the transcript, in parts, after the model recovers', async () => {
    let isBroken = true
    const { say, server, events, workspace } = await openTalk({
      contextWindow: 16_000,
      fails: (_request, body) => (isBroken && isFlush(body) ? failure : undefined),
    })
    const ofFlushes = async () => (await events()).flatMap((event) => (event.type === 'flush' ? [event.status] : []))
    while (!(await ofFlushes()).includes('failed')) await say(1)
    await say(20)
    expect(JSON.stringify(server.requests.at(-1)?.body['messages'])).not.toContain(factOf(0))
    isBroken = false
    const from = server.requests.length
    // After a failure, one answer is skipped.
    for (let turn = 0; turn < 6 && !(await ofFlushes()).includes('wrote'); turn += 1) await say(1)
    expect(await ofFlushes()).not.toContain('failed')
    expect(server.requests.length - from).toBeLessThan(20)
    expect(await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')).toContain(factOf(0))
    const settled = server.requests.length
    await say(2)
    expect(server.requests.length - settled).toBeLessThanOrEqual(2 + 3)
  }, 60_000)
})

describe('provider that fails at random', () => {
  it('loses no fact, and sends few extra requests, when one request in ten fails', async () => {
    const random = seededRandom()
    const turns = rounds(80, 200)
    const failed: number[] = []
    const talk = await openTalk({
      contextWindow: 16_000,
      fails: (request) => {
        if (talk.turns() >= turns - 10 || random() >= 0.1) return undefined
        failed.push(request)
        return random() < 0.5 ? failure : { status: 500, message: 'gone', headers: { 'retry-after-ms': '1' } }
      },
    })
    await talk.say(turns - 8)
    const { server } = talk
    const before = server.requests.length
    await talk.say(8)
    await talk.app.close()
    const rest = server.requests.length - before
    const answers = turns
    const beside = (server.requests.length - answers) / turns
    process.stdout.write(
      `${turns} turns at 16k: ${server.requests.length} requests, ${failed.length} failed, ${beside.toFixed(2)} a turn beside the answer; last 8 turns ${rest}\n`,
    )
    expect(failed.length).toBeGreaterThan(rounds(1, 10))
    expect(await lostFacts(talk.workspace, await talk.transcript(), turns)).toEqual([])
    expect(beside).toBeLessThanOrEqual(1.5)
    // Two turns after the last failure, requests are back to normal: answers, and at most one compaction cycle.
    expect(rest).toBeLessThanOrEqual(8 + 5)
    expect(compactionState((await talk.transcript()).branch()).isBehind).toBe(false)
  }, 240_000)

  it('answers every message while compaction requests fail, and compacts again two turns after recovery', async () => {
    // With longer messages, fewer turns fill the context window.
    const share = rounds(3, 1)
    const stretches = [
      [12 / share, 60 / share],
      [75 / share, 84 / share],
      [90 / share, 129 / share],
    ] as const
    const turns = 147 / share
    const overloaded = { status: 503, message: 'overloaded', headers: { 'retry-after-ms': '1' } }
    const talk = await openTalk({
      contextWindow: 16_000,
      size: 600 * share,
      fails: (_request, body) => {
        const isBroken = stretches.some(([from, to]) => talk.turns() >= from && talk.turns() < to)
        return isBroken && !isAnswer(body) ? overloaded : undefined
      },
    })
    const asked: number[] = []
    for (let turn = 0; turn < turns; turn += 1) {
      const before = talk.server.requests.length
      await talk.say(1)
      asked.push(talk.server.requests.length - before)
    }
    await talk.app.close()
    const beside = (talk.server.requests.length - turns) / turns
    process.stdout.write(
      `${turns} turns, keeping fails in two of three: ${beside.toFixed(2)} requests a turn beside the answer, most in a turn ${Math.max(...asked)}\n`,
    )
    expect(beside).toBeLessThanOrEqual(1.5)
    for (const [from, to] of stretches) {
      const sum = asked.slice(from, to).reduce((all, count) => all + count, 0)
      expect(sum / (to - from)).toBeLessThanOrEqual(2.5)
    }
    const branch = (await talk.transcript()).branch()
    const isFailed = (entry: TranscriptEntry) =>
      entry.type === 'message' && entry.message.role === 'assistant' && entry.message.stopReason === 'error'
    expect(branch.filter(isFailed)).toEqual([])
    expect(talk.server.refused.count).toBe(0)
    expect(await lostFacts(talk.workspace, await talk.transcript(), turns)).toEqual([])
    expect(
      (await talk.events()).filter((event) => event.type === 'compaction' && event.leftOut).length,
    ).toBeGreaterThan(0)
    // Compaction resumes within two turns after the provider has recovered.
    for (const [, to] of stretches) expect(isCoolingDown(compactionState(until(branch, to + 2)))).toBe(false)
  }, 240_000)

  it('sends at most three requests per turn for any window, files and failing request', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(8192, 12_000, 16_000, 32_768, 65_536, 200_000, 1_000_000),
        fc.record({
          project: fc.integer({ min: 0, max: 60_000 }),
          log: fc.integer({ min: 0, max: 20_000 }),
          isWide: fc.boolean(),
        }),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom<ScriptedAnswer>(
          failure,
          { status: 400, message: 'no' },
          { status: 500, message: 'gone', headers: { 'retry-after-ms': '1' } },
          { text: 'half an answer', cutAfter: 4 },
        ),
        fc.integer({ min: 1, max: 4 }),
        async (contextWindow, { project, log, isWide }, failing, answer, percent) => {
          const text = (characters: number) =>
            isWide ? '记'.repeat(characters) : 'noted '.repeat(Math.ceil(characters / 6))
          const talk = await openTalk({
            contextWindow,
            size: Math.floor((contextWindow * 4 * percent) / 100),
            files: {
              'AGENTS.md': text(Math.floor(project / 3)),
              'USER.md': text(Math.floor(project / 3)),
              'MEMORY.md': text(Math.floor(project / 3)),
              'memory/2026-01-20.md': text(log),
            },
            fails: (request) => (request === failing ? answer : undefined),
          })
          const turns = 30
          await talk.say(turns)
          await talk.app.close()
          expect(talk.server.requests.length).toBeLessThanOrEqual(turns * 3)
          expect(await lostFacts(talk.workspace, await talk.transcript(), turns)).toEqual([])
        },
      ),
      { numRuns: rounds(2, 60) },
    )
  }, 600_000)
})

describe('context window that is smaller than configured', () => {
  it.each([
    ['the provider states', (size: number, window: number) => `prompt is too long: ${size} tokens > ${window} maximum`],
    ['is found by halving', () => 'Your input exceeds the context window of this model. Please adjust your input.'],
  ])(
    'learns, shows and stores a limit that %s',
    async (how, refusal) => {
      const talk = await openTalk({ contextWindow: 128_000, size: rounds(6000, 2000) })
      const [first, then] = [rounds(20, 60), rounds(8, 20)]
      talk.server.window = 14_000
      talk.server.refusal = refusal
      await talk.say(first)
      const { learned, contextWindow } = await talk.report()
      const isGuess = how !== 'the provider states'
      expect(learned).toMatchObject({ believed: 128_000, isGuess, window: contextWindow })
      expect(contextWindow).toBeLessThanOrEqual(isGuess ? 28_000 : 14_000)
      const refusedBefore = talk.server.refused.count
      expect(refusedBefore).toBeGreaterThan(0)
      expect(refusedBefore).toBeLessThanOrEqual(4)
      await talk.say(then)
      expect(talk.server.refused.count - refusedBefore).toBeLessThanOrEqual(isGuess ? 2 : 0)
      const branch = (await talk.transcript()).branch()
      const errors = branch.filter(
        (entry) =>
          entry.type === 'message' && entry.message.role === 'assistant' && entry.message.stopReason === 'error',
      )
      expect(errors).toEqual([])
      expect(await lostFacts(talk.workspace, await talk.transcript(), first + then)).toEqual([])
      const kept = JSON.parse(await readFile(join(talk.home, 'learned-windows.json'), 'utf8')) as Record<string, object>
      expect(kept['anthropic/test-model']).toMatchObject({ believed: 128_000, window: contextWindow })
    },
    120_000,
  )

  it('the setting overrides the learned limit', async () => {
    const talk = await openTalk({ contextWindow: 64_000, size: 6000 })
    talk.server.window = 14_000
    await talk.say(12)
    expect((await talk.report()).contextWindow).toBe(14_000)
    talk.server.window = 64_000
    await talk.app.settings.set([['models', 'anthropic/test-model', 'contextWindow'], 60_000])
    await talk.say(1)
    expect(await talk.report()).toMatchObject({ contextWindow: 60_000 })
    expect((await talk.report()).learned).toBeUndefined()
  }, 60_000)
})

describe('announced steps', () => {
  it('the meter announces a flush or compaction only before a message that triggers it', async () => {
    const talk = await openTalk({ contextWindow: 16_000, size: rounds(3000, 1500) })
    const seen = new Set<string>()
    for (let turn = 0; turn < rounds(20, 40); turn += 1) {
      const before = (await talk.events()).length
      const promised = turn === 0 ? [] : ((await talk.report()).next ?? [])
      await talk.say(1)
      const kinds = (await talk.events()).slice(before).map(({ type }) => (type === 'compaction' ? 'compact' : type))
      // The message itself can cross a threshold, so more steps than announced may run, but not fewer.
      for (const step of promised) expect(kinds).toContain(step)
      for (const kind of kinds) seen.add(kind)
      // A flush that ran is not announced again in the same cycle.
      if (kinds.includes('flush') && !kinds.includes('compact'))
        expect((await talk.report()).next).not.toContain('flush')
    }
    expect(seen).toEqual(new Set(['flush', 'compact']))
  }, 60_000)
})
