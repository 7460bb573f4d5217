import i18next from 'i18next'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { beforeEach, describe, expect, it } from 'vitest'
import { featureGroups } from '../../../src/main/search/ranking/features.ts'
import en from '../../../src/shared/i18n/en.json' with { type: 'json' }
import { resultGroups } from '../../../src/renderer/search/candidates.ts'
import { ScoreBreakdown } from '../../../src/renderer/search/score-breakdown.tsx'
import type { Candidate } from '../../../src/shared/contract/index.ts'

beforeEach(async () => {
  i18next.use(initReactI18next)
  await i18next.init({ lng: 'en', resources: { en: { translation: en } }, interpolation: { escapeValue: false } })
})

function textOf(html: string): string {
  return html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
}

const unit: Candidate = {
  path: 'memory/house.md',
  startLine: 3,
  endLine: 4,
  heading: 'House › Heating',
  date: '2026-01-20',
  snippet: 'The boiler code is 7781.',
  matched: ['boiler', 'code'],
  source: 'memory',
  vector: { raw: 0.62, score: 0.62, rank: 2, terms: [{ term: 'heater', nearest: 'boiler', share: 0.62 }] },
  text: { raw: 4.2, score: 0.81, rank: 1, terms: [{ term: 'boilr', instead: 'boiler', share: 4.2 }] },
  logit: -0.42,
  parts: [
    { name: 'ownWords', contribution: 1.304, features: [{ name: 'coverage', value: 0.5, contribution: 1.304 }] },
    { name: 'meaning', contribution: 0.276, features: [{ name: 'cosine', value: 0.6, contribution: 0.276 }] },
    { name: 'constant', contribution: -2, features: [{ name: 'constant', value: 1, contribution: -2 }] },
  ],
  score: 0.3965,
  verdict: { kind: 'returned', rank: 1 },
}

describe('result groups', () => {
  const found = (path: string, verdict: Candidate['verdict'], score = 0.5): Candidate => ({
    ...unit,
    path,
    source: path.startsWith('sessions/') ? 'sessions' : 'memory',
    score,
    verdict,
  })
  const namesOf = (candidates: readonly Candidate[]) =>
    Object.fromEntries(resultGroups(candidates).map((group) => [group.name, group.candidates.map(({ path }) => path)]))

  it('separate chats from notes and keep the order of both', () => {
    const groups = namesOf([
      found('a.md', { kind: 'returned', rank: 1 }),
      found('b.md', { kind: 'joined', rank: 1 }),
      found('c.md', { kind: 'returned', rank: 2 }),
      found('d.md', { kind: 'overLimit' }),
      found('e.md', { kind: 'outsideFilter', by: ['in:2024'] }),
      found('sessions/f.jsonl', { kind: 'returned', rank: 3 }),
      found('sessions/g.jsonl', { kind: 'duplicate', rank: 1 }),
    ])
    expect(groups).toEqual({
      notes: ['a.md', 'c.md'],
      chats: ['sessions/f.jsonl'],
      weak: [],
    })
  })

  it('have the best weak matches of notes and chats', () => {
    const weak = { kind: 'weak' } as const
    const many = Array.from({ length: 25 }, (_, index) => found(`${index}.md`, weak, 0.1 - index / 1000))
    const [best, ...others] = namesOf([...many, found('sessions/a.jsonl', weak, 0.2)])['weak'] ?? []
    expect(best).toBe('sessions/a.jsonl')
    expect(others).toEqual(many.slice(0, 19).map(({ path }) => path))
  })
})

describe('the score breakdown', () => {
  it('shows signed parts that add up to the sum and the probability', () => {
    const shown = textOf(renderToStaticMarkup(createElement(ScoreBreakdown, { candidate: unit })))
    expect(shown).toContain('BM25 4.20, #1')
    expect(shown).toContain('boilr → boiler 4.20')
    expect(shown).toContain('cosine 0.62, #2')
    expect(shown).toContain('heater ≈ boiler 0.62')
    expect(shown).toMatch(/words in this entry \+1\.30 meaning \+0\.28 base value −2\.00/)
    expect(shown).toContain('sum −0.42 → probability 40%')
  })

  it('has a label for every feature', () => {
    const names: string[] = Object.values(featureGroups).flat()
    const others = ['date', 'recency', 'superseded', 'successor', 'section', 'distance', 'lead', 'constant']
    expect(Object.keys(en.search.feature).sort()).toEqual([...names, ...others].sort())
  })
})
