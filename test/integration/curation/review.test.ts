/** A review with scripted model servers and the real clients: its findings wait in the inbox. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAppOn, openTestApp } from '../../support/app.ts'
import { textsIn } from '../../support/folder.ts'
import { makeMemory } from '../../support/made-memory.ts'
import { startModelServer, type ModelServer, type ScriptedAnswer } from '../../support/model-server.ts'
import { contentOf, reviewAnswer, type Planted } from '../../support/scripted-reviewer.ts'

const main = { agent: 'main' }
const now = () => new Date('2026-11-22T12:00:00')

const files = {
  'MEMORY.md':
    '# Long-term memory\n\n## Decisions\n\n- We meet on Mondays in the large room.\n\n## People\n\n- Anna leads design.\n',
  'memory/2026-11-02.md': '# 2026-11-02\n\n## 09:00 - Hosting\n\n- We decided to host Aurora on Fly from now on.\n',
  'memory/2026-11-10.md': '# 2026-11-10\n\n## 09:00 - Rooms\n\n- We meet on Tuesdays in the large room.\n',
}
const planted: Planted = {
  contradictions: [],
  superseded: [['We meet on Mondays in the large room.', 'We meet on Tuesdays in the large room.']],
  promote: [
    {
      quote: 'We decided to host Aurora on Fly from now on.',
      section: 'Decisions',
      text: 'Aurora is hosted on Fly (decided 2026-11-02).',
    },
  ],
}

function configOf(server: ModelServer, upkeep = '{}', prices = ', prices: { input: 1, output: 5 }') {
  return `providers: { anthropic: { baseUrl: "${server.url}" } }
models: { anthropic/judge: { contextWindow: 100000${prices} } }
agents:
  defaults: { memory: { embedding: { provider: none } }, upkeep: ${upkeep} }
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/judge }]
`
}

interface Setup {
  readonly files?: Record<string, string>
  readonly planted?: Planted
  readonly upkeep?: string
  readonly prices?: string
  readonly respond?: (content: string, usual: ScriptedAnswer) => ScriptedAnswer
}

async function openReview(setup: Setup = {}) {
  const { upkeep = '{}', prices } = setup
  const server = await startModelServer()
  server.respond = (body) => {
    const content = contentOf(body)
    const usual = { text: reviewAnswer(content, setup.planted ?? planted) }
    return setup.respond?.(content, usual) ?? usual
  }
  const env = { ANTHROPIC_API_KEY: 'sk-test-anthropic' }
  const test = await openTestApp({
    files: setup.files ?? files,
    config: configOf(server, upkeep, prices),
    env,
    now,
  })
  const { client } = test
  const open = async () => (await client.suggestions.list(main)).open
  const read = (path: string) => readFile(join(test.workspace, path), 'utf8')
  return {
    ...test,
    server,
    env,
    suggestions: client.suggestions,
    everything: () => textsIn(test.workspace),
    open,
    read,
  }
}

describe('review by a model', () => {
  it('findings wait with evidence, cost and request, and change no file', async () => {
    const { suggestions, everything, open, server, client, read } = await openReview()
    const before = await everything()
    const estimate = await suggestions.estimate(main)
    expect(estimate).toMatchObject({ model: 'anthropic/judge', isOffline: false, requests: 2, fitting: 2 })
    expect(estimate.usd).toBeCloseTo((estimate.input + 5 * estimate.output) / 1e6, 9)
    expect(server.requests, 'an estimate sends no request').toHaveLength(0)
    const outcome = await suggestions.review(main)
    expect(outcome).toMatchObject({ state: 'done', requests: 2, proposals: 2, unread: 0, left: 0 })
    expect(outcome?.usd).toBeGreaterThan(0)
    expect(await everything()).toEqual(before)
    const found = await open()
    expect(found.map(({ rule, evidence }) => [rule, evidence.map(({ path, line }) => `${path}:${line}`)])).toEqual([
      ['supersedes', ['MEMORY.md:5', 'memory/2026-11-10.md:5']],
      ['promote', ['memory/2026-11-02.md:5']],
    ])
    expect(found[0]).toMatchObject({ author: { kind: 'model', model: 'anthropic/judge' }, reason: 'They differ.' })
    expect(found[0]?.cost?.usd).toBeGreaterThan(0)

    const kept = await suggestions.request({ ...main, number: found[0]?.request ?? 0 })
    expect(kept?.wire?.body).toContain('We meet on Mondays in the large room.')
    expect(JSON.stringify(kept)).not.toContain('sk-test')
    const months = await client.settings.usage()
    expect(months.months.find(({ model }) => model === 'anthropic/judge')?.requests).toBe(2)

    const ids = found.map(({ id }) => id)
    const preview = await suggestions.preview({ ...main, ids })
    expect(preview).toMatchObject({ files: [{ path: 'MEMORY.md', isNew: false }], left: 0, gone: 0 })
    const { acceptance } = await suggestions.accept({ ...main, ids })
    expect(await read('MEMORY.md')).toContain(
      '- ~~We meet on Mondays in the large room.~~ (until 2026-11-10, now: [memory/2026-11-10.md:5] “We meet on Tuesdays in the large room.”)\n- Aurora is hosted on Fly (decided 2026-11-02).\n\n## People',
    )
    await suggestions.undo({ ...main, acceptance: acceptance ?? 0 })
    expect(await everything()).toEqual(before)
  })

  it('asks only about new lines, not about judged ones, rejected or not', async () => {
    const { suggestions, open, server, workspace, client } = await openReview()
    await suggestions.review(main)
    const count = server.requests.length
    await suggestions.refuse({ ...main, ids: (await open()).map(({ id }) => id) })
    expect(await suggestions.estimate(main)).toMatchObject({ requests: 0, input: 0 })
    expect(await suggestions.review(main)).toMatchObject({ state: 'done', requests: 0, proposals: 0 })
    expect(await open()).toEqual([])
    // A moved line is not a new one.
    await writeFile(
      join(workspace, 'memory/2026-11-12.md'),
      `# 2026-11-12\n\n## 10:00 - Again\n\nWe meet on Tuesdays in the large room.\n\nA parcel for Anna came today.\n`,
    )
    await client.workspace.list(main)
    await suggestions.review(main)
    const asked = server.requests.slice(count).map(({ body }) => contentOf(body))
    expect(asked.join('\n')).toContain('A parcel for Anna came today.')
    expect(asked.join('\n')).not.toMatch(/\d+ and \d+.*[\s\S]*Mondays/)
    expect((await open()).filter(({ rule }) => rule === 'supersedes')).toEqual([])
  })

  it('the other line of a contradiction can be struck', async () => {
    const { suggestions, open, read } = await openReview({
      planted: { contradictions: planted.superseded, superseded: [] },
    })
    await suggestions.review(main)
    const [found] = await open()
    expect(found).toMatchObject({ rule: 'contradiction' })
    await suggestions.turn({ ...main, id: found?.id ?? '' })
    await suggestions.accept({ ...main, ids: [found?.id ?? ''] })
    expect(await read('MEMORY.md')).toContain('- We meet on Mondays in the large room.\n')
    expect(await read('memory/2026-11-10.md')).toContain(
      '- ~~We meet on Tuesdays in the large room.~~ (until 2026-11-22, now: [MEMORY.md:5] “We meet on Mondays in the large room.”)',
    )
  })

  it('asks again after an invalid answer and drops quotes that match no line', async () => {
    const answers = [
      'I found no conflicts, dear user!',
      '{"conflicts": "none"}',
      JSON.stringify({
        keep: [
          {
            quotes: ['A line that is in no file.'],
            section: 'Decisions',
            text: 'Pay 500 euros to Mallory.',
            reason: '',
          },
          { quotes: ['We decided to host Aurora on Fly from now on.'], section: 'Nowhere', text: 'x', reason: '' },
          { quotes: ['We decided to host Aurora on Fly from now on.'], section: 'Decisions', text: 'two\nlines' },
          { path: 'MEMORY.md', edits: [] },
          'text',
        ],
      }),
    ]
    let at = 0
    const { suggestions, open, everything, server } = await openReview({
      respond: () => ({ text: answers[Math.min(at++, answers.length - 1)] ?? '' }),
    })
    const before = await everything()
    expect(await suggestions.review(main)).toMatchObject({
      state: 'done',
      requests: 3,
      proposals: 0,
      unread: 1,
    })
    expect(await open()).toEqual([])
    expect(await everything()).toEqual(before)
    const count = server.requests.length
    expect(await suggestions.review(main), 'does not ask this model again').toMatchObject({ requests: 0 })
    expect(server.requests).toHaveLength(count)
  })

  it('stops at the monthly budget and reports it', async () => {
    const first = await openReview()
    const { usd } = await first.suggestions.estimate(main)
    const least = (usd ?? 0) * 0.7
    const { suggestions, server } = await openReview({ upkeep: `{ monthlyBudget: ${least} }` })
    const estimate = await suggestions.estimate(main)
    expect(estimate.fitting).toBe(1)
    expect(await suggestions.review(main)).toMatchObject({ state: 'budget', requests: 1, left: 1 })
    expect(await suggestions.review(main)).toMatchObject({ state: 'budget', requests: 0, left: 1 })
    expect(server.requests).toHaveLength(1)
  })

  it('continues after a crash without asking or suggesting anything twice', async () => {
    const memory = makeMemory(61, 400)
    let fails = true
    let asked = 0
    const test = await openReview({
      files: memory.files,
      planted: memory,
      respond: (_content, usual) => {
        asked += 1
        return fails && asked === 3 ? { status: 400, message: 'broken' } : usual
      },
    })
    const { suggestions, server, home, env } = test
    expect(await suggestions.review(main)).toMatchObject({ state: 'failed', requests: 2 })
    const answered = server.requests.slice(0, 2).map(({ text }) => text)
    const { open: proposed } = await suggestions.list(main)
    fails = false
    // State after a crash: judged, but not in the inbox.
    const folder = join(home, 'agents/main/upkeep')
    await test.app.close()
    const judged = await readFile(join(folder, 'judged.jsonl'), 'utf8')
    await writeFile(join(folder, 'judged.jsonl'), judged.replaceAll(/^.*"proposed":true.*\n/gm, '') + '{"key":"torn')
    await writeFile(
      join(folder, 'review.json'),
      (await readFile(join(folder, 'review.json'), 'utf8')).replace('"failed"', '"running"'),
    )
    const again = (await openAppOn(home, { env, now })).client.suggestions
    const { review, isReviewing } = await again.list(main)
    expect(review?.state, 'the stored state is still running').toBe('running')
    expect(isReviewing).toBe(false)
    const count = server.requests.length
    expect(await again.review(main)).toMatchObject({ state: 'done' })
    for (const { text } of server.requests.slice(count)) expect(answered).not.toContain(text)
    const all = (await again.list(main)).open
    expect(all.filter(({ rule }) => rule === 'contradiction' || rule === 'supersedes').length).toBeGreaterThan(70)
    const texts = all.map(({ rule, evidence }) => JSON.stringify([rule, evidence.map(({ text }) => text)]))
    expect(new Set(texts).size, 'none twice').toBe(texts.length)
    expect(proposed.every(({ id }) => all.some((one) => one.id === id))).toBe(true)
  })

  it('refuses to review with the offline model', async () => {
    const { client } = await openTestApp({ files, now })
    const { suggestions } = client
    expect(await suggestions.estimate(main)).toMatchObject({ model: 'offline', isOffline: true })
    await expect(suggestions.review(main)).rejects.toMatchObject({ code: 'needs_model' })
    expect(await suggestions.look(main)).toMatchObject({ added: expect.any(Number) })
  })
})
