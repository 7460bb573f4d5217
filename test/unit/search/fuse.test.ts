import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textScore, vectorScore } from '../../../src/main/search/ranking/calibrate.ts'
import { fuse, type FuseOptions, type LegInput, type RankedCandidate } from '../../../src/main/search/ranking/fuse.ts'
import { roundToSum } from '../../../src/shared/util/rounding.ts'

const scale = { background: 0.2, threshold: 0.5, power: 3, worth: 0.3 }

interface Drawn {
  readonly cosine: number | null
  readonly share: number | null
}

const cosine = fc.double({ min: -1, max: 1, noNaN: true })
const share = fc.double({ min: 0, max: 1.5, noNaN: true })
const drawn: fc.Arbitrary<Drawn> = fc.record({ cosine: fc.option(cosine), share: fc.option(share) })
const weight = fc.double({ min: 0, max: 1, noNaN: true })
const drawnOptions = fc.record({
  vector: weight,
  text: weight,
  minScore: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
})

function inputOf({ cosine, share }: Drawn, id: number): LegInput {
  return {
    id,
    path: `memory/${String(id).padStart(3, '0')}.md`,
    source: 'memory',
    startLine: 1,
    endLine: 5,
    date: undefined,
    passage: cosine === null ? null : { similarity: cosine, startLine: 1, endLine: 1 },
    keyword: share === null ? null : { raw: share, share, terms: [], bestLine: 0 },
  }
}

function optionsOf({ vector, text, minScore }: { vector: number; text: number; minScore: number }): FuseOptions {
  return {
    weights: { vector, text },
    vectorScale: scale,
    minScore,
    maxResults: 100,
    recencyHalfLifeDays: null,
    today: '2026-01-31',
  }
}

function fuseOne(one: Drawn, options: FuseOptions): RankedCandidate {
  const [ranked] = fuse([inputOf(one, 0)], options).candidates
  if (!ranked) throw new Error('no candidate')
  return ranked
}

describe('fusion, for any scores and weights', () => {
  it('a higher score of either retriever never lowers the final score', () => {
    fc.assert(
      fc.property(
        cosine,
        cosine,
        share,
        share,
        drawnOptions,
        (oneCosine, otherCosine, oneShare, otherShare, drawnOption) => {
          const options = optionsOf(drawnOption)
          const low = { cosine: Math.min(oneCosine, otherCosine), share: Math.min(oneShare, otherShare) }
          const high = { cosine: Math.max(oneCosine, otherCosine), share: Math.max(oneShare, otherShare) }
          const scoreOf = (one: Drawn) => fuseOne(one, options).score
          expect(scoreOf({ ...low, cosine: high.cosine })).toBeGreaterThanOrEqual(scoreOf(low) - 1e-12)
          expect(scoreOf({ ...low, share: high.share })).toBeGreaterThanOrEqual(scoreOf(low) - 1e-12)
        },
      ),
    )
  })

  it('returns every result that one retriever alone would return', () => {
    fc.assert(
      fc.property(cosine, share, drawnOptions, (oneCosine, oneShare, drawnOption) => {
        const options = optionsOf(drawnOption)
        const best = Math.max(vectorScore(oneCosine, scale), textScore(oneShare))
        const { score, verdict } = fuseOne({ cosine: oneCosine, share: oneShare }, options)
        if (best >= options.minScore) {
          expect(score).toBeGreaterThanOrEqual(options.minScore)
          expect(verdict.kind).toBe('returned')
        }
      }),
    )
  })

  it('uses one score alone if the other is missing', () => {
    fc.assert(
      fc.property(cosine, share, drawnOptions, (oneCosine, oneShare, drawnOption) => {
        const options = optionsOf(drawnOption)
        expect(fuseOne({ cosine: null, share: oneShare }, options).score).toBeCloseTo(textScore(oneShare), 12)
        expect(fuseOne({ cosine: oneCosine, share: null }, options).score).toBeCloseTo(
          vectorScore(oneCosine, scale),
          12,
        )
        const without = fuseOne({ cosine: oneCosine, share: oneShare }, { ...options, vectorScale: null })
        expect(without.score).toBeCloseTo(textScore(oneShare), 12)
        expect(without.vector).toBeNull()
      }),
      // Just above the threshold, where the bonus begins.
      { examples: [[0.28, 0.01005, { vector: 0, text: 0, minScore: 0.01 }]] },
    )
  })

  it('the displayed contributions add up to the score', () => {
    fc.assert(
      fc.property(drawn, drawnOptions, (one, drawnOption) => {
        const { vector, text, lift, score } = fuseOne(one, optionsOf(drawnOption))
        const parts = [vector?.contribution ?? 0, text?.contribution ?? 0, lift]
        expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 12)
        const shown = roundToSum(parts, 4).reduce((sum, part) => sum + part, 0)
        expect(Math.abs(shown - score)).toBeLessThanOrEqual(0.00005 + 1e-9)
      }),
    )
  })

  it('the order of the input does not affect the result', () => {
    fc.assert(
      fc.property(
        fc.array(drawn, { minLength: 2, maxLength: 12 }),
        drawnOptions,
        fc.integer(),
        (all, drawnOption, seed) => {
          const inputs = all.map(inputOf)
          const shuffled = inputs
            .map((input, index) => ({ input, key: Math.imul(seed | 1, index + 1) % 97 }))
            .sort((one, other) => one.key - other.key)
            .map(({ input }) => input)
          const orderOf = (given: readonly LegInput[]) =>
            fuse(given, optionsOf(drawnOption)).candidates.map(({ input }) => input.id)
          expect(orderOf(shuffled)).toEqual(orderOf(inputs))
        },
      ),
    )
  })
})
