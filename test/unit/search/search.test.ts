import { describe, expect, it } from 'vitest'
import { ChunkPacker, readTerms, type PackedTerms } from '../../../src/main/search/keyword/packed-terms.ts'
import { hasPhrases, scoreChunk as score } from '../../../src/main/search/keyword/bm25.ts'
import {
  measureOf,
  scaleOf,
  textScore,
  vectorScaleOf,
  vectorScore,
  weightsFor,
} from '../../../src/main/search/ranking/calibrate.ts'
import { fuse as fuseAll, type FuseOptions, type LegInput } from '../../../src/main/search/ranking/fuse.ts'
import { planKeywords, type KeywordPlan } from '../../../src/main/search/query/keyword-plan.ts'
import { parseQuery, toIndexPhrase } from '../../../src/main/search/query/parse-query.ts'
import { matchedWords, snippetOf } from '../../../src/main/search/ranking/snippet.ts'
import { TermCounter } from '../../../src/main/search/keyword/term-counter.ts'

function termsOf(text: string): PackedTerms {
  return readTerms(new ChunkPacker('').pack({ text, heading: '' }).terms)
}

function scoreChunk(asked: KeywordPlan, chunk: PackedTerms) {
  return score(asked, chunk, new TermCounter(asked.terms).count(chunk))
}

function plan(query: string, documents: Readonly<Record<string, number>> = {}) {
  return planKeywords(
    parseQuery(query),
    { chunks: 1000, averageLength: 20 },
    { documents: ({ term }) => documents[term] ?? 3, spellings: { has: () => false, nearest: () => [] } },
  )
}

/** Measures the only passage of a memory. */
function measure(asked: KeywordPlan, chunk: PackedTerms) {
  const found = scoreChunk(asked, chunk)
  return measureOf(found, scaleOf([found]))
}

describe('snippets', () => {
  const filler = 'and so the talk went on about this and that. '.repeat(60)

  it('cut a long line to the part with the most query terms', () => {
    const text = `The zeppelin was built. ${filler}The zeppelin landed in Friedrichshafen. ${filler}`
    const { snippet, first } = snippetOf(text, 0, plan('zeppelin Friedrichshafen'))
    expect(snippet).toMatch(/^….*The zeppelin landed in Friedrichshafen\. .*…$/)
    expect(snippet.length).toBeLessThan(710)
    expect(text).toContain(snippet.slice(1, -1))
    expect(first).toBe(0)
  })

  it.each([
    ['a match near the beginning', `The zeppelin landed. ${filler}`, 'zeppelin', /^The zeppelin landed/],
    ['no match', filler, 'harbour', /^and so the talk/],
    ['a match at the end', `${filler}飞艇降落在湖边`, '飞艇', /^….*飞艇降落在湖边$/],
    ['emoji', `${'😀'.repeat(900)} zeppelin`, 'zeppelin', /^…(?:😀)+ zeppelin$/u],
  ])('work with %s', (_, text, query, shown) => {
    const { snippet } = snippetOf(text, 0, plan(query))
    expect(snippet.isWellFormed()).toBe(true)
    expect(snippet).toMatch(shown)
  })

  it('list each matched word once, as written', () => {
    expect(matchedWords('Zeppelins land; the zeppelin landed. 飞艇', plan('zeppelin 飞艇'))).toEqual([
      'Zeppelins',
      'zeppelin',
      '飞艇',
    ])
  })
})

describe('query language', () => {
  it('drops function words unless there are no others', () => {
    expect(parseQuery('Which database did we choose?').terms.map(({ shown }) => shown)).toEqual(['database', 'choose'])
    expect(parseQuery('to be or not to be').terms.length).toBeGreaterThan(0)
  })

  it('quotes the syntax of FTS5', () => {
    const { phrases } = parseQuery('postgres "monthly report" "NEAR(a b)" AND')
    expect(phrases.map(toIndexPhrase)).toEqual(['"monthli report"', '"near a b"'])
    expect(toIndexPhrase({ kind: 'cjk', term: '数 据 库' })).toBe('"数据 据库"')
  })

  it('matches phrases exactly', () => {
    const asked = plan('"staging server"')
    expect(hasPhrases(asked, termsOf('the staging server is up'))).toBe(true)
    expect(hasPhrases(asked, termsOf('the server for staging'))).toBe(false)
  })
})

