import { describe, expect, it } from 'vitest'
import { searchModes } from '../../../../src/shared/contract/search.ts'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { vectorScoreOf } from '../../../../src/main/search/ranking/classic-ranking.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { makeMemory } from '../../../support/made-memory.ts'
import { createSearchIndex } from '../../../support/search-index.ts'

const builtin = createBuiltinEmbeddings(builtinFile)
const { chunking, ...classic } = searchModes.classic

const open = (notes: Readonly<Record<string, string>>) => createSearchIndex(notes, builtin, ':memory:', chunking)

/** The division of OpenClaw's `chunkMarkdown`, for lines that are shorter than half a chunk. */
function chunksOf(text: string): { startLine: number; endLine: number; text: string }[] {
  const all = text.split('\n')
  const chunks: { startLine: number; endLine: number; text: string }[] = []
  let from = 0
  for (let to = 0; to <= all.length; to += 1) {
    const size = all.slice(from, to + 1).reduce((sum, line) => sum + line.length + 1, 0)
    if (to < all.length && size <= 1600) continue
    chunks.push({ startLine: from + 1, endLine: to, text: all.slice(from, to).join('\n') })
    let overlap = 0
    for (from = to; to < all.length && overlap < 320; from -= 1) overlap += (all[from - 1] ?? '').length + 1
  }
  return chunks.filter((chunk) => chunk.text.trim() !== '')
}

describe('classic settings', () => {
  it('return the six chunks with the highest sum of 0.35 or more, with the lines and snippets of OpenClaw', async () => {
    const { files } = makeMemory(7, 600)
    const { search, explain } = open(files)
    const chunks = Object.entries(files).flatMap(([path, text]) => chunksOf(text).map((chunk) => ({ path, ...chunk })))
    const vectors = await builtin.embed(chunks.map(({ text }) => text))
    for (const query of ['who waters the plants in the attic', 'Kafka port of Aurora', 'dentist in Lisbon last week']) {
      const { results, minScore } = await search(query, classic)
      const { candidates } = await explain(query, { ...classic, minScore: 0, maxResults: 1000, maxCharacters: 1e9 })
      const textScores = new Map(candidates.map((unit) => [`${unit.path}:${unit.startLine}`, unit.text?.score ?? 0]))
      const [vector = new Float32Array()] = await builtin.embed([query])
      const expected = chunks
        .map((chunk, at) => {
          const cosine = vector.reduce((sum, value, dimension) => sum + value * (vectors[at]?.[dimension] ?? 0), 0)
          const textScore = textScores.get(`${chunk.path}:${chunk.startLine}`) ?? 0
          return { ...chunk, score: 0.7 * vectorScoreOf(cosine) + 0.3 * textScore }
        })
        .filter(({ score }) => score >= 0.35)
        .toSorted((one, other) => other.score - one.score)
        .slice(0, 6)
      expect(minScore).toBe(0.35)
      expect(results.length).toBeGreaterThan(2)
      expect(results.map(({ path, startLine, endLine, snippet }) => [path, startLine, endLine, snippet])).toEqual(
        expected.map(({ path, startLine, endLine, text }) => [path, startLine, endLine, text.slice(0, 700)]),
      )
      for (const [at, { score }] of results.entries()) expect(score).toBeCloseTo(expected[at]?.score ?? NaN, 5)
    }
  })

  it('return chunks that say the same', async () => {
    const note = '# Boiler\n\n- Kettlewell Heating services the boiler.\n'
    const { find } = open({ 'a.md': note, 'b.md': note })
    expect((await find('who services the boiler', classic)).toSorted()).toEqual(['a.md:1', 'b.md:1'])
    expect(await find('who services the boiler')).toHaveLength(1)
  })

  it('name the newer line of a superseded one, and leave score and order', async () => {
    const old = '- ~~We deploy on Heroku.~~ (until 2026-01-01, now: [b.md:1])'
    const { search, explain } = open({ 'a.md': old, 'b.md': '- Fly runs our services.' })
    const { results } = await search('where do we deploy', { ...classic, minScore: 0 })
    expect(results[0]).toMatchObject({ path: 'a.md', superseded: { until: '2026-01-01', by: 'b.md:1' } })
    for (const { parts, score } of (await explain('where do we deploy', classic)).candidates) {
      expect(parts.map(({ name }) => name)).toEqual(['text', 'vector'])
      expect(parts.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 12)
    }
  })

  it('take time phrases as words and ignore the half-life; filters hold', async () => {
    const { search, explain } = open({
      'memory/2026-03-03.md': '- I paid the rent.',
      'memory/2025-03-03.md': '- I paid the rent.',
      'plan.md': '# Plan\n\n## 2026-03-04\n\n- I paid the rent.',
    })
    const scoresOf = async (overrides: object) =>
      (await search('who paid the rent last week', { ...classic, minScore: 0, ...overrides })).results.map(
        ({ path, score }) => [path, score],
      )
    expect(await scoresOf({ recencyHalfLifeDays: 1 })).toEqual(await scoresOf({}))
    const { candidates, conditions } = await explain('who paid the rent last week', classic)
    expect(conditions).toEqual([])
    expect(candidates.flatMap(({ parts }) => parts.map(({ name }) => name))).not.toContain('form')
    const { results } = await search('rent in:2026-03', { ...classic, minScore: 0 })
    expect(results.map(({ path }) => path).toSorted()).toEqual(['memory/2026-03-03.md', 'plan.md'])
  })
})
