import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportOf } from '../../../src/main/agent/context/context-timeline.ts'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openAgent } from '../../support/agent.ts'
import { startModelServer } from '../../support/model-server.ts'

interface ChatOptions {
  readonly settings?: { readonly compaction: object } | undefined
  readonly window: number
}

function configOf(url: string, { settings, window }: ChatOptions): string {
  const defaults = { chat: { titles: false }, memory: { embedding: { provider: 'none' } }, ...settings }
  return `providers: { anthropic: { baseUrl: "${url}" } }
models: { anthropic/test-model: { contextWindow: ${window}, maxOutput: 1000 } }
agents:
  defaults: ${JSON.stringify(defaults)}
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/test-model }]
`
}

/**
 * Opens a chat with a server that counts the tokens as the app estimates them. The model answers a flush with NO_REPLY,
 * and summarises.
 */
async function openChat(options: ChatOptions) {
  const server = await startModelServer({ text: 'ok' })
  server.window = 1_000_000
  server.respond = (body) => {
    const last = JSON.stringify((body['messages'] as object[]).at(-1))
    if (last.includes('Summarise the conversation below')) return { text: '## Goal\n- Go on [1]' }
    return { text: last.includes('flush') ? 'NO_REPLY' : 'Noted.' }
  }
  const test = await openAgent(server, { config: configOf(server.url, options) })
  const { agent } = test
  let session: string | undefined
  const transcript = () => agent.sessions.get(session ?? '')
  return {
    ...test,
    server,
    transcript,
    session: () => session ?? '',
    async ask(text: string) {
      session = await test.send(text, session)
      return (await transcript()).messages().at(-1)?.message
    },
    async saveSettings(settings: ChatOptions['settings']) {
      const config = configOf(server.url, { ...options, settings }).replaceAll('{{workspace}}', test.workspace)
      const saved = new Promise<void>((resolve) => test.app.settings.changes.subscribe(() => resolve()))
      await writeFile(join(test.home, 'config.yaml'), config)
      await saved
    },
    /** Kinds of the requests so far. */
    kinds: () => server.requests.map(({ text }) => kindOf(text)),
  }
}

type Chat = Awaited<ReturnType<typeof openChat>>

function kindOf(request: string): 'chat' | 'flush' | 'summary' {
  if (request.includes('Summarise the conversation below')) return 'summary'
  return request.includes('Memory flush.') ? 'flush' : 'chat'
}

/** About 1,000 tokens. */
const filler = (turn: number) => `FILL-${turn} ${'some words of a long talk '.repeat(160)}`

/** Sends messages until a request of this kind was sent. @returns the number of messages */
async function turnsUntil(chat: Chat, kind: 'flush' | 'summary' | 'error', limit = 60): Promise<number> {
  for (let turn = 1; turn <= limit; turn += 1) {
    const answer = await chat.ask(filler(turn))
    const hasFailed = answer?.role === 'assistant' && answer.stopReason === 'error'
    if (kind === 'error' ? hasFailed : chat.kinds().includes(kind)) return turn
  }
  throw new Error(`no ${kind} within ${limit} turns`)
}

const thresholds = async (chat: Chat) => {
  const { contextWindow, reserveTokens, flushAt, compactAt } = await chat.agent.chat.meter.report(undefined, undefined)
  return { contextWindow, reserveTokens, flushAt, compactAt }
}

