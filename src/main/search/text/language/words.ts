import { simplify } from '#shared/util/han.ts'

/** Returns the entries of a table: separated by white space, with `_` for a space. An entry can be a small pattern. */
export function tableEntries(table: string): string[] {
  return simplify(table.normalize('NFKC'))
    .split(/\s+/)
    .filter(Boolean)
    .map((entry) => entry.replaceAll('_', ' '))
}

/** Returns a pattern, as text, that matches one of the entries, the longest first. Latin entries match as whole words. */
export function anyOf(...tables: readonly string[]): string {
  const entries = tables.flatMap(tableEntries).sort((one, other) => other.length - one.length)
  const latin = entries.filter((entry) => /^[(?:]*[a-z]/i.test(entry))
  const others = entries.filter((entry) => !latin.includes(entry))
  const whole = latin.length > 0 ? [`\\b(?:${latin.join('|')})\\b`] : []
  return `(?:${[...whole, ...others].join('|')})`
}

export function hasAnyOf(...tables: readonly string[]): (text: string) => boolean {
  const pattern = new RegExp(anyOf(...tables), 'iu')
  return (text) => pattern.test(text)
}

export function valuesOf<T>(rows: readonly (readonly [value: T, table: string])[]): ReadonlyMap<string, T> {
  return new Map(rows.flatMap(([value, table]) => tableEntries(table).map((entry) => [entry, value] as const)))
}

/** From Monday to Sunday (ISO 8601). */
export const weekdays = tableEntries('monday tuesday wednesday thursday friday saturday sunday')
export const weekdayName = `(?:${weekdays.join('|')})`
/** `天` is Sunday after 星期, but 周天 is a name. */
export const chineseWeekday = '(?:周[一二三四五六日]|(?:星期|礼拜)[一二三四五六日天])'

export const monthNames = tableEntries(
  'january february march april may june july august september october november december',
)
/** The group is the name, or the beginning of it. */
export const monthName = `(${[...monthNames, 'sept', ...monthNames.map((name) => name.slice(0, 3))].join('|')})`

/** The position of a word, from 1, is its value. */
export const englishNumbers = tableEntries('one two three four five six seven eight nine ten eleven twelve')

export const isFirstPerson = hasAnyOf(
  `i im ive my mine me we our ours us ich mein\\p{L}* mir mich wir unse?re?[mnrs]? uns [我咱私僕俺]
  (?<!\\p{L})(?:나|내|저|제|우리)(?:는|의|가|도|에게)?(?!\\p{L})`,
)

export const hasNumber = hasAnyOf(
  `${englishNumbers.join(' ')} twice once couple few dozen hundred thousand \\d [一二三四五六七八九十百千万两]`,
)

/** True for a text with a word for a time, also for those that no span of days fits: recently, in spring, 明天. */
export const namesTime = hasAnyOf(
  weekdays.join('s? '),
  monthNames.join(' '),
  `yesterday today tonight tomorrow last next ago days? weeks? weekend months? years? recently since every just morning evening
  summer winter spring fall autumn morgen gestern heute nächste\\p{L}* letzte\\p{L}* seit jede\\p{L}*
  \\d{1,2}:\\d\\d [昨今明前后]天 [昨明后]日 今日 [上下这本]周 [上下]个?月 [毎来先今]週 [毎来先]月 [去今明前]年 \\d+_?[年月日号]
  [一二三四五六七八九十]+[月号日] 어제 오늘 내일 지난 다음 매주 매일`,
)
