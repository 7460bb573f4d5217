import { describe, expect, it } from 'vitest'
import type { SearchResponse } from '../../../src/shared/contract/index.ts'
import { evaluate } from '../../../src/main/search/evaluation/evaluate.ts'
import { parseQuestions } from '../../../src/main/search/evaluation/judged-questions.ts'

const line = (question: unknown) => parseQuestions(JSON.stringify(question), 'q.jsonl')
const lines = [{ path: 'a.md', startLine: 1, endLine: 1 }]

describe('judged questions', () => {
  it.each([
    ['a question without lines', { query: 'x' }, /q\.jsonl:1.*relevant/],
    ['a misspelt key', { query: 'x', relevent: lines }, /relevant/],
    [
      'lines without a path',
      { query: 'x', relevant: [{ file: 'a.md', startLine: 1, endLine: 1 }] },
      /relevant\.0\.path/,
    ],
    [
      'lines that end before they begin',
      { query: 'x', relevant: [{ path: 'a.md', startLine: 3, endLine: 1 }] },
      /startLine/,
    ],
  ])('rejects %s, with the line and the reason', (_name, question, reason) => {
    expect(() => line(question)).toThrow(reason)
  })

  it('rejects invalid JSON, and allows off-topic questions without lines', () => {
    expect(() => parseQuestions('{', 'q.jsonl')).toThrow(/q\.jsonl:1.*not JSON/)
    expect(() => parseQuestions('plain', 'off.jsonl', 'offTopic')).toThrow(/off\.jsonl:1 is not a judged question/)
    expect(parseQuestions('\uFEFF{"query":"x"}', 'off.jsonl', 'offTopic')).toMatchObject([{ query: 'x', relevant: [] }])
  })
})

/** Response of a search that finds these paths, best first. */
function response(...found: [path: string, score: number][]): SearchResponse {
  const results = found.map(([path, score]) => ({
    path,
    startLine: 1,
    endLine: 1,
    heading: '',
    score,
    vectorScore: null,
    textScore: score,
    snippet: '',
    matched: [],
    source: 'memory' as const,
  }))
  return {
    query: '',
    results,
    weak: [],
    candidates: results.length,
    provider: 'none',
    model: '',
    stale: false,
    minScore: 0,
    weights: { vector: 0.7, text: 0.3 },
    notice: null,
    timings: { embedMs: 0, totalMs: 1 },
  }
}

describe('evaluate', () => {
  it('reports ranked and returned results separately, for each category', async () => {
    const questions = [
      { query: 'shown', category: 'plain', relevant: lines },
      { query: 'hidden', category: 'typo', relevant: lines },
    ]
    const report = await evaluate(
      {
        rank: (query) =>
          Promise.resolve(
            query === 'shown' ? response(['a.md', 0.6], ['b.md', 0.4]) : response(['a.md', 0.2], ['b.md', 0.1]),
          ),
        search: (query) => Promise.resolve(query === 'shown' ? response(['a.md', 0.6], ['b.md', 0.4]) : response()),
        minScore: 0.35,
        maxResults: 6,
      },
      questions,
      [{ query: 'hidden', relevant: [] }],
      () => undefined,
    )
    expect(report).toMatchObject({
      n: 2,
      recallAt1: 1,
      mrr: 1,
      answered: 0.5,
      returned: { recallAt1: 0.5, mrr: 0.5, answered: 0.5, precision: 0.5 },
      categories: {
        plain: { n: 1, recallAt1: 1, returned: { recallAt1: 1 } },
        typo: { n: 1, recallAt1: 1, returned: { recallAt1: 0 } },
      },
      offTopic: { n: 1, auc: 0.75, answered: 0 },
    })
  })

  /** Evaluates one question whose search returns units at these lines. */
  const evaluateUnits = async (
    units: readonly (readonly [firstLine: number, text: string, score: number])[],
    ...judged: readonly (readonly [startLine: number, endLine: number])[]
  ) => {
    const results = units.flatMap(([startLine, snippet, score]) =>
      response(['a.md', score]).results.map((result) => ({
        ...result,
        startLine,
        endLine: startLine + snippet.split('\n').length - 1,
        snippet,
        date: '2026-05-01',
      })),
    )
    const answer = () => Promise.resolve({ ...response(), results })
    const relevant = judged.map(([startLine, endLine]) => ({ path: 'a.md', startLine, endLine }))
    const target = { rank: answer, search: answer, minScore: null, maxResults: 20 }
    return evaluate(target, [{ query: 'q', relevant }], undefined, () => undefined)
  }

  it('counts a judged line as shown up to the characters of its whole line of output', async () => {
    const other = 'x'.repeat(380)
    const units = [
      [1, other, 0.9],
      [4, 'four\nfive', 0.8],
    ] as const
    const { shownWithin, meanCharacters } = await evaluateUnits(units, [5, 5])
    expect(shownWithin).toEqual({ 400: 0, 800: 1, 1600: 1, 3200: 1 })
    const lines = [`a.md:1 · 0.90 · 2026-05-01 · ${other}\n`, 'a.md:4-5 · 0.80 · 2026-05-01 · four five\n']
    expect(meanCharacters).toBe(lines.join('').length)
    expect((await evaluateUnits(units, [1, 1])).shownWithin).toMatchObject({ 400: 0, 800: 1 })
    expect((await evaluateUnits([[1, other, 0.9]], [5, 5])).shownWithin).toMatchObject({ 800: 0, 3200: 0 })
  })
})
