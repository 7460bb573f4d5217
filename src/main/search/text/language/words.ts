/** Words by meaning, and patterns that match the words of a table in a text with simplified Han. */
import { simplify } from '#shared/util/han.ts'

/** Returns the entries of a table: separated by white space, with `_` for a space. An entry can be a small pattern. */
export function entriesOf(table: string): string[] {
  return simplify(table.normalize('NFKC'))
    .split(/\s+/)
    .filter(Boolean)
    .map((entry) => entry.replaceAll('_', ' '))
}

/** Returns a pattern, as text, that matches one of the entries, the longest first. Latin entries match as whole words. */
export function anyOf(...tables: readonly string[]): string {
  const entries = tables.flatMap(entriesOf).sort((one, other) => other.length - one.length)
  const latin = entries.filter((entry) => /^[(?:]*[a-z]/i.test(entry))
  const others = entries.filter((entry) => !latin.includes(entry))
  const whole = latin.length > 0 ? [`\\b(?:${latin.join('|')})\\b`] : []
  return `(?:${[...whole, ...others].join('|')})`
}

/** Returns a test for one of the entries, in any case. */
export function hasAnyOf(...tables: readonly string[]): (text: string) => boolean {
  const pattern = new RegExp(anyOf(...tables), 'iu')
  return (text) => pattern.test(text)
}

/** Returns the value of each entry. @param rows values, each with its table */
export function valuesOf<T>(rows: readonly (readonly [value: T, table: string])[]): ReadonlyMap<string, T> {
  return new Map(rows.flatMap(([value, table]) => entriesOf(table).map((entry) => [entry, value] as const)))
}

/** From Monday to Sunday (ISO 8601). */
export const weekdays = entriesOf('monday tuesday wednesday thursday friday saturday sunday')
export const weekdayName = `(?:${weekdays.join('|')})`
/** `天` is Sunday after 星期, but 周天 is a name. */
export const chineseWeekday = '(?:周[一二三四五六日]|(?:星期|礼拜)[一二三四五六日天])'

export const months = entriesOf('january february march april may june july august september october november december')
/** The group is the name, or the beginning of it. */
export const monthName = `(${[...months, 'sept', ...months.map((name) => name.slice(0, 3))].join('|')})`

/** The position of a word, from 1, is its value. */
export const englishNumbers = entriesOf('one two three four five six seven eight nine ten eleven twelve')
