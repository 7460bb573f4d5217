/**
 * Rules for times that depend on today: yesterday, two weeks ago, 上周三, 去年五月, 先週, 지난달. Weeks begin on Monday (ISO
 * 8601). "Two weeks ago" is that whole week and "two years ago" that whole year, because such phrases are approximate.
 * Seasons and "recently" are ignored: their meaning varies.
 */
import {
  calendarOf,
  hanNumeral,
  monthNumber,
  monthSpan,
  parseNumeral,
  spanOf,
  weekSpan,
  yearSpan,
  type Day,
  type DaySpan,
} from './dates.ts'
import { anyOf, chineseWeekday, englishNumbers, monthName, valuesOf, weekdayName, weekdays } from './words.ts'

/**
 * `weekday`: the latest one that has begun, of a phrase without a word such as `last`, also "the weekend". `date`: a date, or
 * a time too vague to be written as one, such as "the end of the month".
 */
export type TimeKind = 'relative' | 'weekday' | 'date'
type Unit = 'day' | 'week' | 'month' | 'year'
type Part = string | undefined

export interface TimeRule {
  /** Default: `relative`. */
  readonly kind?: TimeKind
  /** Matches folded text: lower case, simplified Han. */
  readonly pattern: RegExp
  readonly read: (parts: readonly Part[], today: Day) => DaySpan | undefined
}

const day = (at: Day): DaySpan => ({ first: at, last: at })

/**
 * Returns the day, week, month or year that is `count` units after today's (before it if negative).
 * @param word for the unit: week, 周
 */
export function unitAfter(today: Day, word: string | undefined, count: number): DaySpan {
  const unit = unitOf(word)
  const { year, month } = calendarOf(today)
  if (unit === 'day') return day(today + count)
  if (unit === 'week') return weekSpan(today + 7 * count)
  return unit === 'month' ? monthSpan(year, month + count) : yearSpan(year + count)
}

/** Returns the span from `count` units ago until today, with months of 30 and years of 365 days. */
function since(today: Day, word: Part, count: number): DaySpan {
  return { first: today - { day: 1, week: 7, month: 30, year: 365 }[unitOf(word)] * count, last: today }
}

/** Returns the days after today, with months of 30 and years of 365 days. */
function ahead(today: Day, word: Part, count: number): DaySpan {
  return { first: today + 1, last: 2 * today - since(today, word, count).first }
}

/** Returns the latest such weekday until `until`; 0 is Monday. */
function lastWeekday(until: Day, weekday: number): DaySpan {
  return day(until - ((((until + 3) % 7) - weekday + 7) % 7))
}

/** @param weekday at most six days after `first` */
function untilWeekday(first: Day, weekday: number): DaySpan {
  return { first, last: lastWeekday(first + 6, weekday).first }
}

function weekdayOf(today: Day, weeks: number, weekday: number): DaySpan {
  return day(weekSpan(today + 7 * weeks).first + weekday)
}

/** Times of one word or phrase, with the number of units from today. An earlier row can contain the words of a later one. */
const phrases: readonly (readonly [Unit, number, string])[] = [
  ['month', -2, '(?:the_)?month_before_last'],
  ['week', -2, '(?:the_)?week_before_last a_fortnight_ago'],
  ['week', 2, '(?:the_)?week_after_next in_a_fortnight'],
  ['month', -6, 'half_a_year_ago 半年[之以]?前 반년_?전'],
  ['day', 8, 'a_week_(?:from_)?tomorrow'],
  ['day', 3, '大后天'],
  ['day', 2, '(?:the_)?day_after_tomorrow 后天 后儿 明後日 あさって 모레'],
  ['day', 1, 'tomorrow 明天(?!会更好) 明儿 明日 明晚 明早 明晨 あした 내일'],
  [
    'day',
    0,
    'today tonight this_(?:morning|afternoon|evening) 今天 今儿 今日 今晚 今早 今晨 今朝 今晩 今夜 きょう 오늘',
  ],
  ['day', -10, '열흘_?전'],
  ['day', -5, '닷새_?전'],
  ['day', -4, '나흘_?전'],
  ['day', -3, '大前天 さきおととい 그끄저께 사흘_?전'],
  ['day', -2, '(?:the_)?day_before_yesterday 前天 前日晚上 一昨日 おととい 그저께 그제 엊그제 이틀_?전'],
  ['day', -1, 'yesterday last_night 昨天 昨日 昨晚 昨夜 昨晩 昨儿 きのう ゆうべ 어제 어저께 어젯밤 하루_?전'],
]