describe('keyword score', () => {
  it('is a share of the total weight of the query, and the sum of its terms', () => {
    const asked = plan('postgres vault staging')
    const [best, other] = [
      scoreChunk(asked, termsOf('Staging reads POSTGRES from Vault')),
      scoreChunk(asked, termsOf('a vault')),
    ]
    const scale = scaleOf([best, other])
    for (const score of [best, other]) {
      const { share, terms } = measureOf(score, scale)
      expect(terms.reduce((sum, term) => sum + term.share, 0)).toBeCloseTo(share, 12)
      expect(share).toBeCloseTo((scale.evidence * score.raw) / scale.best, 12)
    }
    expect(textScore(measureOf(best, scale).share)).toBeGreaterThan(0.35)
  })

  it('is lower with an unknown word, and more so with an unknown name', () => {
    const chunk = termsOf('we chose postgres')
    const unknown = { xylo: 0, postgresxylo: 0 }
    const known = measure(plan('postgres'), chunk).share
    const verb = measure(plan('does postgres xylo', unknown), chunk).share
    const name = measure(plan('does postgres Xylo', unknown), chunk).share
    expect(verb).toBeLessThan(known)
    expect(name).toBeLessThan(verb)
  })

  it('stays above the threshold for a long question with fillers', () => {
    const chunk = termsOf('The boiler is serviced by Kettlewell every October.')
    const rambling =
      'so I have been wondering for quite a while now, and please forgive me if this was asked before, whether you could perhaps tell me again who services the boiler for us'
    const documents = Object.fromEntries(parseQuery(rambling).terms.map(({ readings }) => [readings[0]?.term ?? '', 0]))
    const asked = plan(rambling, { ...documents, boiler: 1, servic: 1 })
    expect(textScore(measure(asked, chunk).share)).toBeGreaterThan(0.35)
  })

  it('is higher for words close together, and reports their line', () => {
    const asked = plan('staging vault')
    const together = scoreChunk(asked, termsOf('alpha\nbeta\nstaging reads from vault\ngamma'))
    const apart = scoreChunk(asked, termsOf('staging\nalpha\nbeta gamma reads from\nvault'))
    expect(together.raw).toBeGreaterThan(apart.raw)
    expect(together.bestLine).toBeGreaterThanOrEqual(1)
    expect(together.bestLine).toBeLessThanOrEqual(2)
  })

  it('counts whole terms only', () => {
    expect(scoreChunk(plan('art'), termsOf('start party')).raw).toBe(0)
    expect(scoreChunk(plan('数据'), termsOf('大数据库')).raw).toBeGreaterThan(0)
  })

  it('maps shares and cosines monotonically to [0, 1]', () => {
    const shares = [0, 0.05, 0.1, 0.25, 0.5, 0.9, 1]
    const mapped = shares.map(textScore)
    expect(mapped).toEqual([...mapped].sort((one, other) => one - other))
    expect(textScore(0)).toBe(0)
    expect(textScore(100)).toBeLessThan(1)
    expect(textScore(0.478)).toBeCloseTo(0.35)
    const scale = { background: 0.7, threshold: 0.8, power: 3, worth: 0.3 }
    expect(vectorScore(-0.4, scale)).toBe(0)
    expect(vectorScore(0.7, scale)).toBe(0)
    expect(vectorScore(0.8, scale)).toBeCloseTo(0.35)
    expect(vectorScore(1, scale)).toBeLessThan(1)
    const cosines = [0.7, 0.75, 0.79, 0.81, 0.85, 0.9, 1].map((cosine) => vectorScore(cosine, scale))
    expect(cosines).toEqual([...cosines].sort((one, other) => one - other))
  })

  it('requires a higher cosine for a weaker model', () => {
    const measured = { script: 'latin', background: 0.2, unanswered: 0.35, spread: 0.05 } as const
    const scales = [0.05, 0.1, 0.2, 0.4, 0.8].map((worth) => vectorScaleOf({ ...measured, worth }))
    const thresholds = scales.map(({ threshold }) => threshold)
    expect(thresholds).toEqual([...thresholds].sort((one, other) => other - one))
    for (const scale of scales) {
      expect(vectorScore(measured.unanswered, scale)).toBeLessThan(0.1)
      expect(vectorScore(scale.threshold, scale)).toBeCloseTo(0.35)
    }
  })

  it('weights the vector score by the quality of the model, up to 0.4', () => {
    expect(weightsFor('auto', { worth: 0 }).vector).toBe(0.05)
    expect(weightsFor('auto', { worth: 0.12 }).vector).toBeCloseTo(0.1)
    expect(weightsFor('auto', { worth: 0.3 }).vector).toBeGreaterThan(0.2)
    expect(weightsFor('auto', { worth: 1 })).toEqual({ vector: 0.4, text: 0.6 })
  })
})

