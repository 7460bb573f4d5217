/**
 * Location of daily notes. `format` uses Moment.js tokens (https://momentjs.com/docs/#/displaying/format/), as Obsidian
 * does; the formats of Logseq and Foam are converted to it. Names of months and weekdays are English. Dates are
 * `YYYY-MM-DD`.
 */
import { cached } from '../util/lazy.ts'

export interface DailyNotes {
  /** Workspace-relative, without a trailing slash; empty for the top. */
  readonly folder: string
  /** Without `.md`; may contain folders: `YYYY/MM/YYYY-MM-DD`. */
  readonly format: string
}

/** Daily notes of a workspace whose program and settings say nothing about them. */
export const defaultDailyNotes: DailyNotes = { folder: 'memory', format: 'YYYY-MM-DD' }

export const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

interface Token {
  readonly part: 'year' | 'month' | 'day' | 'weekday'
  readonly pattern: string
  readonly format: (date: Date) => string
}

const token = (part: Token['part'], pattern: string, format: Token['format']): Token => ({ part, pattern, format })
const pad = (value: number) => String(value).padStart(2, '0')
const twoDigits = String.raw`\d{2}`
const oneOrTwoDigits = String.raw`\d{1,2}`

function nameToken(part: Token['part'], allNames: readonly string[], indexOf: (date: Date) => number, length?: number) {
  const names = allNames.map((name) => name.slice(0, length))
  return token(part, names.join('|'), (date) => names[indexOf(date)] ?? '')
}

const tokens: Readonly<Record<string, Token>> = {
  YYYY: token('year', String.raw`\d{4}`, (date) => String(date.getFullYear())),
  YY: token('year', twoDigits, (date) => pad(date.getFullYear() % 100)),
  MMMM: nameToken('month', months, (date) => date.getMonth()),
  MMM: nameToken('month', months, (date) => date.getMonth(), 3),
  MM: token('month', twoDigits, (date) => pad(date.getMonth() + 1)),
  M: token('month', oneOrTwoDigits, (date) => String(date.getMonth() + 1)),
  Do: token('day', `${oneOrTwoDigits}(?:st|nd|rd|th)`, (date) => ordinal(date.getDate())),
  DD: token('day', twoDigits, (date) => pad(date.getDate())),
  D: token('day', oneOrTwoDigits, (date) => String(date.getDate())),
  dddd: nameToken('weekday', weekdays, (date) => date.getDay()),
  ddd: nameToken('weekday', weekdays, (date) => date.getDay(), 3),
  dd: nameToken('weekday', weekdays, (date) => date.getDay(), 2),
}

export function ordinal(day: number): string {
  const suffix = day >= 11 && day <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${suffix}`
}

/** Quoted literals, Moment.js tokens (longest first), and single characters. */
const piecePattern =
  /\[([^\]]*)\]|(YYYY|YY|MMMM|MMM|MM|Mo|M|Do|DDDD|DDD|DD|D|dddd|ddd|dd|do|d|gggg|gg|GGGG|GG|ww|wo|w|WW|Wo|W|Qo|Q|HH|H|hh|h|mm|m|ss|s|A|a|X|x|E|e|Z)|([^])/g

/** Returns literals and tokens; undefined if the format contains an unsupported token, such as one for hours or weeks. */
function parseFormat(format: string): (string | Token)[] | undefined {
  const pieces: (string | Token)[] = []
  for (const [, quoted, name, other = ''] of format.matchAll(piecePattern)) {
    // `tokens` lacks the unsupported ones.
    const piece = name === undefined ? (quoted ?? other) : tokens[name]
    if (piece === undefined) return undefined
    pieces.push(piece)
  }
  return pieces
}

/** Returns true if the format identifies every day and can be parsed back. */
export function isDailyFormat(format: string): boolean {
  const parts = new Set(parseFormat(format)?.map((piece) => typeof piece !== 'string' && piece.part))
  const hasInvalidPath = /(^|\/)\.{0,2}(\/|$)|\\/.test(format)
  return parts.has('year') && parts.has('month') && parts.has('day') && !hasInvalidPath
}

/** @param notes with a format accepted by `isDailyFormat` @param date `YYYY-MM-DD` */
export function dailyNotePath({ folder, format }: DailyNotes, date: string): string {
  const noon = new Date(`${date}T12:00:00`)
  const name = (parseFormat(format) ?? []).map((piece) => (typeof piece === 'string' ? piece : piece.format(noon)))
  return `${folder === '' ? '' : `${folder}/`}${name.join('')}.md`
}

/** Returns the date of a daily note, `YYYY-MM-DD`; undefined for any other path. */
export function dailyNoteDate(notes: DailyNotes, path: string): string | undefined {
  const prefix = notes.folder === '' ? '' : `${notes.folder}/`
  if (!path.startsWith(prefix)) return undefined
  const { pattern, parts } = parserFor(notes.format)
  const match = pattern?.exec(path.slice(prefix.length))
  if (!match) return undefined
  const text = (part: Token['part']) => match[parts.indexOf(part) + 1] ?? ''
  const year = Number(text('year'))
  const month = Number(text('month')) || months.findIndex((name) => name.startsWith(text('month').slice(0, 3))) + 1
  const date = [year < 100 ? 2000 + year : year, pad(month), pad(Number.parseInt(text('day')))].join('-')
  // Rejects dates that do not exist, and parts that contradict each other.
  const isSame = isDate(date) && dailyNotePath(notes, date) === path.replace(/\.markdown$/, '.md')
  return isSame ? date : undefined
}

/** Returns the date of a file named only by a date (`2024-05-21`, `2025_01_31`), in any folder. */
export function dateOfFileName(path: string): string | undefined {
  const [, year, separator, month, day] = /(?:^|\/)(\d{4})([-_])(\d{2})\2(\d{2})\.(?:md|markdown)$/i.exec(path) ?? []
  const date = `${year}-${month}-${day}`
  return separator !== undefined && isDate(date) ? date : undefined
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** Cached, because every file of a vault is checked against the same format. */
const parserFor = cached((format: string) => {
  const pieces = isDailyFormat(format) ? (parseFormat(format) ?? []) : []
  const source = pieces
    .map((piece) => (typeof piece === 'string' ? RegExp.escape(piece) : `(${piece.pattern})`))
    .join('')
  return {
    /** Undefined if `isDailyFormat` rejects the format. */
    pattern: pieces.length === 0 ? undefined : new RegExp(`^${source}\\.(?:md|markdown)$`),
    parts: pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.part])),
  }
})
