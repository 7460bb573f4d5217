/**
 * Finds the days that a text is about: those in the file's name, in the headings, and at the start of its lines. The
 * file's modification time does not count, because copying or correcting a note changes it.
 */
import { dailyNoteDate } from '#shared/markdown/daily-notes.ts'
import type { NotesFolder } from '#workspace/privacy'
import { fold } from '../text/terms.ts'
import {
  findDates,
  type DateMatch,
  calendarOf,
  isoWeekSpan,
  parseDay,
  spanOf,
  yearSpan,
  type DaySpan,
} from '../text/language/dates.ts'
import { headingSeparator, type Unit } from './unit.ts'

/** @param folders with the names of their daily notes, the workspace first */
export function daysOfPath(path: string, folders: readonly NotesFolder[] = []): DaySpan[] {
  const { prefix = '', daily } = folders.findLast((folder) => path.startsWith(folder.prefix)) ?? {}
  const date = daily && dailyNoteDate(daily, path.slice(prefix.length))
  if (date !== undefined) return [{ first: parseDay(date), last: parseDay(date) }]
  const name = path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.(md|markdown|jsonl)$/i, '')
    .replaceAll('_', '-')
  const span = spanOfName(name) ?? spanOfFolders(path)
  return span ? [span] : []
}

function spanOfName(name: string): DaySpan | undefined {
  // A time can follow: 202611181030, 20261118103000.
  const day = /(?<!\d)((?:19|20)\d\d)([-. ]?)(\d{2})\2(\d{2})(?:[0-2]\d[0-5]\d(?:[0-5]\d)?)?(?!\d)/.exec(name)
  if (day) return spanOf(Number(day[1]), Number(day[3]), Number(day[4]))
  const week = /(?<!\d)((?:19|20)\d\d)-?w(\d{2})(?!\d)/i.exec(name)
  if (week)
    return Number(week[2]) >= 1 && Number(week[2]) <= 53 ? isoWeekSpan(Number(week[1]), Number(week[2])) : undefined
  const month = /(?<!\d)((?:19|20)\d\d)[-.](0[1-9]|1[0-2])(?!\d)/.exec(name)
  if (month) return spanOf(Number(month[1]), Number(month[2]))
  if (/^(?:19|20)\d\d$/.test(name)) return yearSpan(Number(name))
  return findDates(fold(name)).flatMap((form) => spanOfForm(form, undefined) ?? [])[0]
}

/** `journal/2024/05/03.md`, `2024/05/…`, `2024/…`. */
function spanOfFolders(path: string): DaySpan | undefined {
  const [, ...parts] =
    /(?:^|\/)((?:19|20)\d\d)\/(?:(0[1-9]|1[0-2])(?:[-_ ][^/]*)?\/(?:([0-3]\d)(?!\d)[^/]*$)?)?/.exec(path) ?? []
  const [year, month, day] = parts.map((part) => (part === undefined ? undefined : Number(part)))
  return year === undefined ? undefined : spanOf(year, month, day)
}

/** Excludes most lines, so that their dates need not be parsed. */
const maybeDated = /\d|[月월]/
/** Characters allowed before the date at the start of a line: list marker, checkbox, brackets, emphasis. */
const beforeDate = /^\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?[*_[(（【「"']*$/

/**
 * Returns the distinct spans of a text: those of the path, of the headings, and of lines that start with a date. A day
 * without a year gets the year of the path or of a heading above.
 * @param outer days of the path, or of the headings if the text is given without them
 */
export function daysOfText({ heading, text }: Pick<Unit, 'heading' | 'text'>, outer: readonly DaySpan[]): DaySpan[] {
  const found = new Map<string, DaySpan>()
  const add = (span: DaySpan | undefined) => span && found.set(`${span.first}/${span.last}`, span)
  for (const span of outer) add(span)
  let year = outer[0] && calendarOf(outer[0].first).year
  const read = (title: string) => {
    const alone = /^((?:19|20)\d\d)\s*年?$/.exec(title.trim())?.[1]
    const spans =
      alone === undefined ? findDates(fold(title)).map((form) => spanOfForm(form, year)) : [yearSpan(Number(alone))]
    for (const span of spans) {
      add(span)
      if (span) year = calendarOf(span.first).year
    }
  }
  for (const title of heading.split(headingSeparator)) if (maybeDated.test(title)) read(title)
  for (const line of text.split('\n')) {
    if (!maybeDated.test(line.slice(0, 24))) continue
    const title = /^ {0,3}#{1,6}\s+(.*)$/.exec(line)?.[1]
    if (title !== undefined) read(title)
    else {
      const start = fold(line.slice(0, 48))
      const [form] = findDates(start)
      if (form && beforeDate.test(start.slice(0, form.start))) add(spanOfForm(form, year))
    }
  }
  return [...found.values()]
}

function spanOfForm({ year, month, day }: DateMatch, otherwise: number | undefined): DaySpan | undefined {
  const of = year ?? otherwise
  return of === undefined ? undefined : spanOf(of, month, day)
}
