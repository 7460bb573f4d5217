import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distinguishingDigits, roundToSum } from '../../../src/shared/util/rounding.ts'

describe('rounding for display', () => {
  it('shows a score below the threshold with enough digits to differ from it', () => {
    expect((0.2899).toFixed(distinguishingDigits(0.2899, 0.29))).toBe('0.2899')
    expect((0.28996).toFixed(distinguishingDigits(0.28996, 0.29))).toBe('0.28996')
    expect(distinguishingDigits(0.29, 0.29)).toBe(2)
    expect(distinguishingDigits(0.7, 0.35)).toBe(2)
  })

  it('rounded parts add up to the rounded sum', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { minLength: 1, maxLength: 12 }), (parts) => {
        const shown = roundToSum(parts, 4)
        const units = shown.reduce((sum, part) => sum + Math.round(part * 1e4), 0)
        expect(units).toBe(Math.round(parts.reduce((sum, part) => sum + part * 1e4, 0)))
        for (const [index, part] of shown.entries())
          expect(Math.abs(part - (parts[index] ?? 0))).toBeLessThan(1.0001e-4)
      }),
    )
  })
})