describe('compaction decides when notes are saved and messages are summarised', () => {
  const window = 32_000

  it('by default: 25 % of a window of 32,000 stay free, and notes are saved 4,000 tokens earlier', async () => {
    const chat = await openChat({ window })
    expect(await thresholds(chat)).toMatchObject({ reserveTokens: 8000, compactAt: 24_000, flushAt: 20_000 })
    await turnsUntil(chat, 'summary')
    const branch = (await chat.transcript()).branch()
    const flushed = branch.findIndex(({ type }) => type === 'flush')
    const compacted = branch.findIndex(({ type }) => type === 'compaction')
    const sizesBefore = (end: number) => branch.slice(0, end).flatMap((entry) => reportOf(entry)?.reportedTokens ?? [])
    expect(Math.max(...sizesBefore(flushed))).toBeLessThanOrEqual(20_000)
    expect(Math.max(...sizesBefore(flushed))).toBeGreaterThan(18_000)
    expect(Math.max(...sizesBefore(compacted))).toBeLessThanOrEqual(24_000)
    expect(branch[compacted]).toMatchObject({ tokensBefore: expect.closeTo(24_500, -3) })
  })

  it('memoryFlush.enabled: false summarises without saving notes', async () => {
    const chat = await openChat({ window, settings: { compaction: { memoryFlush: { enabled: false } } } })
    await turnsUntil(chat, 'summary')
    expect(chat.kinds()).not.toContain('flush')
    expect((await chat.agent.chat.meter.report(chat.session(), undefined)).off).toEqual(['flush'])
  })

  it('memoryFlush.systemPrompt and prompt replace the instructions', async () => {
    const memoryFlush = {
      systemPrompt: 'You are the flush of {{own}}memory.',
      prompt: 'Memory flush. Write {{todaysLog}}.',
    }
    const chat = await openChat({ window, settings: { compaction: { memoryFlush } } })
    await turnsUntil(chat, 'flush')
    const request = chat.server.requests.find(({ text }) => kindOf(text) === 'flush')
    const messages = request?.body['messages']
    const last = Array.isArray(messages) ? messages.at(-1) : undefined
    const own = 'You are the flush of memory.\\n\\nMemory flush. Write memory/2026-01-20.md.'
    expect(JSON.stringify(last)).toContain(own)
    expect(request?.text).not.toContain('will be replaced by a summary')
  })

  it('a saved config.yaml counts for the next request, also in the meter', async () => {
    const chat = await openChat({ window })
    for (let turn = 1; turn <= 13; turn += 1) await chat.ask(filler(turn))
    expect(chat.kinds()).not.toContain('flush')
    await chat.saveSettings({ compaction: { memoryFlush: { softThresholdTokens: 11_000 } } })
    const report = await chat.agent.chat.meter.report(chat.session(), undefined)
    expect(report).toMatchObject({ flushAt: 13_000, next: ['flush'] })
    await chat.ask('go on')
    expect(chat.kinds().slice(-2)).toEqual(['flush', 'chat'])
  })
})

describe('compaction.enabled: false', () => {
  const settings = { compaction: { enabled: false } }

  it('sends the whole chat until it exceeds the window, says so, and answers after a compaction', async () => {
    const chat = await openChat({ window: 16_000, settings })
    const turn = await turnsUntil(chat, 'error')
    expect(new Set(chat.kinds())).toEqual(new Set(['chat']))
    expect(chat.server.requests).toHaveLength(turn - 1)
    const sent = chat.server.requests.at(-1)?.text.match(/FILL-\d+/g)
    expect(sent).toHaveLength(turn - 1)
    const failed = (await chat.transcript()).messages().at(-1)?.message
    expect(failed).toMatchObject({
      errorCode: 'chat_too_long',
      errorData: { model: 'anthropic/test-model', window: 16_000, tokens: expect.any(Number) },
    })
    const report = await chat.agent.chat.meter.report(chat.session(), undefined)
    expect(report).toMatchObject({ off: ['flush', 'compact'], next: [] })

    const { ended } = await chat.agent.chat.retry(chat.session(), undefined, undefined, true)
    await ended
    expect([...new Set(chat.kinds().slice(turn - 1))]).toEqual(['flush', 'summary', 'chat'])
    const request = chat.server.requests.at(-1)?.text
    expect(request).toContain(`FILL-${turn} `)
    expect(request).toContain('<summary>')
    const answer = (await chat.transcript()).messages().at(-1)?.message
    expect(answer && messageText(answer)).toBe('Noted.')
  })

  it('drops nothing if the provider refuses the request as too long', async () => {
    const chat = await openChat({ window: 32_000, settings })
    await chat.ask(filler(1))
    chat.server.respond = (body) =>
      JSON.stringify(body).includes('FILL-1') ? { status: 400, message: 'prompt is too long' } : { text: 'Noted.' }
    const answer = await chat.ask(filler(2))
    expect(answer).toMatchObject({ stopReason: 'error', errorCode: 'context_overflow' })
    expect(chat.server.requests.at(-1)?.text).toContain('FILL-1 ')
    expect(new Set(chat.kinds())).toEqual(new Set(['chat']))
  })
})
