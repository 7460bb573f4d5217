/** Superseded lines rank below their successors and are labelled, for users and models. */
import { describe, expect, it } from 'vitest'
import { quoteOf, strikeThrough } from '../../../src/shared/markdown/superseded.ts'
import { superseding } from '../../recall/superseding.ts'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'

const main = { agent: 'main' }
/** Other lines in the notes, so that the answer is not alone in its note. */
const around = ['Lunch with the team was good.', 'It rained all afternoon.', 'The printer jams again.']

/**
 * Puts each answer, old or new, into a log of its own.
 * @param drift number of lines inserted above the new answers after they were referenced
 */
function memory(drift: number): { files: Record<string, string>; places: Map<string, string> } {
  const files: Record<string, string> = {}
  const places = new Map<string, string>()
  for (const [index, [, , now]] of superseding.entries()) {
    const path = logOf(5, index)
    files[path] = `# Log\n\n${around.map((line) => `- ${line}\n`).join('')}\n${'- One more.\n'.repeat(drift)}- ${now}\n`
    places.set(now, `${path}:${7 + drift}`)
  }
  for (const [index, [, was, now]] of superseding.entries()) {
    const [path = '', line] = (places.get(now) ?? '').split(':')
    const old = strikeThrough(`- ${was}`, {
      until: '2026-04-30',
      by: { path, line: Number(line) - drift, ...(drift > 0 ? { text: quoteOf(now) } : {}) },
    })
    files[logOf(2, index)] = `# Log\n\n${old}\n`
  }
  return { files, places }
}

/** Returns the path of a log; 25 in a month, beginning with `month` of 2026. */
function logOf(month: number, index: number): string {
  const day = String(1 + (index % 25)).padStart(2, '0')
  return `memory/2026-0${month + Math.floor(index / 25)}-${day}.md`
}

describe('superseded lines', () => {
  it('ranks the new answer first and labels the old one, also after its line has moved', async () => {
    const { files, places } = memory(40)
    const { client } = await openTestApp({
      files,
      config: `agents:\n  list:\n    - { id: main, workspace: "{{workspace}}" }\n  defaults: { memory: { embedding: { provider: builtin } } }\n`,
    })
    const { search } = client
    await search.settle({ ...main, vectors: true })
    const failed: string[] = []
    let both = 0
    for (const [question, was, now] of superseding) {
      const { results } = await search.query({ ...main, query: question })
      const place = places.get(now) ?? ''
      const first = results.findIndex(({ path, snippet }) => place.startsWith(`${path}:`) && snippet.includes(now))
      const old = results.findIndex(({ snippet }) => snippet.includes(was))
      if (old >= 0) both += 1
      const isLabelled =
        old < 0 || results[old]?.superseded?.by === place || results[old]?.snippet.includes('(until 2026-04-30')
      if (first < 0 || (old >= 0 && old < first) || !isLabelled) failed.push(`${question}: new ${first}, old ${old}`)
    }
    expect(both, 'most old answers are found').toBeGreaterThan(superseding.length / 2)
    expect(failed.length, failed.join('\n')).toBeLessThanOrEqual(superseding.length * 0.05)
  })

  it('ranks a changed fact above the one that it changes', async () => {
    const { client } = await openTestApp({
      files: {
        'memory/2026-11-02.md': `# 2026-11-02

- 08:00 The rent is 1,450 euros a month, the rent is due on the 3rd
- 09:00 The rent goes up to 1,520 euros a month, said the landlord on the phone this morning
- 10:00 The wifi password is tulip7 for guests
- 10:10 The wifi password is hunter2 (old)
- 11:00 停车费每个月 300 块
`,
        'memory/2026-11-15.md':
          '# 2026-11-15\n\n- 18:00 停车费涨到每个月 380 块，物业经理早上打电话来通知大家，还说电梯要修\n',
      },
    })
    const { search } = client
    for (const [query, newer, older] of [
      ['What is the rent?', 'memory/2026-11-02.md:4', 'memory/2026-11-02.md:3'],
      ['停车费每个月多少', 'memory/2026-11-15.md:3', 'memory/2026-11-02.md:7'],
    ] as const) {
      const { results } = await search.query({ ...main, query })
      const places = results.map(({ path, startLine }) => `${path}:${startLine}`)
      expect(places.filter((place) => place === newer || place === older)).toEqual([newer, older])
      expect(results.map(({ superseded }) => superseded)).toEqual(results.map(() => undefined))
    }
  })
})

describe('a newer line in notes without a day', () => {
  it('is known by the day on which the app saw it being written; lines of the first scan have no day', async () => {
    const line = 'The web shop runs on Node 20 with npm.'
    const files = { 'notes/shop.md': `# Shop\n\n${line}\n`, 'notes/found.md': 'We moved the web shop to Deno.\n' }
    const config = `agents:\n  list:\n    - { id: main, workspace: "{{workspace}}" }\n  defaults: { memory: { embedding: { provider: builtin } } }\n`
    const { client } = await openTestApp({ files, config, watch: true, now: () => new Date('2026-11-22T12:00:00') })
    const { search, workspace } = client
    const newerThan = async () => {
      await search.settle({ ...main, vectors: true })
      const { results } = await search.query({ ...main, query: 'Which runtime does the web shop use?' })
      return results.find(({ snippet }) => snippet === line)?.newer?.at
    }
    expect(await newerThan()).toBeUndefined()
    const text = 'We moved the web shop to Bun.\n'
    await workspace.write({ ...main, path: 'notes/written.md', text, expectedHash: null })
    await until(async () => (await newerThan()) === 'notes/written.md:1')
  })
})
