import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { TranscriptEntry } from '../../../src/main/agent/sessions/transcript-entries.ts'
import { Transcript } from '../../../src/main/agent/sessions/transcript.ts'
import { openAgent } from '../../support/agent.ts'
import { prepareFolders } from '../../support/app.ts'
import { startModelServer } from '../../support/model-server.ts'
import {
  bigFile,
  bigText,
  configOf,
  conversationModel,
  factOf,
  lostFacts,
  messageOf,
  type ModelBehaviour,
} from '../../support/scripted-conversation.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

const key = 'a-key-of-the-test-0123456789'

async function openConversation(
  behaviour: ModelBehaviour = {},
  options: { window?: number; extra?: string; big?: string; watch?: boolean } = {},
) {
  const server = await startModelServer({ text: 'ok' })
  server.respond = conversationModel(behaviour)
  server.window = options.window ?? 32_000
  const test = await openAgent(server, {
    files: { [bigFile]: options.big ?? bigText },
    config: configOf(server.url, options.extra),
    env: { ANTHROPIC_API_KEY: key },
    watch: options.watch ?? false,
  })
  const { agent, send } = test
  let session: string | undefined
  const talk = async (turns: number, from = 0) => {
    for (let turn = from; turn < from + turns; turn += 1) session = await send(messageOf(turn), session)
    const transcript = await agent.sessions.get(session ?? '')
    return { transcript, session: session ?? '', branch: transcript.branch() }
  }
  return { ...test, server, talk }
}

const ofType = <T extends TranscriptEntry['type']>(branch: readonly TranscriptEntry[], type: T) =>
  branch.filter((entry): entry is Extract<TranscriptEntry, { type: T }> => entry.type === type)

