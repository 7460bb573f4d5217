import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextRun, parseSchedule } from '../../../src/shared/util/schedule.ts'

/** A Sunday at noon. */
const now = new Date('2026-11-22T12:00:00')
const next = (text: string, after = now) => {
  const schedule = parseSchedule(text)
  const at = schedule && nextRun(schedule, after)
  if (!at) return at
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

describe('schedule', () => {
  it.each([
    ['hourly', '2026-11-22 13:00'],
    ['daily 18:30', '2026-11-22 18:30'],
    ['sunday 09:00', '2026-11-29 09:00'],
    ['weekdays 18:00', '2026-11-23 18:00'],
    ['monthly', '2026-12-01 04:00'],
    ['0 4 * * 1', '2026-11-23 04:00'],
    ['0 9-17/4 * * mon-fri', '2026-11-23 09:00'],
    ['0 0 29 2 *', '2028-02-29 00:00'],
  ])('“%s” runs next on %s', (text, expected) => {
    expect(next(text)).toBe(expected)
  })

  it('returns null for off and for a day that does not exist', () => {
    expect(parseSchedule('off')).toBeUndefined()
    expect(next('0 0 31 2 *')).toBeUndefined()
  })

  it.each(['', 'sometimes', 'daily 24:00', '60 * * * *', '*/0 * * * *', 'a b c d e'])(
    '“%s” is an invalid schedule',
    (text) => {
      expect(parseSchedule(text)).toBeNull()
    },
  )

  it('the next time is always later, and no schedule throws', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 30 }),
        fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
        (text, at) => {
          const schedule = parseSchedule(text)
          const found = schedule && nextRun(schedule, at)
          if (found) expect(found.getTime()).toBeGreaterThan(at.getTime())
        },
      ),
    )
  })
})
