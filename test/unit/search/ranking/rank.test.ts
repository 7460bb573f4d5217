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
const units = (...ownWords: number[]) => ownWords.map((value, at) => unit(at + 1, { ownWords: value }))
const logits = (ownWords: number[], weights: Partial<RankingWeights>) =>
  rank(units(...ownWords), { ...plain, ...weights }).map(({ logit }) => logit)

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

describe('the score of a unit', () => {
  it('is the logistic of the logit, which the contributions add up to', () => {
    const random = seededRandom()
    for (let round = 0; round < rounds(200, 5000); round += 1)
      for (const { logit, score, contributions } of rank(randomCandidates(random), randomWeights(random, -3))) {
        expect(Math.abs(Object.values(contributions).reduce((sum, part) => sum + part, 0) - logit)).toBeLessThan(1e-9)
        expect(score).toBeCloseTo((1 + Math.tanh(logit / 2)) / 2, 12)
      }
  })

  it('is the constant, the weighted features and the lead, if the unit is alone', () => {
    const random = seededRandom()
    for (let round = 0; round < rounds(200, 5000); round += 1) {
      const weights = randomWeights(random, -3)
      const candidate = oneOf(randomCandidates(random), random)
      const { scale, lead } = candidate.features.isDialogue === 1 ? weights.dialogue : weights.notes
      let expected = weights.constant + lead
      for (const name of names)
        expected += (scale * (weights.ranking[name] ?? 0) + (weights.calibration[name] ?? 0)) * candidate.features[name]
      expect(Math.abs((rank([candidate], weights)[0]?.logit ?? NaN) - expected)).toBeLessThan(1e-9)
    }
  })

  it('has each feature in the contribution of its group, and those of the query in the constant', () => {
    for (const [group, members] of Object.entries(featureGroups))
      for (const name of members) {
        const weights = { ...plain, ranking: {}, calibration: { [name]: 2 } }
        const [found] = rank([unit(1, { [name]: 1, isDialogue: 1 })], weights)
        const changed = Object.entries(found?.contributions ?? {}).filter(([, value]) => value !== 0)
        expect(changed, name).toEqual([[group === 'query' ? 'constant' : group, 2]])
      }
  })

  it('uses the weights of the kind of unit', () => {
    const weights = { ...plain, dialogue: { ...even, scale: 3 } }
    const candidates = [unit(1, { ownWords: 1 }), unit(2, { ownWords: 1, isDialogue: 1 })]
    expect(rank(candidates, weights).map(({ id, logit }) => [id, logit])).toEqual([
      [2, 3],
      [1, 1],
    ])
  })

  it('scales the ranking weights, but not those of the calibration', () => {
    const weights = { ...plain, calibration: { ownWords: 1 }, notes: { ...even, scale: 10 } }
    expect(rank(units(2), weights)[0]?.logit).toBe(22)
  })
})

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

  it('have the values of the features, without those that add nothing', () => {
    const weights = { ...plain, constant: -1, calibration: { cosine: 3, isCode: 1 }, notes: { ...even, lead: 2 } }
    const [best] = rank([unit(1, { ownWords: 2, cosine: 0.5, coverage: 1 })], weights)
    const parts = best ? partsOf(best, weights) : []
    expect(Object.fromEntries(parts.map(({ name, features }) => [name, features]))).toEqual({
      ownWords: [{ name: 'ownWords', value: 2, contribution: 2 }],
      nearbyWords: [],
      section: [],
      meaning: [{ name: 'cosine', value: 0.5, contribution: 1.5 }],
      form: [],
      distance: [{ name: 'lead', value: 1, contribution: 2 }],
      constant: [{ name: 'constant', value: 1, contribution: -1 }],
    })
  })

  it('have the adjustments in the part of the form', () => {
    const [best] = rank(units(1), plain)
    const raised =
      best && adjust(adjust(best, { name: 'date', contribution: 1.5 }), { name: 'recency', contribution: -1 })
    expect(raised && partsOf(raised, plain).find(({ name }) => name === 'form')).toEqual({
      name: 'form',
      contribution: 0.5,
      features: [
        { name: 'date', value: 1, contribution: 1.5 },
        { name: 'recency', value: 1, contribution: -1 },
      ],
    })
    expect(raised?.score).toBeCloseTo(1 / (1 + Math.exp(-(raised?.logit ?? 0))), 12)
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

  it('puts equal units in the order of their ids', () => {
    const candidates = [unit(9, { ownWords: 1 }), unit(3, { ownWords: 1 }), unit(5, { ownWords: 1 })]
    const weights = { ...plain, notes: { scale: 1, distance: 1, lead: 5 } }
    expect(rank(candidates, weights).map(({ id }) => id)).toEqual([3, 5, 9])
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

describe('the distance from the best unit', () => {
  it('counts from the sum that orders the candidates, down to -4', () => {
    expect(logits([10, 9, 6, 1], { notes: { scale: 0, distance: 1, lead: 0 } })).toEqual([0, -1, -4, -4])
  })

  it('adds the lead of the best unit alone, up to 4', () => {
    const notes = { scale: 0, distance: 0, lead: 1 }
    expect(logits([10, 9, 6], { notes })).toEqual([1, 0, 0])
    expect(logits([10, 1], { notes })).toEqual([4, 0])
    expect(logits([10, 10], { notes })).toEqual([0, 0])
  })

  it('gives a single unit a lead of 3, whatever its sum', () => {
    for (const sum of [-7, 0, 5]) expect(logits([sum], { notes: { scale: 0, distance: 1, lead: 1 } })).toEqual([1])
  })

  it('counts below zero, too', () => {
    expect(logits([-2, -3], { notes: { scale: 0, distance: 1, lead: 0 } })).toEqual([0, -1])
  })
})
