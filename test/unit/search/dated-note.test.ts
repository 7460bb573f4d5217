import { describe, expect, it } from 'vitest'
import { datedNote } from '../../../src/main/search/text/language/times.ts'

/** A Wednesday. */
const today = '2026-11-18'

describe('the date of a note', () => {
  it.each([
    ['Plumber comes tomorrow at 8', 'Plumber comes tomorrow (2026-11-19) at 8'],
    ['Sofa arrives next Friday', 'Sofa arrives next Friday (2026-11-27)'],
    ["Tomorrow's rehearsal is off…", "Tomorrow's (2026-11-19) rehearsal is off…"],
    [
      'Ferry next week, ferry back next month',
      'Ferry next week (2026-11-23 – 2026-11-29), ferry back next month (2026-12)',
    ],
    ['明天早上八点给车换轮胎', '明天（2026-11-19）早上八点给车换轮胎'],
    ['Ann will come on Monday', 'Ann will come on Monday (2026-11-23)'],
    ['下下周三体检', '下下周三（2026-12-02）体检'],
    ['下下个月搬家', '下下个月（2027-01）搬家'],
    ['Back a week tomorrow', 'Back a week tomorrow (2026-11-26)'],
    ['Run `date` tomorrow', 'Run `date` tomorrow (2026-11-19)'],
    ['明儿交作业', '明儿（2026-11-19）交作业'],
    ['下周一到周三出差', '下周一到周三（2026-11-23 – 2026-11-25）出差'],
    ['Dentist on 12/20 at nine', 'Dentist on 12/20 (2026-12-20) at nine'],
    ['Away from December 3 to December 10', 'Away from December 3 to December 10 (2026-12-03 – 2026-12-10)'],
    ['12月3号到7号出差', '12月3号到7号（2026-12-03 – 2026-12-07）出差'],
    ['Dentist appointment on December 9 at 11:00', 'Dentist appointment on December 9 (2026-12-09) at 11:00'],
  ])('%s', (note, dated) => {
    expect(datedNote(note, today)).toBe(dated)
    expect(datedNote(dated, today)).toBe(dated)
  })

  it.each([
    'Ran five kilometres today',
    'Yoga on Thursday',
    'Bins go out every Friday',
    'The Day After Tomorrow is a film',
    'Tomorrow Never Dies is on the shelf',
    '《明天》是一部小说',
    'Last Sunday of every month is open day',
    'The shop is open Monday to Friday',
    '月底交房租',
    '周末爬山',
    '半个月后复查',
    '3月15号是妈妈生日',
    'Score was 12/20',
    'Rent is due at the end of the month',
    '月曜日はゴミの日',
    '월요일 회의',
    'The dentist moved my check-up to 19 March',
    '今天跑了五公里',
    'Run `date -d tomorrow` and read https://x.example/tomorrow',
    'Script:\n```sh\n# run tomorrow\necho tomorrow\n```',
    'Script:\n~~~\necho tomorrow',
    `A pasted page. ${'What they said yesterday. '.repeat(40)}`,
  ])('is not added to %s', (note) => {
    expect(datedNote(note, today)).toBe(note)
  })

  it.each([
    ['call the bank on Friday', 'call the bank on Friday (2026-11-20)'],
    ['周三交水电费', '周三（2026-11-25）交水电费'],
    ['礼拜五还书', '礼拜五（2026-11-20）还书'],
  ])('of a reminder, %s, is the next such day', (note, dated) => {
    expect(datedNote(note, today, true)).toBe(dated)
  })
})
