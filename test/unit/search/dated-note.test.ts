import { describe, expect, it } from 'vitest'
import { datedNote } from '../../../src/main/search/text/language/times.ts'

/** A Wednesday. */
const today = '2026-11-18'

describe('the date of a note', () => {
  it.each([
    ['Plumber comes tomorrow at 8', 'Plumber comes tomorrow (2026-11-19) at 8'],
    ['Sofa arrives next Friday', 'Sofa arrives next Friday (2026-11-27)'],
    ['Tax papers are due the day after tomorrow', 'Tax papers are due the day after tomorrow (2026-11-20)'],
    ["Tomorrow's rehearsal is off…", "Tomorrow's (2026-11-19) rehearsal is off…"],
    ['Lost the umbrella yesterday', 'Lost the umbrella yesterday (2026-11-17)'],
    [
      'Ferry next week, ferry back next month',
      'Ferry next week (2026-11-23 – 2026-11-29), ferry back next month (2026-12)',
    ],
    ['Passport renewed last year', 'Passport renewed last year (2025)'],
    ['明天早上八点给车换轮胎', '明天（2026-11-19）早上八点给车换轮胎'],
    ['下周五和房东看漏水', '下周五（2026-11-27）和房东看漏水'],
    ['后天下午接外婆', '后天（2026-11-20）下午接外婆'],
    ['Vet tomorrow 8 am', 'Vet tomorrow (2026-11-19) 8 am'],
    ['明天8点半集合', '明天（2026-11-19）8点半集合'],
    ['三天后还相机', '三天后（2026-11-21）还相机'],
    ['下個月五號繳保費', '下個月五號（2026-12-05）繳保費'],
    ['明晚跟阿凱吃火鍋', '明晚（2026-11-19）跟阿凱吃火鍋'],
    ['🦄🎉 the party is on Saturday', '🦄🎉 the party is on Saturday (2026-11-21)'],
    ['Ann will come on Monday', 'Ann will come on Monday (2026-11-23)'],
    ['聚会定在周六晚上', '聚会定在周六（2026-11-21）晚上'],
    ['Dentist appointment on December 9 at 11:00', 'Dentist appointment on December 9 (2026-12-09) at 11:00'],
    ['12月9日看牙医', '12月9日（2026-12-09）看牙医'],
    ['上週六把腳踏車送修', '上週六（2026-11-14）把腳踏車送修'],
  ])('%s', (note, dated) => {
    expect(datedNote(note, today)).toBe(dated)
    expect(datedNote(dated, today)).toBe(dated)
  })

  it.each([
    'Ran five kilometres today',
    'This week is full',
    'Yoga on Thursday',
    'Bins go out every Friday',
    'The dentist moved my check-up to 19 March',
    'Exam tomorrow, 19 November',
    'Watched "The Day After Tomorrow"',
    'Met Ann on Saturday',
    'The shop is open on Saturday',
    'The report is due on Wednesday',
    "Ida's birthday is December 9",
    'Bought the bike on 3 March',
    '今天跑了五公里',
    '周四评审',
    '每週二倒垃圾',
    '明天（11月19日）交稿',
    `A pasted page. ${'What they said yesterday. '.repeat(40)}`,
  ])('is not added to %s', (note) => {
    expect(datedNote(note, today)).toBe(note)
  })

  it.each([
    ['call the bank on Friday', 'call the bank on Friday (2026-11-20)'],
    ['周三交水电费', '周三（2026-11-25）交水电费'],
    ['禮拜六買蛋糕', '禮拜六（2026-11-21）買蛋糕'],
  ])('of a reminder, %s, is the next such day', (note, dated) => {
    expect(datedNote(note, today, true)).toBe(dated)
  })
})