/** With this scale, scores are easy to compute by hand. */
const linear = { background: 0, threshold: 0.5, power: 1, worth: 1 }
const scoreOf = (cosine: number) => vectorScore(cosine, linear)

const options: FuseOptions = {
  weights: { vector: 0.7, text: 0.3 },
  minScore: 0.35,
  maxResults: 6,
  recencyHalfLifeDays: null,
  vectorScale: linear,
  today: '2026-01-31',
}

function candidate(
  id: number,
  cosine: number | null,
  share: number | null,
  lines: [number, number] = [id * 10, id * 10 + 5],
): LegInput {
  return {
    id,
    path: 'memory/2026-01-01.md',
    source: 'memory',
    startLine: lines[0],
    endLine: lines[1],
    date: '2026-01-01',
    passage: cosine === null ? null : { similarity: cosine, startLine: lines[0], endLine: lines[0] },
    keyword: share === null ? null : { raw: share * 10, share, terms: [], bestLine: 0 },
  }
}

const fuse = (...given: Parameters<typeof fuseAll>) => fuseAll(...given).candidates

describe('fusion', () => {
  it('adds the weighted scores of both retrievers', () => {
    const [hit] = fuse([candidate(1, 0.8, 0.5)], options)
    expect(hit?.score).toBeCloseTo(0.7 * scoreOf(0.8) + 0.3 * textScore(0.5), 10)
    expect((hit?.vector?.contribution ?? 0) + (hit?.text?.contribution ?? 0)).toBeCloseTo(hit?.score ?? 0, 10)
  })

  it('gives one retriever the full weight if the other is off', () => {
    expect(fuse([candidate(1, null, 0.5)], options)[0]?.score).toBeCloseTo(textScore(0.5), 10)
    expect(fuse([candidate(1, 0.8, null)], options)[0]?.score).toBeCloseTo(scoreOf(0.8), 10)
  })

  it('reports a verdict for every candidate', () => {
    const ranked = fuse(
      [
        candidate(1, 0.9, 0.9),
        candidate(2, 0.8, 0.8),
        candidate(3, 0.7, 0.7),
        candidate(4, 0.1, 0),
        candidate(5, 0.6, 0.6, [11, 14]),
      ],
      { ...options, maxResults: 2 },
    )
    expect(ranked.map(({ input, verdict }) => [input.id, verdict.kind])).toEqual([
      [1, 'returned'],
      [2, 'returned'],
      [3, 'beyondMaxResults'],
      [5, 'folded'],
      [4, 'belowMinScore'],
    ])
  })

  it('folds passages that a better result contains, and keeps those with a small overlap', () => {
    const ranked = fuse(
      [candidate(1, 0.9, 0.9, [1, 20]), candidate(2, 0.8, 0.8, [18, 38]), candidate(3, 0.7, 0.7, [10, 22])],
      options,
    )
    expect(ranked.map(({ verdict }) => verdict)).toEqual([
      { kind: 'returned', rank: 1 },
      { kind: 'returned', rank: 2 },
      { kind: 'folded', into: 1 },
    ])
  })

  it('halves the score of a dated file after its half-life, not of an undated one', () => {
    const undated = { ...candidate(2, 0.8, 0.8), date: undefined }
    const ranked = fuse([candidate(1, 0.8, 0.8), undated], { ...options, recencyHalfLifeDays: 30, minScore: 0 })
    expect(ranked[0]?.input.id).toBe(2)
    expect(ranked[1]?.score).toBeCloseTo((ranked[0]?.score ?? 0) / 2, 10)
    expect(ranked[1]?.modifiers).toEqual([{ name: 'recency', factor: 0.5 }])
  })

  it('orders ties independently of the input order', () => {
    const inputs = [candidate(3, 0.5, 0.5), candidate(1, 0.5, 0.5), candidate(2, 0.5, 0.5)]
    expect(fuse(inputs, options).map(({ input }) => input.id)).toEqual([1, 2, 3])
    expect(fuse([...inputs].reverse(), options).map(({ input }) => input.id)).toEqual([1, 2, 3])
    const ofFiles = ['memory/c.md', 'memory/a.md', 'memory/b.md'].map((path, index) => ({
      ...candidate(index, 0.5, 0.5, [1, 5]),
      path,
    }))
    for (const given of [ofFiles, [...ofFiles].reverse()])
      expect(fuse(given, options).map(({ input }) => input.path)).toEqual(['memory/a.md', 'memory/b.md', 'memory/c.md'])
  })
})
