import { calendarOf, formatDay, monthSpan, parseDay, yearSpan, type DaySpan } from './days.ts'
import { parseTemporalExpressions } from './temporal-expressions.ts'
import { fold } from './terms.ts'

/** In characters. A longer text is likely a paste, whose times are not relative to today. */
const maxDatedNote = 600

/** Words after which a weekday is the coming one: "the party is on", "Ann will come on", 聚会在. */
const comingBefore = /\b(?:is|are|due|(?:will|'ll)(?: \w+){1,3})\s+$|(?:在|是|定于)$/i
/** A note about such a day is true each year. */
const yearly = /\b(?:every|each|birthday|anniversary|born)\b|每年|生日|[纪紀]念日/i

/**
 * Adds dates in brackets to the relative times of a note, such as "tomorrow" and 下周五, and to coming days without a
 * year. Leaves out times that the date of the log makes clear, such as "this week", and a weekday that can be past.
 * @param today `YYYY-MM-DD`
 * @param isReminder true if a weekday alone is the next such day
 */
export function datedNote(note: string, today: string, isReminder = false): string {
  // Keeps the length, so that offsets are valid in the note.
  const plain = note.replace(/[^\x20-\x7e]/gu, (letter) =>
    fold(letter).length === letter.length ? letter : ' '.repeat(letter.length),
  )
  if (note.length > maxDatedNote || fold(plain).length !== note.length) return note
  const now = parseDay(today)
  const times = parseTemporalExpressions(plain, now)
  const isOnlyDates = times.every(({ kind }) => kind === 'date') && !yearly.test(note)
  return times.toReversed().reduce((text, time) => {
    const isComing = isReminder || (time.first < now && comingBefore.test(text.slice(0, time.start)))
    const span = isComing && time.kind === 'weekday' ? { first: time.first + 7, last: time.last + 7 } : time
    const isDay = isOnlyDates && !/\d{4}/.test(time.text) && time.first > now && time.first === time.last
    const isDated = time.kind === 'relative' || span !== time || isDay
    const isNow = span.first <= now && now <= span.last
    const end = time.end + (/^['’]s\b/.exec(text.slice(time.end))?.[0].length ?? 0)
    const hasDate = /^(?:\s?[(（]\d|, \d{1,2} [A-Z])/.test(text.slice(end))
    if (!isDated || isNow || hasDate || !Number.isFinite(span.first + span.last)) return text
    const isHan = /[\p{Script=Han}\p{Script=Hiragana}]$/u.test(time.text)
    return `${text.slice(0, end)}${isHan ? `（${formatSpan(span)}）` : ` (${formatSpan(span)})`}${text.slice(end)}`
  }, note)
}

function formatSpan({ first, last }: DaySpan): string {
  const { year, month } = calendarOf(first)
  const day = formatDay(first)
  if (first === last) return day
  if (last === monthSpan(year, month).last && day.endsWith('-01')) return day.slice(0, 7)
  if (first === yearSpan(year).first && last === yearSpan(year).last) return String(year)
  return `${day} – ${formatDay(last)}`
}
