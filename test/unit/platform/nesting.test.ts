import { describe, expect, it } from 'vitest'
import { isWithinDepthLimit, maxLevels } from '../../../src/main/platform/net/bounded-fetch.ts'

describe('nesting', () => {
  it.each([
    [`${'['.repeat(maxLevels)}${']'.repeat(maxLevels)}`, true],
    ['['.repeat(maxLevels + 1), false],
    [`{"a":"\\"${'['.repeat(10_000)}"}`, true],
  ])('%.40s… is shallow: %s', (json, expected) => {
    expect(isWithinDepthLimit(json)).toBe(expected)
  })
})
