import { describe, expect, it } from 'vitest'
import { formatDay, parseDay } from '../../../src/main/search/text/language/dates.ts'
import { parseTemporalExpressions } from '../../../src/main/search/text/language/times.ts'

/** A Wednesday. */
const today = parseDay('2026-11-18')

/** Returns each span as `first..last`, or one day; an open end is empty. */
function told(query: string): string {
  const shown = (day: number) => (Number.isFinite(day) ? formatDay(day) : '')
  const spans = parseTemporalExpressions(query, today).map(({ first, last }) =>
    first === last ? shown(first) : `${shown(first)}..${shown(last)}`,
  )
  return spans.join(' & ') || '-'
}

/** Questions and the span that they ask for, in four languages. */
const asked = `
what do I have to do on Monday? | 2026-11-23
anything on for Tuesday? | 2026-11-24
What appointments do I have next week? | 2026-11-23..2026-11-29
what's planned for tomorrow? | 2026-11-19
Do we have plans this weekend? | 2026-11-21..2026-11-22
what's coming up the week after next? | 2026-11-30..2026-12-06
What did I do on Monday? | 2026-11-16
what was I up to last Tuesday? | 2026-11-17
who came last Friday | 2026-11-13
what did we do last weekend? | 2026-11-14..2026-11-15
who was here on Wednesday last week? | 2026-11-11
what's happening next Friday? | 2026-11-27
What do I have on Monday in a week's time? | 2026-11-30
Tuesday week | 2026-12-01
notes between November 3 and November 10 | 2026-11-03..2026-11-10
what happened from November 3 to November 10 | 2026-11-03..2026-11-10
walks November 3–10 | 2026-11-03..2026-11-10
3 to 10 November | 2026-11-03..2026-11-10
until November 5 | ..2026-11-05
before November 5 | ..2026-11-04
after November 5 | 2026-11-06..
since November 5 | 2026-11-05..
what did I write half a year ago? | 2026-05-01..2026-05-31
what is due next May? | 2027-05-01..2027-05-31
last May | 2026-05-01..2026-05-31
a week tomorrow | 2026-11-26
a week from tomorrow | 2026-11-26
two Sundays ago | 2026-11-08
three Mondays ago | 2026-11-02
a fortnight ago | 2026-11-02..2026-11-08
in a fortnight | 2026-11-30..2026-12-06
the day after tomorrow | 2026-11-20
the day before yesterday | 2026-11-16
three days ago | 2026-11-15
two weeks ago | 2026-11-02..2026-11-08
in three days | 2026-11-21
in two weeks | 2026-11-30..2026-12-06
the past three days | 2026-11-15..2026-11-18
the next three days | 2026-11-19..2026-11-21
what's on over the next two weeks? | 2026-11-19..2026-12-02
last month | 2026-10-01..2026-10-31
next month | 2026-12-01..2026-12-31
the month before last | 2026-09-01..2026-09-30
last year | 2025-01-01..2025-12-31
in May 2024 | 2024-05-01..2024-05-31
since May | 2026-05-01..
what do I have in December? | 2026-12-01..2026-12-31
what happened in December? | 2025-12-01..2025-12-31
what do I have in January? | 2027-01-01..2027-01-31
next weekend | 2026-11-28..2026-11-29
Monday to Wednesday next week | 2026-11-23..2026-11-25
what is on from Thursday to Saturday? | 2026-11-19..2026-11-21
appointments on December 9 | 2026-12-09
What was decided on 9 December? | 2025-12-09
do I have anything on March 15? | 2027-03-15
on 12/20 | 2026-12-20
when is the dentist on Friday? | 2026-11-20
who comes on Friday the 20th? | 2026-11-20
Friday the 13th | 2026-11-13
what do we have on the 25th? | 2026-11-25
the hotel on the 3rd floor | -
what do I have the week of December 14? | 2026-12-14..2026-12-20
what did I do the week of November 5th? | 2026-11-02..2026-11-08
12月16日那周有什么安排 | 2026-12-14..2026-12-20
am I free on Saturday? | 2026-11-21
what's due by Friday? | ..2026-11-20
who directed The Day After Tomorrow? | -
every Tuesday | -
I may go | -
"last week" | -
the march of time | -
yesterday evening | 2026-11-17
the end of last month | 2026-10-21..2026-10-31
earlier this week | 2026-11-16..2026-11-22
in 2024 | 2024-01-01..2024-12-31
Q3 2025 | 2025-07-01..2025-09-30
下周三有什么安排？ | 2026-11-25
下下周有什么要紧的事？ | 2026-11-30..2026-12-06
上周五我干了什么？ | 2026-11-13
明天我要做什么？ | 2026-11-19
这周一我去了哪儿？ | 2026-11-16
上周日干嘛去了？ | 2026-11-15
下周要做什么 | 2026-11-23..2026-11-29
12月有哪些安排 | 2026-12-01..2026-12-31
1月有哪些安排 | 2027-01-01..2027-01-31
礼拜六有什么事 | 2026-11-21
周一有什么安排 | 2026-11-23
周一做了什么 | 2026-11-16
下下周三 | 2026-12-02
下下个月 | 2027-01-01..2027-01-31
下下个星期五 | 2026-12-04
今晚八点有什么事 | 2026-11-18
明儿有什么事 | 2026-11-19
昨儿晚上吃了什么 | 2026-11-17
这个周末做什么 | 2026-11-21..2026-11-22
周末有什么安排 | 2026-11-21..2026-11-22
上周末去了哪 | 2026-11-14..2026-11-15
礼拜五要做什么 | 2026-11-20
星期四要见谁 | 2026-11-19
月底有什么要交 | 2026-11-21..2026-11-30
月初做了什么 | 2026-11-01..2026-11-10
半个月后 | 2026-12-02..2026-12-04
半个月前 | 2026-11-02..2026-11-04
3月15号 | 2026-03-15
3月15号有什么安排 | 2027-03-15
12/20有什么事 | 2026-12-20
下周一到周三有什么安排 | 2026-11-23..2026-11-25
11月3日到10日走了哪 | 2026-11-03..2026-11-10
11月3号到11月10号 | 2026-11-03..2026-11-10
11月3日至7日 | 2026-11-03..2026-11-07
大后天 | 2026-11-21
前天 | 2026-11-16
大前天 | 2026-11-15
昨晚 | 2026-11-17
今早 | 2026-11-18
后天下午 | 2026-11-20
三天前 | 2026-11-15
两周以前 | 2026-11-02..2026-11-08
三个月前 | 2026-08-01..2026-08-31
半年前 | 2026-05-01..2026-05-31
一个星期后 | 2026-11-23..2026-11-29
最近三天 | 2026-11-15..2026-11-18
接下来三天 | 2026-11-19..2026-11-21
未来两周有什么事 | 2026-11-19..2026-12-02
上个月 | 2026-10-01..2026-10-31
下个月五号 | 2026-12-05
去年五月 | 2025-05-01..2025-05-31
今年三月 | 2026-03-01..2026-03-31
上个星期天 | 2026-11-15
下个礼拜二 | 2026-11-24
11月5日之前 | ..2026-11-04
11月5日以来 | 2026-11-05..
截至11月5日 | ..2026-11-05
年底有什么计划 | 2026-12-01..2026-12-31
每周一 | -
2月30日 | -
周杰伦 | -
一周一次 | -
下周末 | 2026-11-28..2026-11-29
上上周 | 2026-11-02..2026-11-08
上上个月 | 2026-09-01..2026-09-30
明日 | 2026-11-19
明後日 | 2026-11-20
明後日の予定は？ | 2026-11-20
一昨日 | 2026-11-16
先週 | 2026-11-09..2026-11-15
来週の予定 | 2026-11-23..2026-11-29
再来週の水曜 | 2026-12-02
先週の金曜日 | 2026-11-13
来週の月曜日 | 2026-11-23
今週末 | 2026-11-21..2026-11-22
週末の予定は？ | 2026-11-21..2026-11-22
先月 | 2026-10-01..2026-10-31
再来月 | 2027-01-01..2027-01-31
昨年の5月 | 2025-05-01..2025-05-31
三日前 | 2026-11-15
2週間前 | 2026-11-02..2026-11-08
3ヶ月前 | 2026-08-01..2026-08-31
今朝 | 2026-11-18
昨夜 | 2026-11-17
11月3日 | 2026-11-03
月曜日は何をした？ | 2026-11-16
金曜日の予定は？ | 2026-11-20
金曜日に何がありますか | 2026-11-20
11月3日から10日まで | 2026-11-03..2026-11-10
来年 | 2027-01-01..2027-12-31
내일 | 2026-11-19
모레 일정 | 2026-11-20
어제 뭐 했어? | 2026-11-17
그저께 | 2026-11-16
지난주 | 2026-11-09..2026-11-15
다음 주 일정 | 2026-11-23..2026-11-29
다다음 주 | 2026-11-30..2026-12-06
지난주 월요일 | 2026-11-09
다음 주 금요일 | 2026-11-27
이번 주 토요일 | 2026-11-21
지난달 | 2026-10-01..2026-10-31
다음 달 | 2026-12-01..2026-12-31
작년 5월 | 2025-05-01..2025-05-31
내년 | 2027-01-01..2027-12-31
사흘 전 | 2026-11-15
2주 전 | 2026-11-02..2026-11-08
3개월 전 | 2026-08-01..2026-08-31
어젯밤 | 2026-11-17
11월 3일 | 2026-11-03
금요일에 뭐 해야 해? | 2026-11-20
월요일에 뭐 했어? | 2026-11-16
주말 일정 | 2026-11-21..2026-11-22
11월 3일부터 10일까지 | 2026-11-03..2026-11-10
what did I do in the first week of November? | 2026-11-01..2026-11-07
what did we do in mid-November? | 2026-11-11..2026-11-20
late December | 2026-12-21..2026-12-31
the end of May | 2026-05-21..2026-05-31
yesterday or last week | 2026-11-17 & 2026-11-09..2026-11-15
上個月的帳單 | 2026-10-01..2026-10-31
on 2024-02-29 | 2024-02-29
before 2024 | ..2023-12-31
`

describe('time expressions in a query', () => {
  it.each(
    asked
      .trim()
      .split('\n')
      .map((row) => row.split(' | ')),
  )('%s', (query = '', span = '') => {
    expect(told(query)).toBe(span)
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