describe('full context window', () => {
  it('loses no fact and no byte over many results of 50,000 characters in a window of 32k', async () => {
    const { talk, workspace, server } = await openConversation()
    const turns = rounds(30, 150)
    const { transcript, branch } = await talk(turns)
    expect(ofType(branch, 'compaction').length).toBeGreaterThan(turns / 30)
    expect(await lostFacts(workspace, transcript, turns)).toEqual([])
    const file = await readFile(transcript.file, 'utf8')
    for (let turn = 0; turn < turns; turn += 1) expect(file).toContain(factOf(turn))
    expect(file.split('of a long report about nothing').length).toBeGreaterThan(turns * 10 * 25)
    const answers = branch.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message] : [],
    )
    expect(answers.filter(({ stopReason }) => stopReason === 'error')).toEqual([])
    const keeping = [...ofType(branch, 'flush'), ...ofType(branch, 'compaction')].reduce(
      (sum, entry) => sum + (entry.usage?.totalTokens ?? 0),
      0,
    )
    const all = keeping + answers.reduce((sum, { usage }) => sum + usage.totalTokens, 0)
    process.stdout.write(
      `cost of keeping: ${((keeping / all) * 100).toFixed(1)} % of ${all} tokens (server counted ${server.tokens})\n`,
    )
    expect(keeping / all).toBeLessThan(0.5)
  }, 120_000)

  it('keeps the history if a summary fails, reports it, and succeeds the next time', async () => {
    const { talk, workspace } = await openConversation({ failSummaries: 4 })
    const turns = rounds(30, 90)
    const { transcript, branch } = await talk(turns)
    expect(branch.some((entry) => entry.type === 'custom' && entry.customType === 'commonplace.notice')).toBe(true)
    expect(ofType(branch, 'compaction').length).toBeGreaterThan(0)
    expect(await lostFacts(workspace, transcript, turns)).toEqual([])
  }, 60_000)

  it('flushes, compacts and repeats the request if the provider’s window is smaller than expected', async () => {
    const { talk, workspace, server } = await openConversation({}, { window: 14_000 })
    const { transcript, branch } = await talk(40)
    expect(server.refused.count).toBeGreaterThan(0)
    expect(ofType(branch, 'compaction').length).toBeGreaterThan(0)
    expect(await lostFacts(workspace, transcript, 40)).toEqual([])
    const failed = branch.filter(
      (entry) => entry.type === 'message' && entry.message.role === 'assistant' && entry.message.stopReason === 'error',
    )
    expect(failed).toEqual([])
  }, 60_000)

  it('flushes a huge result in parts, sends it trimmed, and stores it in full', async () => {
    const { talk, workspace } = await openConversation({}, { big: '一份很长的报告。'.repeat(6000) })
    const { transcript, branch } = await talk(7)
    expect(ofType(branch, 'prune').length).toBeGreaterThan(0)
    expect(await lostFacts(workspace, transcript, 7)).toEqual([])
    expect((await readFile(transcript.file, 'utf8')).split('一份很长的报告').length).toBeGreaterThan(6000)
    expect(branch.at(-1)).not.toMatchObject({ message: { stopReason: 'error' } })
  }, 60_000)

  it('continues after random crashes and loses nothing', async () => {
    const server = await startModelServer({ text: 'ok' })
    server.respond = conversationModel()
    server.window = 32_000
    const { home, workspace } = await prepareFolders({ files: { [bigFile]: bigText }, config: configOf(server.url) })
    const random = seededRandom()
    const driver = fileURLToPath(new URL('../../support/conversation-driver.ts', import.meta.url))
    const live = async (turns: number, isKilled: boolean) => {
      const child = spawn(process.execPath, [driver, home, String(turns)])
      let last = -1
      child.stdout.on('data', (data) => (last = Number(String(data).trim().split('\n').at(-1))))
      // A random moment after the first turn of this run; turns take about 20 ms each.
      if (isKilled) child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), random() * 120))
      const signal = await new Promise((resolve) => child.on('exit', (_code, by) => resolve(by)))
      return { last, signal }
    }
    let said = 0
    for (let kills = 0; kills < rounds(1, 20); kills += 1) {
      const { last, signal } = await live(100_000, true)
      expect(signal).toBe('SIGKILL')
      expect(last).toBeGreaterThanOrEqual(said)
      said = last
    }
    const turns = said + 20
    expect((await live(turns, false)).signal).toBeNull()
    const { readdir } = await import('node:fs/promises')
    const folder = join(home, 'agents/main/sessions')
    const file = (await readdir(folder)).find((name) => name.endsWith('.jsonl')) ?? ''
    const transcript = await Transcript.open(join(folder, file))
    const text = await readFile(transcript.file, 'utf8')
    for (let turn = 0; turn < turns; turn += 1) expect(text).toContain(factOf(turn))
    expect(await lostFacts(workspace, transcript, turns)).toEqual([])
  }, 180_000)
})

describe('commands', () => {
  it('runs commands and records their outcomes as data', async () => {
    const { agent, talk, server } = await openConversation()
    const { session } = await talk(12)
    const run = async (text: string) => {
      const sent = await agent.chat.send({ text: text, session })
      await sent.ended
      const last = (await agent.sessions.get(session))
        .branch()
        .findLast((entry) => entry.type === 'custom' && entry.customType === 'commonplace.command')
      return last?.type === 'custom' ? (last.data as { outcome: unknown }).outcome : undefined
    }
    const asked = server.requests.length
    expect(await run('/remember the gate code is 4711')).toMatchObject({
      kind: 'remembered',
      change: { path: 'memory/2026-01-20.md' },
    })
    expect(await run('/search gate code')).toMatchObject({
      kind: 'found',
      results: [{ path: 'memory/2026-01-20.md', snippet: expect.any(String) }],
    })
    const status = await run('/status')
    expect(status).toMatchObject({ kind: 'status', contextWindow: 32_000, model: 'anthropic/test-model' })
    const { flushAt, compactAt } = status as { flushAt: number; compactAt: number }
    expect(flushAt).toBeLessThan(compactAt)
    expect(compactAt).toBeLessThan(32_000)
    expect(await run('/help')).toEqual({ kind: 'help' })
    expect(await run('/remember')).toEqual({ kind: 'needsArgument', command: 'remember' })
    expect(await run('/model nonsense')).toMatchObject({ kind: 'failed', code: 'unknown_model' })
    expect(server.requests.length).toBe(asked)
    expect(await run('/compact the facts')).toMatchObject({ kind: 'compacted' })
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Pay special attention to: the facts')
  }, 60_000)
})
