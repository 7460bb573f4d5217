/** Deadlines in lines, relative to the day of writing. */
import { describe, expect, it } from 'vitest'
import { formatDay, parseDay } from '../../../src/main/search/text/language/dates.ts'
import { deadlineIn } from '../../../src/main/curation/rules/deadline.ts'

/** A Monday. */
const said = '2026-11-02'

const dayOf = (line: string, on: string | undefined) => {
  const found = deadlineIn(line, on === undefined ? undefined : parseDay(on))
  return found === undefined ? undefined : formatDay(found)
}

describe('deadlines', () => {
  it.each([
    ['Anna is away until Friday.', '2026-11-06'],
    ['The garage is closed until next Wednesday.', '2026-11-11'],
    ['Submit the invoice by 2026-11-20.', '2026-11-20'],
    ['Pay the rent before the end of the month.', '2026-11-29'],
    ['The road is blocked until January 5.', '2027-01-05'],
    ['下周之前要交发票。', '2026-11-08'],
    ['优惠截至11月15日。', '2026-11-15'],
    ['护照有效期至2027年3月1日。', '2027-03-01'],
  ])('%s → %s', (line, day) => {
    expect(dayOf(line, said)).toBe(day)
  })

  it.each([
    'Anna lived in Oslo until 2019.',
    'Nobody leaves until Ben has locked up.',
    'The report of October 3 is long.',
    '小李以前住在三号楼。',
    'The shop was open until October 3.',
  ])('%s has no deadline', (line) => {
    expect(dayOf(line, said)).toBeUndefined()
  })

  it('without the day of writing it ignores weekdays, and accepts a date only as a deadline', () => {
    expect(dayOf('Anna is away until Friday.', undefined)).toBeUndefined()
    expect(dayOf('Submit the invoice by 2026-11-20.', undefined)).toBe('2026-11-20')
    expect(dayOf('The lease expires on 2026-12-31.', undefined)).toBe('2026-12-31')
    expect(dayOf('The bridge was finished by 2020-05-01.', undefined)).toBeUndefined()
    expect(dayOf('Until 2026-11-09 the sauna is shut.', undefined)).toBe('2026-11-09')
    expect(dayOf('The pool stays empty (until 2026-11-09).', undefined)).toBe('2026-11-09')
    expect(dayOf('Until 2020-05-01 she lived where the mill is.', undefined)).toBeUndefined()
    expect(dayOf('This is how it went until 2019.', undefined)).toBeUndefined()
  })
})
