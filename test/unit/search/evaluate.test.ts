import { describe, expect, it } from 'vitest'
import type { SearchResponse } from '../../../src/shared/contract/index.ts'
import { evaluate } from '../../../src/main/search/evaluation/evaluate.ts'
import { parseQuestions } from '../../../src/main/search/evaluation/judged-questions.ts'

const line = (question: unknown) => parseQuestions(JSON.stringify(question), 'q.jsonl')
const lines = [{ path: 'a.md', startLine: 1, endLine: 1 }]

describe('judged questions', () => {
  it.each([
    ['no lines', { query: 'x' }, /q\.jsonl:1.*relevant/],
    ['empty lines', { query: 'x', relevant: [] }, /relevant/],
    ['another key', { query: 'x', relevent: lines }, /relevant/],
    ['another key for the question', { question: 'x', relevant: lines }, /query/],
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
    ['no object', 'x', /the line/],
  ])('%s is refused, with the place and what is wrong', (_name, question, reason) => {
    expect(() => line(question)).toThrow(reason)
  })

  it('what is no JSON is refused, and questions without an answer need no lines', () => {
    expect(() => parseQuestions('{', 'q.jsonl')).toThrow(/q\.jsonl:1.*not JSON/)
    expect(parseQuestions('{"query":"x"}', 'off.jsonl', 'offTopic')).toMatchObject([{ query: 'x', relevant: [] }])
  })
})

/** What a search that finds these paths answers, best first. */
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
    candidates: results.length,
    provider: 'none',
    model: '',
    stale: false,
    minScore: 0,
    weights: { vector: 0.7, text: 0.3 },
    notice: null,
    timings: { embedMs: 0, vectorMs: 0, textMs: 1, totalMs: 1 },
  }
}

describe('eval', () => {
  it('tells what is returned from what is ranked, and each category by itself', async () => {
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
})
