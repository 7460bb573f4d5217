import { describe, expect, it } from 'vitest'
import {
  featureGroups,
  noFeatures,
  type CandidateUnit,
  type FeatureName,
  type Features,
} from '../../../../src/main/search/ranking/features.ts'
import {
  adjust,
  partsOf,
  rank,
  type KindWeights,
  type RankingWeights,
} from '../../../../src/main/search/ranking/rank.ts'
import { rounds, seededRandom } from '../../../support/thorough.ts'

const names = Object.values(featureGroups).flat()
const orderNames = names.filter((name) => !(featureGroups.query as readonly string[]).includes(name))
const even: KindWeights = { scale: 1, distance: 0, lead: 0 }
const plain: RankingWeights = {
  constant: 0,
  ranking: { ownWords: 1 },
  calibration: {},
  notes: even,
  dialogue: even,
  recall: { notes: 0, dialogue: 0, others: 0 },
}

const unit = (id: number, features: Partial<Features>): CandidateUnit => ({
  id,
  features: { ...noFeatures, ...features },
  bm25: 0,
  wordScores: [],
})

/** Candidates with random features. Some are rounded, so that candidates have equal sums. */
function randomCandidates(random: () => number): CandidateUnit[] {
  const step = random() < 0.3 ? 2 : 1000
  return Array.from({ length: 1 + Math.floor(random() * 12) }, (_, at) => {
    const features = Object.fromEntries(names.map((name) => [name, Math.round(random() * step) / step])) as Features
    return unit(at + 1, { ...features, isDialogue: Number(random() < 0.5) })
  })
}

function oneOf<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T
}

function randomWeights(random: () => number, least: number): RankingWeights {
  const value = () => least + random() * (3 - least)
  const valuesOf = (list: readonly FeatureName[]) => Object.fromEntries(list.map((name) => [name, value()]))
  const kind = () => ({ scale: value(), distance: value(), lead: value() })
  return {
    constant: random() - 2,
    ranking: valuesOf(orderNames),
    calibration: valuesOf(names),
    recall: plain.recall,
    notes: kind(),
    dialogue: kind(),
  }
}

describe('the parts of a score', () => {
  const sumOf = (rows: readonly { readonly contribution: number }[]) =>
    rows.reduce((sum, { contribution }) => sum + contribution, 0)

  it('add up to the logit, and the features of each to the part', () => {
    const random = seededRandom()
    for (let round = 0; round < rounds(200, 5000); round += 1) {
      const weights = randomWeights(random, -3)
      for (const plainUnit of rank(randomCandidates(random), weights)) {
        const dated = adjust(plainUnit, { name: 'date', contribution: random() })
        for (const ranked of [plainUnit, dated, adjust(dated, { name: 'superseded', contribution: -0.5 })]) {
          const parts = partsOf(ranked, weights)
          expect(Math.abs(sumOf(parts) - ranked.logit)).toBeLessThan(1e-9)
          for (const { name, contribution, features } of parts)
            expect(Math.abs(sumOf(features) - contribution), name).toBeLessThan(1e-9)
        }
      }
    }
  })
})

describe('the order', () => {
  it('is by logit, and by id for equal logits, whatever the order of the candidates', () => {
    const random = seededRandom()
    for (let round = 0; round < rounds(200, 5000); round += 1) {
      const weights = randomWeights(random, -3)
      const candidates = randomCandidates(random)
      const ranked = rank(candidates, weights)
      const isOrdered = ranked.every((one, at) => {
        const next = ranked[at + 1]
        return !next || one.logit > next.logit || (one.logit === next.logit && one.id < next.id)
      })
      expect(isOrdered).toBe(true)
      expect(rank(candidates.toReversed(), weights)).toEqual(ranked)
    }
  })

  it('never lowers a unit of which a feature with a positive weight grows', () => {
    const random = seededRandom()
    for (let round = 0; round < rounds(300, 10_000); round += 1) {
      const weights = randomWeights(random, 0)
      const candidates = randomCandidates(random)
      const chosen = oneOf(candidates, random)
      const name = oneOf(orderNames, random)
      const raised = { ...chosen, features: { ...chosen.features, [name]: chosen.features[name] + 2 * random() } }
      const placeIn = (list: CandidateUnit[]) => rank(list, weights).findIndex(({ id }) => id === chosen.id)
      const after = placeIn(candidates.map((one) => (one === chosen ? raised : one)))
      expect(after, name).toBeLessThanOrEqual(placeIn(candidates))
    }
  })
})
