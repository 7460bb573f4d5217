import { describe, expect, it } from 'vitest'
import { tokenBucket } from '../../../src/main/platform/token-bucket.ts'

describe('Rate', () => {
  it('allows a burst and then the refill rate', () => {
    let now = 0
    const take = tokenBucket(5, 1000, () => now)
    expect(Array.from({ length: 7 }, take)).toEqual([true, true, true, true, true, false, false])
    now = 400
    expect([take(), take(), take()]).toEqual([true, true, false])
    now = 100_000
    expect(Array.from({ length: 6 }, take)).toEqual([true, true, true, true, true, false])
  })
})
