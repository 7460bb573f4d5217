import { Cron } from 'croner'

const abbreviate = (name: string) => name.slice(0, 3)
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * Parses a schedule in local time: `off`; `hourly`; `daily`, `daily 04:00`; `weekly`, `monday 09:00`, `weekdays 18:30`;
 * `monthly`; or a cron expression with five fields. Without a time, 04:00 applies; `weekly` means Monday, `monthly` the
 * first.
 * @returns undefined for `off`, null for invalid text
 */
export function parseSchedule(text: string): Cron | undefined | null {
  const words = text.trim().toLowerCase().split(/\s+/)
  if (words.length === 1 && words[0] === 'off') return undefined
  // croner accepts only three-letter names of weekdays and months.
  const fields = words.length === 5 ? words.map((word) => word.replace(/[a-z]{4,}/g, abbreviate)) : cronFields(words)
  if (!fields) return null
  try {
    // Follows Vixie cron: if one of the two day fields starts with a star, both must match; otherwise, one of them.
    const domAndDow = [fields[2], fields[4]].some((field) => field?.startsWith('*'))
    return new Cron(fields.join(' '), { mode: '5-part', domAndDow, sloppyRanges: true })
  } catch {
    return null
  }
}

/** Returns the first run later than `after`; undefined if the schedule never fires, such as on 31 February. */
export function nextRun(schedule: Cron, after: Date): Date | undefined {
  return schedule.nextRun(after) ?? undefined
}

function cronFields([first = '', time, ...rest]: readonly string[]): readonly string[] | undefined {
  if (first === 'hourly' && time === undefined) return ['0', '*', '*', '*', '*']
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time ?? '04:00') ?? []
  if (hour === undefined || minute === undefined || rest.length > 0) return undefined
  if (first === 'daily') return [minute, hour, '*', '*', '*']
  if (first === 'weekly') return [minute, hour, '*', '*', '1']
  if (first === 'weekdays') return [minute, hour, '*', '*', '1-5']
  if (first === 'monthly') return [minute, hour, '1', '*', '*']
  const weekday = weekdays.findIndex((name) => first === name || first === abbreviate(name))
  return weekday < 0 ? undefined : [minute, hour, '*', '*', String(weekday)]
}
