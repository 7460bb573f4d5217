import { describe, expect, it } from 'vitest'
import { noFeatures } from '../../../../src/main/search/ranking/features.ts'
import type { RankedUnit } from '../../../../src/main/search/ranking/rank.ts'
import { selectResults, thresholdOf, type SelectionLimits } from '../../../../src/main/search/ranking/select-results.ts'

const contributions = { ownWords: 0, nearbyWords: 0, section: 0, meaning: 0, form: 0, distance: 0, constant: 0 }
const unit = (id: number, score: number, isDialogue = 0): RankedUnit => ({
  id,
  bm25: 0,
  wordScores: [],
  features: { ...noFeatures, isDialogue },
  logit: Math.log(score / (1 - score)),
  score,
  contributions,
  adjustments: [],
  margin: { distance: 0, lead: 0 },
})
const limits: SelectionLimits = { minScore: null, maxResults: 20, maxCharacters: 1000 }
const lines = (length: number) => (one: RankedUnit) => ({ entry: `${one.id}`, text: `${one.id}`, lineLength: length })

function kinds(units: readonly RankedUnit[], changes: Partial<SelectionLimits>, textOf = lines(100)): string[] {
  return selectResults(units, { ...limits, ...changes }, textOf).map(({ kind }) => kind)
}

describe('selectResults', () => {
  it('returns nothing if the best unit is unlikely', () => {
    expect(kinds([unit(1, 0.2), unit(2, 0.1)], {})).toEqual(['weak', 'weak'])
  })

  it('completes a likely answer with less likely units, but not with unlikely ones', () => {
    expect(kinds([unit(1, 0.9), unit(2, 0.06), unit(3, 0.04)], {})).toEqual(['returned', 'returned', 'weak'])
  })

  it('applies a threshold of the caller to each unit', () => {
    expect(kinds([unit(1, 0.6), unit(2, 0.4)], { minScore: 0.5 })).toEqual(['returned', 'weak'])
    expect(kinds([unit(1, 0.01)], { minScore: 0 })).toEqual(['returned'])
  })

  it('stops at the limit of characters, and returns shorter units that still fit', () => {
    const textOf = (one: RankedUnit) => ({
      entry: `${one.id}`,
      text: `${one.id}`,
      lineLength: one.id === 2 ? 600 : 450,
    })
    const units = [unit(1, 0.9), unit(2, 0.8), unit(3, 0.7), unit(4, 0.6)]
    expect(kinds(units, {}, textOf)).toEqual(['returned', 'overLimit', 'returned', 'overLimit'])
  })

  it('returns the best unit even if it is longer than the limit', () => {
    expect(kinds([unit(1, 0.9), unit(2, 0.8)], { maxCharacters: 10 })).toEqual(['returned', 'overLimit'])
  })

  it('joins the parts of an entry, which count as one result', () => {
    const textOf = (one: RankedUnit) => ({
      entry: one.id < 3 ? 'long' : `${one.id}`,
      text: `${one.id}`,
      lineLength: 10,
    })
    const units = [unit(1, 0.9), unit(2, 0.8), unit(3, 0.7)]
    const verdicts = selectResults(units, { ...limits, maxResults: 2 }, textOf)
    expect(verdicts).toEqual([
      { kind: 'returned', rank: 1 },
      { kind: 'joined', rank: 1 },
      { kind: 'returned', rank: 2 },
    ])
  })

  it('folds units that say the same into the first of them', () => {
    const textOf = (one: RankedUnit) => ({ entry: `${one.id}`, text: one.id === 2 ? 'other' : 'same', lineLength: 10 })
    expect(selectResults([unit(1, 0.9), unit(2, 0.8), unit(3, 0.7)], limits, textOf)).toEqual([
      { kind: 'returned', rank: 1 },
      { kind: 'returned', rank: 2 },
      { kind: 'duplicate', rank: 1 },
    ])
  })
})

describe('thresholdOf', () => {
  it.each([
    ['a likely best unit', [unit(1, 0.9), unit(2, 0.06), unit(3, 0.04)], {}],
    ['an unlikely best unit', [unit(1, 0.2), unit(2, 0.1)], {}],
    ['a threshold of the caller', [unit(1, 0.6), unit(2, 0.4)], { minScore: 0.5 }],
  ])('separates the weak units from the others with %s', (_, units, changes) => {
    const threshold = thresholdOf(units, { ...limits, ...changes })
    expect(kinds(units, changes)).toEqual(units.map(({ score }) => (score < threshold ? 'weak' : 'returned')))
  })
})
