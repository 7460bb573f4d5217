import { describe, expect, it } from 'vitest'
import {
  dateOfFileName,
  dailyNoteDate,
  dailyNotePath,
  isDailyFormat,
} from '../../../src/shared/markdown/daily-notes.ts'

const day = '2024-05-21'

describe('daily notes', () => {
  it.each([
    ['', 'YYYY-MM-DD', '2024-05-21.md'],
    ['journals', 'YYYY_MM_DD', 'journals/2024_05_21.md'],
    ['Daily', 'YYYY/MM-MMMM/YYYY-MM-DD-dddd', 'Daily/2024/05-May/2024-05-21-Tuesday.md'],
    ['', 'MMMM Do, YYYY', 'May 21st, 2024.md'],
  ])('converts folder %s and format %s to %s and back', (folder, format, path) => {
    expect(dailyNotePath({ folder, format }, day)).toBe(path)
    expect(dailyNoteDate({ folder, format }, path)).toBe(day)
  })

  it.each([
    ['Journal/2024-02-30.md', 'invalid day'],
    ['Journal/deep/2024-05-21.md', 'another folder'],
    ['Journal/2024-05-21 Trip.md', 'more than a date'],
    ['Journal/2024-05-21.txt', 'not a note'],
  ])('%s is not a daily note: %s', (path) => {
    expect(dailyNoteDate({ folder: 'Journal', format: 'YYYY-MM-DD' }, path)).toBeUndefined()
  })

  it('requires repeated date parts to agree', () => {
    const notes = { folder: '', format: 'YYYY/YYYY-MM-DD' }
    expect(dailyNoteDate(notes, '2024/2024-05-21.md')).toBe(day)
    expect(dailyNoteDate(notes, '2023/2024-05-21.md')).toBeUndefined()
  })

  it.each([
    ['YYYY-MM-DD', true],
    ['YYYY-MM', false],
    ['YYYY-MM-DD HH', false],
    ['../YYYY-MM-DD', false],
  ])('isDailyFormat(%s) is %s', (format, isOne) => {
    expect(isDailyFormat(format)).toBe(isOne)
  })

  it.each([
    ['Journal/2024-05-21.md', day],
    ['a/b/2024_05_21.markdown', day],
    ['2024-05-21 Trip.md', undefined],
  ])('datedName(%s) in any folder is %s', (path, expected) => {
    expect(dateOfFileName(path)).toBe(expected)
  })
})
