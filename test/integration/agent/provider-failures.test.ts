/** Compaction while the provider fails and recovers: no fact is lost, and the number of extra requests is bounded. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/shared/contract/index.ts'
import { compactionState } from '../../../src/main/agent/compaction/compaction-state.ts'
import { sessionEvents } from '../../../src/main/agent/sessions/session-events.ts'
import { openAgent } from '../../support/agent.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'
import { configOf, conversationModel, factOf, lostFacts } from '../../support/scripted-conversation.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

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
  const test = await openAgent(server, {
    files,
    config: configOf(server.url, ', chat: { titles: false }', contextWindow),
  })
  const { agent, send } = test
  let session: string | undefined
  let turn = 0
  const say = async (turns: number): Promise<void> => {
    for (const end = turn + turns; turn < end; turn += 1) {
      const text = `The list says: ${factOf(turn)}. ${'Some more talk about it. '.repeat(Math.ceil(size / 25))}`
      session = await send(text, session)
    }
  }
  const transcript = () => agent.sessions.get(session ?? '')
  const events = async (): Promise<SessionEvent[]> =>
    session === undefined ? [] : sessionEvents((await transcript()).branch()).map(({ event }) => event)
  const report = () => agent.chat.meter.report(session, undefined)
  return { ...test, server, say, transcript, events, report, turns: () => turn }
}

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
})

describe('context window that is smaller than configured', () => {
  it('learns, shows and stores a limit that is found by halving', async () => {
    const talk = await openTalk({ contextWindow: 128_000, size: rounds(6000, 2000) })
    const [first, then] = [rounds(20, 60), rounds(8, 20)]
    talk.server.window = 14_000
    talk.server.refusal = () => 'Your input exceeds the context window of this model. Please adjust your input.'
    await talk.say(first)
    const { learned, contextWindow } = await talk.report()
    expect(learned).toMatchObject({ believed: 128_000, isGuess: true, window: contextWindow })
    expect(contextWindow).toBeLessThanOrEqual(28_000)
    const refusedBefore = talk.server.refused.count
    expect(refusedBefore).toBeGreaterThan(0)
    expect(refusedBefore).toBeLessThanOrEqual(4)
    await talk.say(then)
    expect(talk.server.refused.count - refusedBefore).toBeLessThanOrEqual(2)
    const branch = (await talk.transcript()).branch()
    const errors = branch.filter(
      (entry) => entry.type === 'message' && entry.message.role === 'assistant' && entry.message.stopReason === 'error',
    )
    expect(errors).toEqual([])
    expect(await lostFacts(talk.workspace, await talk.transcript(), first + then)).toEqual([])
    const kept = JSON.parse(await readFile(join(talk.home, 'learned-windows.json'), 'utf8')) as Record<string, object>
    expect(kept['anthropic/test-model']).toMatchObject({ believed: 128_000, window: contextWindow })
  }, 120_000)

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
