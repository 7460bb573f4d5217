import { describe, expect, it } from 'vitest'
import { rankClassic, textScoreOf, vectorScoreOf } from '../../../../src/main/search/ranking/classic-ranking.ts'
import { noFeatures, type CandidateUnit } from '../../../../src/main/search/ranking/features.ts'
import { partsOf } from '../../../../src/main/search/ranking/rank.ts'
import { rounds, seededRandom } from '../../../support/thorough.ts'

const unit = (id: number, bm25: number): CandidateUnit => ({ id, features: noFeatures, bm25, wordScores: [bm25] })
const weights = { vector: 0.7, text: 0.3 }

describe('classic ranking', () => {
  it('is exactly the weighted sum of the two scores', () => {
    const random = seededRandom()
    for (let round = 0; round < rounds(100, 2000); round += 1) {
      const candidates = Array.from({ length: 10 }, (_, at) => unit(at + 1, 20 * random()))
      const cosines = new Map(candidates.map(({ id }) => [id, 2 * random() - 1]))
      const ranked = rankClassic(candidates, weights, (id) => cosines.get(id))
      for (const { id, bm25, score, logit } of ranked) {
        expect(score).toBe(0.3 * textScoreOf(bm25) + 0.7 * vectorScoreOf(cosines.get(id) ?? NaN))
        expect(logit).toBe(score)
      }
      expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a))
      expect(rankClassic(candidates.toReversed(), weights, (id) => cosines.get(id))).toEqual(ranked)
    }
  })

  it('is the text score without vectors, with any weights', () => {
    const [best, second] = rankClassic([unit(1, 1), unit(2, 3)], weights, undefined)
    expect([best?.id, best?.score, second?.id, second?.score]).toEqual([2, 0.75, 1, 0.5])
    expect(best && partsOf(best, null)).toEqual([{ name: 'text', contribution: 0.75, features: [] }])
  })

  it('counts a unit without a vector as not similar', () => {
    expect(rankClassic([unit(1, 1)], weights, () => undefined)[0]?.score).toBeCloseTo(0.15, 12)
  })

  it('has two parts that add up', () => {
    const [best] = rankClassic([unit(1, 1)], weights, () => 0.5)
    const parts = best ? partsOf(best, null) : []
    expect(parts.map(({ name }) => name)).toEqual(['text', 'vector'])
    expect(parts.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(best?.score ?? NaN, 12)
  })

  it('maps scores to [0, 1]', () => {
    expect([0, 1, 3].map(textScoreOf)).toEqual([0, 0.5, 0.75])
    expect(textScoreOf(1e9)).toBeLessThan(1)
    expect([-0.4, 0, 0.4, 1, 1.000001].map(vectorScoreOf)).toEqual([0, 0, 0.4, 1, 1])
  })
})
