import { expect, it } from 'vitest'
import { compactionState } from '../../../src/main/agent/compaction/compaction-state.ts'
import { openAgent } from '../../support/agent.ts'
import { startModelServer } from '../../support/model-server.ts'
import { estimateTokens } from '../../../src/shared/util/tokens.ts'

const walk = Array.from({ length: 130 }, (_, step) => `step ${step},`).join(' ')

/** Opens a chat with a server that refuses longer requests, as llama-server does. */
async function openChat(contextWindow: number, prompt?: string) {
  const server = await startModelServer({ text: 'Good.' })
  server.window = contextWindow
  const sizes: number[] = []
  server.respond = (body) => {
    const text = JSON.stringify(body['messages']) + JSON.stringify(body['tools'] ?? [])
    sizes.push(estimateTokens(text))
    const isFlush = text.includes('Memory flush.')
    const isSummary = text.includes('Summarise the conversation')
    return {
      text: isFlush
        ? 'NO_REPLY'
        : isSummary
          ? '## Goal\n- Talk about the bridge [1]'
          : text.includes('Turn')
            ? `I see. ${walk}`
            : 'Good.',
    }
  }
  const { agent, send, messagesOf } = await openAgent(server, {
    model: 'openai-compatible/m',
    settings: `models: { openai-compatible/m: { contextWindow: ${contextWindow} } }\n`,
    defaults: `memory: { embedding: { provider: none } }${prompt === undefined ? '' : `, prompts: { system: "${prompt}" }`}`,
  })
  let session: string | undefined
  async function ask(text: string) {
    session = await send(text, session)
    return (await messagesOf(session)).at(-1)
  }
  return { agent, ask, sizes, transcript: () => agent.sessions.get(session ?? '') }
}

it.each([
  [8192, 1400],
  [2048, 700],
])('a first message in a window of %i has at most %i tokens', async (window, limit) => {
  const { ask, agent, sizes, transcript } = await openChat(window)
  expect(await ask('hi')).toMatchObject({ stopReason: 'stop' })
  const { file } = await transcript()
  const { estimatedTokens } = await agent.chat.meter.report(undefined, undefined)
  expect([sizes[0], file]).toEqual([expect.any(Number), expect.any(String)])
  expect(sizes[0]).toBeLessThanOrEqual(limit)
  expect(estimatedTokens).toBeLessThanOrEqual(limit)
})

it.each([4096, 2048])('a chat of twenty messages of 260 tokens fits a window of %i', async (window) => {
  const { ask, transcript } = await openChat(window)
  let most = 0
  const compactionsOf = async () => {
    const branch = turns === 0 ? [] : (await transcript()).branch()
    return branch.filter(({ type }) => type === 'compaction').length
  }
  let turns = 0
  for (let turn = 1; turn <= 10; turn += 1) {
    const before = await compactionsOf()
    const answer = await ask(`Turn ${turn}. ${walk}`)
    turns = turn
    expect(answer).toMatchObject({ stopReason: 'stop' })
    most = Math.max(most, (await compactionsOf()) - before)
  }
  const compactions = await compactionsOf()
  expect(most).toBeLessThanOrEqual(1)
  expect(compactions).toBeLessThanOrEqual(window === 4096 ? 2 : 5)
  expect(compactionState((await transcript()).branch()).summary ?? '').not.toContain('left out')
})

it('names the parts that do not fit, and the window', async () => {
  const { ask } = await openChat(1024, 'word '.repeat(1000))
  expect(await ask('hi')).toMatchObject({
    stopReason: 'error',
    errorCode: 'window_too_small',
    errorData: { model: 'openai-compatible/m', window: 1024 },
  })
})

it('refuses a message that is longer than the window, without notes or a summary, and answers the next one', async () => {
  const { ask, sizes } = await openChat(2048)
  await ask('hello first')
  const before = sizes.length
  expect(await ask('word and more '.repeat(1200))).toMatchObject({ stopReason: 'error', errorCode: 'message_too_long' })
  expect(sizes.length - before).toBeLessThanOrEqual(1)
  expect(await ask('hi again')).toMatchObject({ stopReason: 'stop' })
})