/** Offset in years from this year. A month can follow. */
const yearByWord = valuesOf([
  [-3, '大前年'],
  [-2, '前年 一昨年 おととし 재작년'],
  [-1, '去年 昨年 작년 지난해'],
  [0, '今年 本年 올해 금년'],
  [1, '明年 来年 내년'],
])

/** Offset in weeks or months from the current one. */
const nearByWord = valuesOf([
  [-2, '上上 先々 先先 지지난'],
  [-1, '上 先 지난 저번'],
  [0, '这 本 今 이번'],
  [1, '下 来 다음'],
  [2, '下下 再来 다다음'],
])
const near = `(?<![가-힣])(${longestFirst(nearByWord)})(?:一)?个?\\s?`
const offsetOf = (word: Part) => nearByWord.get(word ?? '') ?? 0

const units = valuesOf<Unit>([
  ['day', 'day days 天 日 일'],
  ['week', 'week weeks 周 星期 礼拜 周间 周間 주 주일'],
  ['month', 'month months 月 个月 ヶ月 か月 カ月 ヵ月 箇月 개월 달'],
  ['year', 'year years 年 년 해'],
])
const unit = `(${anyOf([...units.keys()].join(' '))})`
const unitOf = (word: Part) => units.get(word ?? '') ?? 'day'

const wordsOfCount = valuesOf<number>([
  ...englishNumbers.map((word, index) => [index + 1, word] as const),
  [1, 'a an 한 일'],
  [2, 'a_couple_of 두'],
  [3, 'a_few several 세'],
  [4, '네'],
  [5, '다섯'],
  [6, '여섯'],
])
const count = `(\\d{1,3}|(?<!第)${hanNumeral}{1,3}|(?<![a-z가-힣]|half )(?:${longestFirst(wordsOfCount)}))\\s?个?`
const countOf = (word: Part) => wordsOfCount.get(word ?? '') ?? parseNumeral(word ?? '') ?? 0

function longestFirst(words: ReadonlyMap<string, unknown>): string {
  return [...words.keys()].sort((one, other) => other.length - one.length).join('|')
}

const thirdByWord = valuesOf([
  [0, 'beginning start early 初'],
  [1, 'middle mid 中'],
  [2, 'end late 底 末'],
])

/** @param third of the month, 0 to 2 */
function thirdOf({ first, last }: DaySpan, third: number): DaySpan {
  return { first: first + 10 * third, last: third === 2 ? last : first + 10 * third + 9 }
}

const which = '(last|previous|this|next)'
const direction = (word: Part) => (word === 'next' ? 1 : word === 'this' ? 0 : -1)
const numeral = `(\\d{1,2}|${hanNumeral}{1,3})`
const number = (text: Part) => (text === undefined ? undefined : parseNumeral(text))

const weekdayLetters = ['一二三四五六日天', '月火水木金土日', '월화수목금토일']
const letterOf = (letter: string) => Math.min(6, Math.max(...weekdayLetters.map((letters) => letters.indexOf(letter))))

