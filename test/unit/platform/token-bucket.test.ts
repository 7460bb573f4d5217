import { describe, expect, it } from 'vitest'
import { TokenBucket } from '../../../src/main/platform/token-bucket.ts'

describe('Rate', () => {
  it('allows a burst and then the refill rate', () => {
    let now = 0
    const rate = new TokenBucket(5, 1000, () => now)
    expect(Array.from({ length: 7 }, () => rate.take())).toEqual([true, true, true, true, true, false, false])
    now = 400
    expect([rate.take(), rate.take(), rate.take()]).toEqual([true, true, false])
    now = 100_000
    expect(Array.from({ length: 6 }, () => rate.take())).toEqual([true, true, true, true, true, false])
  })
})
