import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDistance } from '../../../src/main/search/ranking/query-words.ts'
import { rounds } from '../../support/thorough.ts'

/** The same by its definition. */
function slowDistance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length
  const [a, b] = [one.at(-1), other.at(-1)]
  const [shorterOne, shorterOther] = [one.slice(0, -1), other.slice(0, -1)]
  const isSwap = one.length > 1 && other.length > 1 && a === other.at(-2) && one.at(-2) === b
  return Math.min(
    slowDistance(shorterOne, other) + 1,
    slowDistance(one, shorterOther) + 1,
    slowDistance(shorterOne, shorterOther) + Number(a !== b),
    isSwap ? slowDistance(one.slice(0, -2), other.slice(0, -2)) + 1 : Infinity,
  )
}

describe('edit distance', () => {
  it.each([
    ['kestrel', 'kestral', 1],
    ['quarantined', 'quarentined', 1],
    ['form', 'from', 1],
    ['receive', 'recieve', 1],
    ['accommodate', 'acomodate', 2],
    ['same', 'same', 0],
    ['', 'ab', 2],
  ])('of %s and %s is %d', (one, other, edits) => {
    expect(editDistance(one, other, 2)).toBe(edits)
    expect(editDistance(other, one, 2)).toBe(edits)
  })

  it('is exact up to the maximum, and larger beyond it', () => {
    const word = fc.array(fc.constantFrom('a', 'b', 'c', 'A', 'é'), { maxLength: 6 }).map((letters) => letters.join(''))
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 3 }), (one, other, maxEdits) => {
        const expected = slowDistance(one, other)
        const found = editDistance(one, other, maxEdits)
        if (expected <= maxEdits) expect(found).toBe(expected)
        else expect(found).toBeGreaterThan(maxEdits)
      }),
      { numRuns: rounds(300, 3000) },
    )
  })
})
