/**
 * When something is done again and again, as a person writes it: `off`; `hourly`; `daily`, `daily 04:00`; `weekly`,
 * `monday 09:00`, `weekdays 18:30`; `monthly`; or the five fields of cron (minute, hour, day, month, day of the week). In
 * local time. Pure.
 */

/** What cron's five fields allow. */
export interface Schedule {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>
  /** Both days are named: either is enough, as cron has it. */
  readonly isEitherDay: boolean
}

const weekdayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const
/** When nobody says otherwise: at night. */
const usualTime = '04:00'

/** @returns undefined for `off`, null for what is no schedule */
export function parseSchedule(text: string): Schedule | undefined | null {
  const words = text.trim().toLowerCase().split(/\s+/)
  const [first = '', time = usualTime, ...more] = words
  if (first === 'off' && words.length === 1) return undefined
  if (words.length === 5) return fromFields(words)
  if (first === 'hourly' && words.length === 1) return fromFields(['0', '*', '*', '*', '*'])
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time)
  if (!clock || more.length > 0) return null
  const [, hour = '', minute = ''] = clock
  const day = weekdayNames.findIndex((name) => first === name || first === name.slice(0, 3))
  const fields: Readonly<Record<string, readonly [days: string, weekdays: string]>> = {
    daily: ['*', '*'],
    weekly: ['*', '1'],
    weekdays: ['*', '1-5'],
    monthly: ['1', '*'],
    ...(day >= 0 ? { [first]: ['*', String(day)] as const } : {}),
  }
  const [days, weekdays] = fields[first] ?? []
  if (days === undefined || weekdays === undefined) return null
  return fromFields([String(Number(minute)), String(Number(hour)), days, '*', weekdays])
}

function fromFields([minute = '', hour = '', day = '', month = '', weekday = '']: readonly string[]): Schedule | null {
  const minutes = field(minute, 0, 59)
  const hours = field(hour, 0, 23)
  const days = field(day, 1, 31)
  const months = field(named(month, monthNames, 1), 1, 12)
  const weekdays = field(
    named(
      weekday,
      weekdayNames.map((name) => name.slice(0, 3)),
      0,
    ),
    0,
    7,
  )
  if (!minutes || !hours || !days || !months || !weekdays) return null
  if (weekdays.has(7)) weekdays.add(0)
  return { minutes, hours, days, months, weekdays, isEitherDay: !day.startsWith('*') && !weekday.startsWith('*') }
}

function named(text: string, names: readonly string[], from: number): string {
  return text.replace(/[a-z]+/g, (word) => {
    const at = names.indexOf(word.slice(0, 3))
    return at < 0 ? word : String(at + from)
  })
}

/** A list of numbers, ranges and steps: `1,15`, `1-5`, `*`, `0-30/10`. @returns undefined for what is none */
function field(text: string, least: number, most: number): Set<number> | undefined {
  const found = new Set<number>()
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part) ?? []
    const [, from, to] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(range) ?? []
    const first = range === '*' ? least : Number(from ?? Number.NaN)
    const last = range === '*' || (to === undefined && step !== undefined) ? most : Number(to ?? from ?? Number.NaN)
    const by = step === undefined ? 1 : Number(step)
    if (!(first >= least && last <= most && first <= last && by >= 1)) return undefined
    for (let value = first; value <= last; value += by) found.add(value)
  }
  return found
}

/** A schedule that names no day that there is (31 February) never comes; four years have every day. */
const maxDays = 4 * 366

/** The first moment after another one. @returns undefined where it never comes */
export function nextOf(schedule: Schedule, after: Date): Date | undefined {
  const { minutes, hours } = schedule
  const day = new Date(after.getFullYear(), after.getMonth(), after.getDate())
  for (let count = 0; count < maxDays; count += 1, day.setDate(day.getDate() + 1)) {
    if (!isOn(schedule, day)) continue
    for (const hour of [...hours].sort((one, other) => one - other))
      for (const minute of [...minutes].sort((one, other) => one - other)) {
        // Where the clock is put forward the hour that is left out is the next one.
        const moment = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute)
        if (moment > after) return moment
      }
  }
  return undefined
}

function isOn({ days, months, weekdays, isEitherDay }: Schedule, day: Date): boolean {
  if (!months.has(day.getMonth() + 1)) return false
  const [inMonth, inWeek] = [days.has(day.getDate()), weekdays.has(day.getDay())]
  return isEitherDay ? inMonth || inWeek : inMonth && inWeek
}
