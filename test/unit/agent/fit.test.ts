import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  budgetOf,
  maxSummaryTokens,
  recentTokensToKeep,
  raiseThresholds,
  cutToTokens,
  maxFileTokens,
} from '../../../src/main/agent/context/context-budget.ts'
import { estimateTokens } from '../../../src/shared/util/tokens.ts'
import { defaultSettings } from '../../support/default-settings.ts'

const { compaction } = defaultSettings

const window = fc.integer({ min: 8192, max: 1_000_000 })

describe('roomBeside', () => {
  it('leaves room below both thresholds after a compaction, for any fixed size (property)', () => {
    fc.assert(
      fc.property(window, fc.double({ min: 0, max: 0.9, noNaN: true }), (contextWindow, share) => {
        const fixed = Math.floor(contextWindow * share)
        const budget = raiseThresholds(budgetOf({ contextWindow, maxOutput: 4096 }, compaction), fixed)
        const kept = recentTokensToKeep(budget, compaction.keepRecentTokens, fixed)
        const after = fixed + maxSummaryTokens(budget.compactAt) + kept
        expect(budget.flushAt).toBeLessThanOrEqual(budget.compactAt)
        expect(budget.compactAt).toBeLessThanOrEqual(contextWindow)
        if (share < 0.8) expect(budget.compactAt - after).toBeGreaterThan(contextWindow * 0.03)
        expect(budget.flushAt).toBeGreaterThanOrEqual(fixed)
      }),
    )
  })
})

describe('files in a small window', () => {
  it('limits prompt, tools and files to half of the threshold, for any window (property)', () => {
    fc.assert(
      fc.property(window, fc.nat(2000), (compactAt, system) => {
        expect(
          maxFileTokens({ contextWindow: Math.ceil(compactAt / 0.75), compactAt }, system) + system,
        ).toBeLessThanOrEqual(Math.max(compactAt * 0.5, compactAt * 0.1 + system))
      }),
    )
  })

  it('cuts a text to its token limit in any script (property)', () => {
    const unit = fc.constantFrom('记', 'a', ' ', '\n', '😀', 'word ')
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 3000 }), fc.nat(800), (units, limit) => {
        const text = units.join('')
        const cut = cutToTokens(text, limit)
        expect(estimateTokens(cut)).toBeLessThanOrEqual(limit)
        expect(cut.isWellFormed()).toBe(true)
        if (estimateTokens(text) <= limit) expect(cut).toBe(text)
      }),
    )
  })
})
