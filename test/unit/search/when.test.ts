import { describe, expect, it } from 'vitest'
import { formatDay, parseDay } from '../../../src/main/search/text/language/days.ts'
import { parseTemporalExpressions } from '../../../src/main/search/text/language/times.ts'

/** A Wednesday. */
const today = parseDay('2026-11-18')

function told(query: string): string {
  const shown = (day: number) => (Number.isFinite(day) ? formatDay(day) : '…')
  return parseTemporalExpressions(query, today)
    .map(({ text, first, last }) => `${text}: ${shown(first)} ${shown(last)}`)
    .join(' | ')
}

describe('time expressions in a query', () => {
  it.each([
    ['What did I do yesterday?', 'yesterday: 2026-11-17 2026-11-17'],
    ['notes of today', 'today: 2026-11-18 2026-11-18'],
    ['the day before yesterday', 'the day before yesterday: 2026-11-16 2026-11-16'],
    ['what happened last week', 'last week: 2026-11-09 2026-11-15'],
    ['plans for this month', 'this month: 2026-11-01 2026-11-30'],
    ['Last Year we moved', 'Last Year: 2025-01-01 2025-12-31'],
    ['two weeks ago we met', 'two weeks ago: 2026-11-02 2026-11-08'],
    ['3 days ago', '3 days ago: 2026-11-15 2026-11-15'],
    ['a month ago', 'a month ago: 2026-10-01 2026-10-31'],
    ['the past three days', 'the past three days: 2026-11-15 2026-11-18'],
    ['who came last Friday', 'last Friday: 2026-11-13 2026-11-13'],
    ['on Wednesday', 'on Wednesday: 2026-11-18 2026-11-18'],
    ['last Wednesday', 'last Wednesday: 2026-11-11 2026-11-11'],
    ['who rang on Monday?', 'on Monday: 2026-11-16 2026-11-16'],
    ['Thursday evening', 'Thursday: 2026-11-12 2026-11-12'],
    ['this Friday', 'this Friday: 2026-11-20 2026-11-20'],
    ['next Monday', 'next Monday: 2026-11-23 2026-11-23'],
    ['the day after tomorrow', 'the day after tomorrow: 2026-11-20 2026-11-20'],
    ['in two weeks', 'in two weeks: 2026-11-30 2026-12-06'],
    ['周三我见了谁', '周三: 2026-11-18 2026-11-18'],
    ['星期二干了什么', '星期二: 2026-11-17 2026-11-17'],
    ['礼拜天去哪了', '礼拜天: 2026-11-15 2026-11-15'],
    ['週五晚上吃了什麼', '週五: 2026-11-13 2026-11-13'],
    ['禮拜四的事', '禮拜四: 2026-11-12 2026-11-12'],
    ['下个月五号', '下个月五号: 2026-12-05 2026-12-05'],
    ['下下周三', '下下周三: 2026-12-02 2026-12-02'],
    ['再来週の水曜', '再来週の水曜: 2026-12-02 2026-12-02'],
    ['a week tomorrow', 'a week tomorrow: 2026-11-26 2026-11-26'],
    ['closed until Friday', 'Friday: … 2026-11-12'],
    ['明早的安排', '明早: 2026-11-19 2026-11-19'],
    ['三天后', '三天后: 2026-11-21 2026-11-21'],
    ['last weekend', 'last weekend: 2026-11-14 2026-11-15'],
    ['in May 2024', 'May 2024: 2024-05-01 2024-05-31'],
    ['in May', 'May: 2026-05-01 2026-05-31'],
    ['December 9', 'December 9: 2026-12-09 2026-12-09'],
    ['what is planned for 9 December', '9 December: 2026-12-09 2026-12-09'],
    ['12月9日有什么安排', '12月9日: 2026-12-09 2026-12-09'],
    ['what happens on January 3', 'January 3: 2027-01-03 2027-01-03'],
    ['What did I note on January 3rd?', 'January 3rd: 2026-01-03 2026-01-03'],
    ['What was decided on 9 December?', '9 December: 2025-12-09 2025-12-09'],
    ['Did I run on January 3?', 'January 3: 2026-01-03 2026-01-03'],
    ['notes from 3 January', '3 January: 2026-01-03 2026-01-03'],
    ['January 3 notes', 'January 3: 2026-01-03 2026-01-03'],
    ['1月3号我记了什么', '1月3号: 2026-01-03 2026-01-03'],
    ['一月三号那天我写了些什么', '一月三号: 2026-01-03 2026-01-03'],
    ['1月3日的笔记', '1月3日: 2026-01-03 2026-01-03'],
    ['What did we book for December 9?', 'December 9: 2026-12-09 2026-12-09'],
    ['The exam was moved to December 9', 'December 9: 2026-12-09 2026-12-09'],
    ['12月9日的机票订了哪一班', '12月9日: 2026-12-09 2026-12-09'],
    ['what happened on February 3', 'February 3: 2026-02-03 2026-02-03'],
    ['on November 17', 'November 17: 2026-11-17 2026-11-17'],
    ['in december', 'december: 2026-12-01 2026-12-31'],
    ['what did I do in december', 'december: 2025-12-01 2025-12-31'],
    ['in october', 'october: 2026-10-01 2026-10-31'],
    ['in august', 'august: 2026-08-01 2026-08-31'],
    ['May last year', 'May last year: 2025-05-01 2025-05-31'],
    ['in 2024', '2024: 2024-01-01 2024-12-31'],
    ['since March', 'March: 2026-03-01 …'],
    ['before 2024', '2024: … 2023-12-31'],
    ['the week before 3 June, 2023', '3 June, 2023: 2023-06-03 2023-06-03'],
    ['on 2024-02-29', '2024-02-29: 2024-02-29 2024-02-29'],
    ['Q2 2025', 'Q2 2025: 2025-04-01 2025-06-30'],
    ['昨天说了什么', '昨天: 2026-11-17 2026-11-17'],
    ['前天的会', '前天: 2026-11-16 2026-11-16'],
    ['上周的会议', '上周: 2026-11-09 2026-11-15'],
    ['上星期五', '上星期五: 2026-11-13 2026-11-13'],
    ['上周日', '上周日: 2026-11-15 2026-11-15'],
    ['上上个月', '上上个月: 2026-09-01 2026-09-30'],
    ['去年五月去了哪里', '去年五月: 2025-05-01 2025-05-31'],
    ['三天前', '三天前: 2026-11-15 2026-11-15'],
    ['两个星期前', '两个星期前: 2026-11-02 2026-11-08'],
    ['最近三天', '最近三天: 2026-11-15 2026-11-18'],
    ['2024年', '2024年: 2024-01-01 2024-12-31'],
    ['2024年5月3日', '2024年5月3日: 2024-05-03 2024-05-03'],
    ['上週的會議', '上週: 2026-11-09 2026-11-15'],
    ['上個月的帳單', '上個月: 2026-10-01 2026-10-31'],
    ['兩週前', '兩週前: 2026-11-02 2026-11-08'],
    ['先週の会議', '先週: 2026-11-09 2026-11-15'],
    ['先週の金曜日', '先週の金曜日: 2026-11-13 2026-11-13'],
    ['昨日の話', '昨日: 2026-11-17 2026-11-17'],
    ['一昨年', '一昨年: 2024-01-01 2024-12-31'],
    ['昨年の5月', '昨年の5月: 2025-05-01 2025-05-31'],
    ['3ヶ月前', '3ヶ月前: 2026-08-01 2026-08-31'],
    ['先々週', '先々週: 2026-11-02 2026-11-08'],
    ['지난주 회의', '지난주: 2026-11-09 2026-11-15'],
    ['지난주 월요일', '지난주 월요일: 2026-11-09 2026-11-09'],
    ['어제 뭐 했지', '어제: 2026-11-17 2026-11-17'],
    ['지난달', '지난달: 2026-10-01 2026-10-31'],
    ['작년 5월', '작년 5월: 2025-05-01 2025-05-31'],
    ['이틀 전', '이틀 전: 2026-11-16 2026-11-16'],
    ['두 달 전', '두 달 전: 2026-09-01 2026-09-30'],
    ['yesterday or last week', 'yesterday: 2026-11-17 2026-11-17 | last week: 2026-11-09 2026-11-15'],
  ])('reads the time in %s', (query, expected) => {
    expect(told(query)).toBe(expected)
  })

  it.each([
    'I may go',
    'what is 1/2',
    '"last week"',
    '「昨天」',
    'node 2024 release',
    '2月30日',
    '每周一',
    '一周三次',
    '周一到周五',
    '周天成的球拍',
    'every Tuesday',
    'Monday to Friday',
    'Sundays',
    'a week on Monday',
    '手术三天后拆线',
    'recently',
    'the march of time',
  ])('finds no time in %s', (query) => {
    expect(told(query)).toBe('')
  })

  it('handles the ends of weeks, months and years', () => {
    const at = (date: string, query: string) =>
      parseTemporalExpressions(query, parseDay(date)).map(({ first, last }) => [formatDay(first), formatDay(last)])
    expect(at('2027-01-01', 'last week')).toEqual([['2026-12-21', '2026-12-27']])
    expect(at('2026-11-16', 'last week')).toEqual([['2026-11-09', '2026-11-15']])
    expect(at('2026-01-31', 'last month')).toEqual([['2025-12-01', '2025-12-31']])
    expect(at('2024-03-01', 'yesterday')).toEqual([['2024-02-29', '2024-02-29']])
  })
})
