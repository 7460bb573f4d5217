import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { calibrateReport } from '../../../src/main/agent/context/message-text.ts'
import { contextTimeline, eventDetails, reportOf } from '../../../src/main/agent/context/context-timeline.ts'
import { openAgent } from '../../support/agent.ts'
import { startModelServer } from '../../support/model-server.ts'
import { bigFile, bigText, configOf, conversationModel, messageOf } from '../../support/scripted-conversation.ts'

const talk = [
  'We moved the staging database to port 5433 because the old machine was too slow for the nightly import.',
  '明天下午三点和王芳讨论新版本的发布计划，记得带上测试报告。',
  'Can you explain how the retry logic decides between a timeout and a rate limit?\n\n```ts\nif (status === 429) wait(retryAfter)\nelse if (elapsed > limit) throw new Timeout()\n```',
  '今天的会议决定把数据库换成 PostgreSQL，理由是全文检索和备份都更简单。',
  'Ann prefers short answers. Please keep that in mind, and do not repeat the question before you answer it.',
]

async function openTalk(options: { window?: number } = {}) {
  const server = await startModelServer({ text: 'ok' })
  server.countTokens = countTokens
  server.window = options.window ?? 200_000
  let turn = 0
  server.respond = () => ({
    text: `Answer ${(turn += 1)}: ${talk[(turn * 3) % talk.length]} ${'It depends on what was agreed before. '.repeat(turn % 6)}`,
  })
  const config = configOf(server.url).replace('contextWindow: 32000', `contextWindow: ${options.window ?? 200_000}`)
  const files = {
    'MEMORY.md': `# Memory\n\n${talk.map((line) => `- ${line.split('\n')[0]}`).join('\n')}\n`,
    'USER.md': '# User\n\nAnn, an engineer in Lisbon. 喜欢喝茶。\n',
    'memory/2026-01-20.md': '# 2026-01-20\n\n- Deployed version 4 in the morning.\n',
  }
  const test = await openAgent(server, { files, config })
  let session: string | undefined
  const say = async (text: string) => (session = await test.send(text, session))
  return { ...test, server, say }
}

describe('context meter', () => {
  it('stays within 3 % of the provider’s count over 30 turns, and its layers sum to the total', async () => {
    const { agent, say } = await openTalk()
    let session = ''
    for (let turn = 0; turn < 30; turn += 1) session = await say(`${talk[turn % talk.length]} (${turn})`)
    const { meter } = agent.chat
    const { steps } = contextTimeline((await agent.sessions.get(session)).branch())
    expect(steps).toHaveLength(30)
    for (const { estimatedTokens, reportedTokens, layers } of steps) {
      expect(estimatedTokens).toBe(reportedTokens)
      expect(Object.values(layers).reduce((sum, tokens) => sum + tokens, 0)).toBe(estimatedTokens)
    }
    // Before its answer, a request is calibrated by the previous report.
    const reports = (await agent.sessions.get(session)).branch().flatMap((entry) => reportOf(entry) ?? [])
    const errors = reports.slice(1).map((report, index) => {
      const before = calibrateReport({ ...report, reportedTokens: null }, reports[index])
      expect(before.items.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(before.estimatedTokens)
      return Math.abs(before.estimatedTokens / (report.reportedTokens ?? 0) - 1)
    })
    const worst = Math.max(...errors)
    process.stdout.write(`meter: at most ${(worst * 100).toFixed(2)} % off before the provider answers\n`)
    expect(worst).toBeLessThan(0.03)
    const shown = await meter.report(session, undefined)
    expect(shown.estimatedTokens).toBe(reports.at(-1)?.reportedTokens)
  }, 60_000)

  it('returns each item of any request as it was sent', async () => {
    const { agent, say } = await openTalk()
    const session = await say('The first question is about tea.')
    await say('The second question is about coffee.')
    const { meter } = agent.chat
    const { steps } = contextTimeline((await agent.sessions.get(session)).branch())
    expect(steps.map(({ request }) => request)).toEqual([1, 2])
    expect(await meter.text(session, 1, 'message', 'message')).toContain('about tea')
    expect(await meter.text(session, 2, 'message', 'message')).toContain('about coffee')
    expect(await meter.text(session, 2, 'conversation', 'conversation')).toContain('about tea')
    expect(await meter.text(session, 2, 'project', 'USER.md')).toContain('喜欢喝茶')
    expect(await meter.text(session, 2, 'logs', 'memory/2026-01-20.md')).toContain('version 4')
    expect(await meter.text(undefined, undefined, 'system', 'tools')).toContain('memory_search')
    await expect(meter.report(session, 'none')).rejects.toMatchObject({ code: 'input_invalid' })
  })

  it('lists each flush, compaction and pruning with its details', async () => {
    const server = await startModelServer({ text: 'ok' })
    server.respond = conversationModel()
    server.window = 32_000
    let time = new Date(2026, 0, 20, 10).getTime()
    const { agent, send } = await openAgent(server, {
      files: { [bigFile]: bigText },
      config: configOf(server.url),
      now: () => new Date(time),
    })
    let session: string | undefined
    for (let turn = 0; turn < 25; turn += 1) {
      // After ten idle minutes the prompt cache has expired, so old results are pruned.
      if (turn >= 11) time += 600_000
      session = await send(messageOf(turn), session)
    }
    const { steps, events } = contextTimeline((await agent.sessions.get(session ?? '')).branch())
    const kinds = new Set(events.map(({ event }) => event.type))
    expect(kinds).toEqual(new Set(['flush', 'compaction', 'prune']))
    expect(events.every(({ before }) => before > 0 && before <= steps.length)).toBe(true)
    const details = async (type: string) => {
      const found = events.find(({ event }) => event.type === type)
      return eventDetails((await agent.sessions.get(session ?? '')).branch(), found?.id ?? '')
    }
    const compaction = await details('compaction')
    expect(compaction.dropped.length).toBeGreaterThan(2)
    expect(compaction.kept.length).toBeGreaterThan(0)
    expect(compaction.dropped[0]?.text).toContain('FACT-0')
    expect((await details('prune')).results[0]).toMatchObject({ tool: 'read' })
  }, 60_000)
})
