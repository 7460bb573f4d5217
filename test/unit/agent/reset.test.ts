import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isSessionOver } from '../../../src/main/agent/sessions/session-service.ts'

const daily = { mode: 'daily', atHour: 4, idleMinutes: 240 } as const
const at = (month: number, day: number, hour: number, minute = 0) => new Date(2026, month - 1, day, hour, minute)

describe('reset rules', () => {
  it.each([
    [at(1, 20, 23), at(1, 21, 3, 59), false],
    [at(1, 20, 23), at(1, 21, 4), true],
    [at(1, 20, 3), at(1, 20, 5), true],
  ])('daily: last message %s, now %s: over is %s', (last, now, over) => {
    expect(isSessionOver(last, now, daily)).toBe(over)
  })

  it('supports idle, both and off', () => {
    const idle = { ...daily, mode: 'idle' } as const
    expect(isSessionOver(at(1, 20, 10), at(1, 20, 13, 59), idle)).toBe(false)
    expect(isSessionOver(at(1, 20, 10), at(1, 20, 14), idle)).toBe(true)
    expect(isSessionOver(at(1, 20, 3), at(1, 20, 4, 1), idle)).toBe(false)
    expect(isSessionOver(at(1, 20, 3), at(1, 20, 4, 1), { ...daily, mode: 'daily+idle' })).toBe(true)
    expect(isSessionOver(at(1, 1, 3), at(1, 20, 4, 1), { ...daily, mode: 'off' })).toBe(false)
  })
})

describe('reset rules and daylight saving time', () => {
  const zone = process.env['TZ']
  beforeEach(() => {
    process.env['TZ'] = 'Europe/Berlin'
  })
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it('uses the local clock, also on days of 23 and 25 hours', () => {
    // 29 March 2026: 02:00 becomes 03:00. 25 October 2026: 03:00 becomes 02:00.
    for (const [month, day] of [
      [3, 29],
      [10, 25],
    ] as const) {
      expect(isSessionOver(at(month, day - 1, 23), at(month, day, 3, 59), daily)).toBe(false)
      expect(isSessionOver(at(month, day - 1, 23), at(month, day, 4), daily)).toBe(true)
      expect(isSessionOver(at(month, day, 5), at(month, day, 23), daily)).toBe(false)
    }
    expect(isSessionOver(at(3, 29, 1), at(3, 29, 3, 30), { ...daily, atHour: 2 })).toBe(true)
  })
})
