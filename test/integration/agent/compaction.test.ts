import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { TranscriptEntry } from '../../../src/main/agent/sessions/transcript-entries.ts'
import { Transcript } from '../../../src/main/agent/sessions/transcript.ts'
import { openTestApp, prepareFolders } from '../../support/app.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'
import {
  bigFile,
  bigText,
  configOf,
  conversationModel,
  factOf,
  lostFacts,
  memoryText,
  messageOf,
  type ModelBehaviour,
} from '../../support/scripted-conversation.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

const now = () => new Date(2026, 0, 20, 10, 0)
const key = 'a-key-of-the-test-0123456789'

async function openConversation(
  behaviour: ModelBehaviour = {},
  options: { window?: number; extra?: string; big?: string; watch?: boolean } = {},
) {
  const server = await startModelServer({ text: 'ok' })
  server.respond = conversationModel(behaviour)
  server.window = options.window ?? 32_000
  const test = await openTestApp({
    files: { [bigFile]: options.big ?? bigText },
    config: configOf(server.url, options.extra),
    env: { ANTHROPIC_API_KEY: key },
    now,
    watch: options.watch ?? false,
  })
  const agent = await test.app.agents.get('main')
  let session: string | undefined
  const talk = async (turns: number, from = 0) => {
    for (let turn = from; turn < from + turns; turn += 1) {
      const sent = await agent.chat.send({ text: messageOf(turn), session })
      await sent.ended
      session = sent.session
    }
    const transcript = await agent.sessions.get(session ?? '')
    return { transcript, session: session ?? '', branch: transcript.branch() }
  }
  return { ...test, agent, server, talk }
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

  it('retries a flush that fails once', async () => {
    const { talk, workspace } = await openConversation({ failFlushes: 1 })
    const { transcript, branch } = await talk(30)
    expect(await lostFacts(workspace, transcript, 30)).toEqual([])
    expect(ofType(branch, 'flush')[0]?.status).toBe('wrote')
  }, 60_000)

  it('summarises nothing if the flush always fails, and takes all notes later', async () => {
    const behaviour = { failFlushes: Infinity }
    const { talk, workspace, agent } = await openConversation(behaviour)
    const failed = await talk(30)
    expect(new Set(ofType(failed.branch, 'flush').map(({ status }) => status))).toEqual(new Set(['failed']))
    expect(ofType(failed.branch, 'compaction').every(({ leftOut }) => leftOut)).toBe(true)
    expect(await memoryText(workspace)).toBe('')
    expect(await lostFacts(workspace, failed.transcript, 30)).toEqual([])
    expect(await agent.sessions.list()).toMatchObject([{ areNotesMissing: true }])
    behaviour.failFlushes = 0
    const { transcript, branch } = await talk(3, 30)
    expect(ofType(branch, 'flush').at(-1)?.status).toBe('wrote')
    const memory = await memoryText(workspace)
    for (let turn = 0; turn < 30; turn += 1) expect(memory).toContain(factOf(turn))
    expect(await lostFacts(workspace, transcript, 33)).toEqual([])
    expect(await agent.sessions.list()).toMatchObject([{ areNotesMissing: false }])
  }, 60_000)

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

describe('flush', () => {
  it('writes memory files only and adds no visible message', async () => {
    const { talk, agent, server } = await openConversation()
    const behaviour = conversationModel()
    let isFirst = true
    server.respond = (body): ScriptedAnswer => {
      const isFlush = JSON.stringify(body['messages']).includes('Memory flush.')
      if (!isFlush || !isFirst) return behaviour(body)
      isFirst = false
      return { calls: [{ name: 'write', arguments: { path: 'AGENTS.md', content: 'taken over' } }] }
    }
    const { branch, session } = await talk(rounds(15, 30))
    const { workspace } = agent
    expect(await workspace.exists('AGENTS.md')).toBe(false)
    const said = (await agent.sessions.get(session)).messages().map(({ message }) => JSON.stringify(message))
    expect(said.some((message) => message.includes('Memory flush') || message.includes('NO_REPLY'))).toBe(false)
    expect(ofType(branch, 'flush').length).toBeGreaterThan(0)
  }, 60_000)
})

describe('prompt cache', () => {
  it('two requests share their prefix byte for byte up to the new messages', async () => {
    const { talk, server } = await openConversation()
    await talk(4)
    const wire = server.requests.map(({ body }) => body)
    expect(wire.length).toBeGreaterThanOrEqual(4)
    const strip = (value: unknown) => JSON.stringify(value).replaceAll(',"cache_control":{"type":"ephemeral"}', '')
    for (let index = 1; index < wire.length; index += 1) {
      const before = strip(wire[index - 1]?.['messages']).slice(0, -1)
      expect(strip(wire[index]?.['messages']).startsWith(before)).toBe(true)
      expect(strip(wire[index]?.['system'])).toBe(strip(wire[index - 1]?.['system']))
    }
    expect(JSON.stringify(wire.at(-1)?.['messages']).match(/cache_control/g)).toHaveLength(1)
  })
})

describe('stored requests', () => {
  it('stores every request without the key', async () => {
    const { talk, agent, server } = await openConversation()
    const { session } = await talk(5)
    const { count, request } = await agent.sessions.requestWithWire(session)
    expect(count).toBe(server.requests.length)
    expect(request?.json).toContain(factOf(4))
    expect(JSON.stringify(server.requests.at(-1)?.headers)).toContain(key)
    expect(request?.json).not.toContain(key)
    expect((await agent.sessions.requestWithWire(session, 1)).request?.json).toContain(factOf(0))
    expect((await agent.sessions.requestWithWire(session, 999)).request).toBeNull()
  })
})

describe('sessions', () => {
  it('writes nothing for an empty session', async () => {
    const { app, workspace } = await openTestApp({ now })
    const agent = await app.agents.get('main')
    const { session } = await agent.chat.send({ text: '/new' })
    await agent.chat.send({ text: '/new', session })
    await app.close()
    const { readdir } = await import('node:fs/promises')
    expect(await readdir(join(workspace, 'memory')).catch(() => [])).toEqual([])
  })

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

describe('notes in a flush’s answer', () => {
  const answersFlushesWith = (answer: string) => {
    const behave = conversationModel()
    return (body: Record<string, unknown>): ScriptedAnswer =>
      JSON.stringify(body['messages']).includes('Memory flush.') ? { text: answer } : behave(body)
  }

  it('are written to today’s log as a flush, and reported', async () => {
    const { talk, server, agent, workspace } = await openConversation({}, { watch: true })
    server.respond = answersFlushesWith(
      '- FACT-101 the code of locker 101 is 4711\n- FACT-102 is in the cellar\n\nNO_REPLY',
    )
    const { branch } = await talk(rounds(15, 30))
    const log = await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')
    expect(log).toContain('- FACT-101 the code of locker 101 is 4711\n- FACT-102 is in the cellar\n')
    expect(log).not.toContain('NO_REPLY')
    const flush = ofType(branch, 'flush')[0]
    expect(flush).toMatchObject({ status: 'wrote', changes: [{ path: 'memory/2026-01-20.md' }] })
    await agent.history.flush()
    const [latest] = (await agent.history.timeline({ path: 'memory/2026-01-20.md', limit: 1 })) ?? []
    expect(latest).toMatchObject({ cause: 'flush' })
  }, 60_000)

  it.each(['NO_REPLY', '**no reply**', 'Nothing to save. NO_REPLY', 'Done.', '没有需要保存的内容。'])(
    'are not written if the model says that there are none: %s',
    async (answer) => {
      const { talk, server, agent } = await openConversation()
      server.respond = answersFlushesWith(answer)
      const { branch } = await talk(rounds(15, 30))
      expect(ofType(branch, 'flush')[0]).toMatchObject({ status: 'nothing', changes: [] })
      expect(await agent.workspace.exists('memory/2026-01-20.md')).toBe(false)
    },
    60_000,
  )
})