export const timeRules = (
  [
    {
      pattern: `\\bin (?!an? )${count}${unit}(?: time\\b)?`,
      read: ([number, unit], today) => unitAfter(today, unit, countOf(number)),
    },
    // three days ago, 三天前, 两周以前, 3ヶ月前, 2년 전
    {
      pattern: `(?<!月|月\\d)${count}${unit}\\s?(?:ago\\b|之前|以前|前|전)`,
      read: ([number, unit], today) => unitAfter(today, unit, -countOf(number)),
    },
    // the last three days, 最近三天, 过去两周, 지난 3일
    {
      pattern: `(?:\\b(?:the )?(?:last|past|previous) |(?:最近|过去|近|ここ|최근|지난)\\s?的?)${count}${unit}(?:间|간|동안)?`,
      read: ([number, unit], today) => since(today, unit, countOf(number)),
    },
    // the next three days, 接下来三天, 未来两周
    {
      pattern: `(?:\\b(?:the )?next |(?:接下来|未来|今后)的?)${count}${unit}`,
      read: ([number, unit], today) => ahead(today, unit, countOf(number)),
    },
    // Monday to Wednesday next week
    {
      pattern: `\\b(?:from )?(${weekdayName}) ?(?:to|until|through|[–-]) ?(${weekdayName}) (?:of )?${which} week\\b`,
      read: ([name, end, week], today) =>
        untilWeekday(
          weekdayOf(today, direction(week), weekdays.indexOf(name ?? '')).first,
          weekdays.indexOf(end ?? ''),
        ),
    },
    // from Thursday to Saturday; "open Monday to Friday" is no time
    {
      kind: 'weekday',
      pattern: `\\b(?:from |between )(${weekdayName}) (?:to|until|through|and) (${weekdayName})\\b`,
      read: ([name, end], today) =>
        untilWeekday(lastWeekday(today, weekdays.indexOf(name ?? '')).first, weekdays.indexOf(end ?? '')),
    },
    // two Sundays ago
    {
      pattern: `${count}(${weekdayName})s ago\\b`,
      read: ([number, name], today) => lastWeekday(today + 6 - 7 * countOf(number), weekdays.indexOf(name ?? '')),
    },
    // Friday the 20th, on the 20th: the nearest such day
    {
      kind: 'date',
      pattern:
        `\\b(?:(${weekdayName}),? (?:on )?|(?:on|by|until|for) (?=the \\d{1,2}[a-z]{2}(?:[?.!,;]|$)))` +
        'the (\\d{1,2})(?:st|nd|rd|th)\\b',
      read: ([name, date], today) => {
        const { year, month } = calendarOf(today)
        const [nearest] = Array.from({ length: 12 }, (_, index) => monthSpan(year, month + index - 6))
          .map(({ first, last }) => Math.min(first + Number(date) - 1, last + 1))
          .filter((at) => name === undefined || lastWeekday(at, weekdays.indexOf(name)).first === at)
          .sort((one, other) => Math.abs(one - today) - Math.abs(other - today))
        return nearest === undefined ? undefined : day(nearest)
      },
    },
    // Monday week, on Monday in a week's time, a week on Monday
    {
      pattern: `\\b(?:on )?(${weekdayName})(?: week\\b| in a week(?:['’]s time)?\\b)|\\ba week on (${weekdayName})\\b`,
      read: ([name, other], today) => lastWeekday(today + 14, weekdays.indexOf(name ?? other ?? '')),
    },
    // the end of last month, 月底, 下个月初, 年底
    {
      kind: 'date',
      pattern:
        `\\b(?:the )?(beginning|start|middle|end) of (?:the|${which}) (month|year)\\b|` +
        `(?<![\\d一二三四五六七八九十年])(?:${near})?([月年])(初|中(?!旬|间|国|文|学|午)|底|末)`,
      read: ([part, word, unit, cjkWord, cjkUnit, cjkPart], today) => {
        const offset = word === undefined ? offsetOf(cjkWord) : direction(word)
        const { year, month } = calendarOf(unitAfter(today, unit ?? cjkUnit, offset).first)
        const third = thirdByWord.get(part ?? cjkPart ?? '') ?? 0
        return unitOf(unit ?? cjkUnit) === 'year'
          ? monthSpan(year, [1, 6, 12][third] ?? 12)
          : thirdOf(monthSpan(year, month), third)
      },
    },
    // mid-November, the end of May, the first week of November
    {
      kind: 'date',
      pattern:
        `\\b(?:the )?(?:(beginning|start|middle|end) of|(early|mid|late)[ -]) ?${monthName}\\b|` +
        `\\b(?:the )?(first|second|third|fourth) week of ${monthName}\\b`,
      read: ([part, short, name, week, nameAfterWeek], today) => {
        const { year, month: current } = calendarOf(today)
        const month = monthNumber(name ?? nameAfterWeek)
        // The coming month of this name if it is near, else the latest one.
        const span = monthSpan(month - current > 2 ? year - 1 : year, month)
        const first = span.first + 7 * ['first', 'second', 'third', 'fourth'].indexOf(week ?? '')
        return week ? { first, last: first + 6 } : thirdOf(span, thirdByWord.get(part ?? short ?? '') ?? 0)
      },
    },
    // 半个月后: too vague for a date
    {
      kind: 'date',
      pattern: '半个?月(?:(之?后|以后)|之?前|以前)',
      read: ([later], today) => {
        const middle = today + (later === undefined ? -15 : 15)
        return { first: middle - 1, last: middle + 1 }
      },
    },
    {
      pattern: `\\b(?:on )?(${weekdayName}) (?:of )?${which} week\\b`,
      read: ([name, week], today) => weekdayOf(today, direction(week), weekdays.indexOf(name ?? '')),
    },
    {
      pattern: `\\b${monthName}(?: of)?,? ${which} year\\b|\\b${which} year in ${monthName}\\b`,
      read: ([name, year, otherYear, otherName], today) =>
        monthSpan(calendarOf(today).year + direction(year ?? otherYear), monthNumber(name ?? otherName)),
    },
    {
      pattern: `\\b${which} (weekend|week|month|year)\\b`,
      read: ([word, unit], today) => {
        const { first, last } = unitAfter(today, unit === 'weekend' ? 'week' : unit, direction(word))
        return unit === 'weekend' ? { first: last - 1, last } : { first, last }
      },
    },
    { pattern: '\\b(?:the |this )?past (week|month|year)\\b', read: ([unit], today) => since(today, unit, 1) },
    {
      pattern: `\\b(?:last|this past|past|(this|next)) (${weekdayName})\\b(?! (?:of|in) )`,
      read: ([word, name = ''], today) =>
        word
          ? weekdayOf(today, direction(word), weekdays.indexOf(name))
          : lastWeekday(today - 1, weekdays.indexOf(name)),
    },
    {
      kind: 'weekday',
      pattern:
        `(?<!\\b(?:every|each|any|most|to|and|or|a) |\\ba week (?:on )?|day (?:until|through) |[–—-])` +
        `\\b(?:on )?(${weekdayName})\\b(?!\\s?[–—-]|s\\b| (?:to|until|through|and|or|week) )`,
      read: ([name], today) => lastWeekday(today, weekdays.indexOf(name ?? '')),
    },
    {
      pattern: `\\b(last|next) ${monthName}\\b`,
      read: ([word, name], today) => {
        const { year, month } = calendarOf(today)
        const asked = monthNumber(name)
        if (word === 'next') return monthSpan(asked > month ? year : year + 1, asked)
        return monthSpan(asked < month ? year : year - 1, asked)
      },
    },
    {
      kind: 'date',
      pattern: '\\bq([1-4]) (?:of )?((?:19|20)\\d\\d)\\b',
      read: ([quarter, year]) => ({
        first: monthSpan(Number(year), 3 * Number(quarter) - 2).first,
        last: monthSpan(Number(year), 3 * Number(quarter)).last,
      }),
    },
    // 去年五月, 작년 5월, 昨年の5月
    {
      pattern:
        `(?<![가-힣])(${longestFirst(yearByWord)})` +
        `(?:\\s?(?:的|の)?\\s?${numeral}\\s?[月월](?:份)?(?:\\s?${numeral}\\s?[日号일])?)?`,
      read: ([word, month, date], today) =>
        spanOf(calendarOf(today).year + (yearByWord.get(word ?? '') ?? 0), number(month), number(date)),
    },
    // 下周一到周三
    {
      pattern:
        `${near}(?:周|星期|礼拜)([一二三四五六日天])[到至~-]` +
        `(?:${near})?(?:周|星期|礼拜)?([一二三四五六日天])(?![\\d一二三四五六七八九十个月号点])`,
      read: ([word, name = '', , end = ''], today) =>
        untilWeekday(weekdayOf(today, offsetOf(word), letterOf(name)).first, letterOf(end)),
    },
    // 上周三, 这个星期, 下礼拜, 先週の金曜日, 지난주 월요일
    {
      pattern:
        `${near}(?:周|星期|礼拜|주)(?!年|间|間|소|문)(?:\\s?(?:的|の)?\\s?` +
        `(?:([一二三四五六日天])(?![\\d一二三四五六七八九十个月号点])|(末|말)|([月火水木金土日])曜日?|([월화수목금토일])요일))?`,
      read: ([word, chinese, weekend, japanese, korean], today) => {
        const week = unitAfter(today, 'week', offsetOf(word))
        if (weekend !== undefined) return { first: week.last - 1, last: week.last }
        const letter = chinese ?? japanese ?? korean
        return letter === undefined ? week : day(week.first + letterOf(letter))
      },
    },
    // 周二, 星期二, 礼拜二; not in 每周二 and 周一到周五
    {
      kind: 'weekday',
      pattern:
        `(?<![每逢隔各和与及、一二两三四五六七八九十\\d个~-]|[一二三四五六日天][到至])` +
        `(${chineseWeekday})(?![至到和与及、次个年月天~-])`,
      read: ([name = ''], today) => lastWeekday(today, letterOf(name.slice(-1))),
    },
    // 月曜日, 월요일, and the weekend; not in 毎週月曜 and 매주 월요일
    {
      kind: 'weekday',
      pattern: '(?<!毎週|毎|隔週)([月火水木金土日])曜日?|(?<!매주 ?|마다 ?)([월화수목금토일])요일(?!마다)',
      read: ([japanese, korean], today) => lastWeekday(today, letterOf(japanese ?? korean ?? '')),
    },
    {
      kind: 'weekday',
      pattern: '(?<![上下每平双过])周末|(?<![毎先来])週末|(?<!매주 ?|지난 ?)주말|\\b(?:at |over |on )?the weekend\\b',
      read: (_, today) => {
        const { first } = lastWeekday(today, 5)
        return { first, last: first + 1 }
      },
    },
    // 上个月, 下个月五号, 本月, 先月, 지난달
    {
      pattern: `${near}(?:月|달)(?![球亮份曜])(?:\\s?${numeral}\\s?[日号])?`,
      read: ([word, date], today) => {
        const { first } = unitAfter(today, 'month', offsetOf(word))
        const named = calendarOf(first)
        return spanOf(named.year, named.month, number(date))
      },
    },
    // 三天后; not in the middle of a sentence, where it can follow an event
    {
      pattern: `(?<=^|[\\s,。、我在])${count}${unit}(?:之后|以后|后)`,
      read: ([number, unit], today) => unitAfter(today, unit, countOf(number)),
    },
    ...phrases.map(([unit, count, words]) => ({
      pattern: `(?<![가-힣]|\\bweek )${anyOf(words)}`,
      read: (_: readonly Part[], today: Day) => unitAfter(today, unit, count),
    })),
    // in 2024, 2024年, 2024년
    {
      kind: 'date',
      pattern:
        '(?<=\\b(?:in|during|since|from|of|throughout|before|after|until) )((?:19|20)\\d\\d)(?![\\w:/.-]*\\d)\\b|' +
        '(?<![\\d-])((?:19|20)\\d\\d)\\s?[年년](?!\\s?(?:\\d|[一二三四五六七八九十]+月))',
      read: ([year, other]) => yearSpan(Number(year ?? other)),
    },
  ] satisfies readonly (Omit<TimeRule, 'pattern'> & { readonly pattern: string })[]
).map((rule): TimeRule => ({ ...rule, pattern: new RegExp(rule.pattern, 'g') }))
