import { describe, expect, it } from 'vitest'
import { Inbound } from '../../../src/main/app/transport/inbound.ts'
import { Rate } from '../../../src/main/app/transport/rate-limit.ts'

describe('M49 limits of the browser host', () => {
  it('M49: so many at once, and then as many as come back', () => {
    let now = 0
    const rate = new Rate(5, 1000, () => now)
    expect(Array.from({ length: 7 }, () => rate.take())).toEqual([true, true, true, true, true, false, false])
    now = 400
    expect([rate.take(), rate.take(), rate.take()]).toEqual([true, true, false])
    now = 100_000
    expect(Array.from({ length: 6 }, () => rate.take())).toEqual([true, true, true, true, true, false])
  })
})

describe('M56 what is under way', () => {
  it('M56: whoever holds most of the budget gives way when it is spent', () => {
    const gone: string[] = []
    const inbound = new Inbound(100)
    const owners = { small: {}, large: {} }
    inbound.open(owners.small, () => gone.push('small'))
    inbound.open(owners.large, () => gone.push('large'))
    inbound.add(owners.small, 30)
    inbound.add(owners.large, 60)
    inbound.add(owners.small, 20)
    expect(gone).toEqual(['large'])
    inbound.reset(owners.small)
    inbound.add(owners.small, 100)
    expect(gone).toEqual(['large'])
  })
})
