/**
 * Location of daily notes. `format` uses Moment.js tokens (https://momentjs.com/docs/#/displaying/format/), as Obsidian
 * does; the formats of Logseq and Foam are converted to it. Names of months and weekdays are English. Dates are
 * `YYYY-MM-DD`.
 */

export interface DailyNotes {
  /** Workspace-relative, without a trailing slash; empty for the top. */
  readonly folder: string
  /** Without `.md`; may contain folders: `YYYY/MM/YYYY-MM-DD`. */
  readonly format: string
}

/** Applies if the vault defines no format. */
export const defaultDailyNotes: DailyNotes = { folder: 'memory', format: 'YYYY-MM-DD' }

export const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

interface Token {
  readonly format: (date: Date) => string
  readonly pattern: string
  /** The date part that the token represents, and its parser. */
  readonly part?: readonly [part: 'year' | 'month' | 'day', read: (text: string) => number]
}

const pad = (value: number) => String(value).padStart(2, '0')
const monthName = (date: Date) => months[date.getMonth()] ?? ''
const alternatives = (list: readonly string[], length?: number) => list.map((name) => name.slice(0, length)).join('|')
const parseShortYear = (text: string) => 2000 + Number(text)
const parseMonth = (text: string) => months.findIndex((name) => name.slice(0, 3) === text.slice(0, 3)) + 1

const tokens: Readonly<Record<string, Token>> = {
  YYYY: { format: (date) => String(date.getFullYear()), pattern: String.raw`\d{4}`, part: ['year', Number] },
  YY: { format: (date) => pad(date.getFullYear() % 100), pattern: String.raw`\d{2}`, part: ['year', parseShortYear] },
  MMMM: { format: monthName, pattern: alternatives(months), part: ['month', parseMonth] },
  MMM: { format: (date) => monthName(date).slice(0, 3), pattern: alternatives(months, 3), part: ['month', parseMonth] },
  MM: { format: (date) => pad(date.getMonth() + 1), pattern: String.raw`\d{2}`, part: ['month', Number] },
  M: { format: (date) => String(date.getMonth() + 1), pattern: String.raw`\d{1,2}`, part: ['month', Number] },
  Do: {
    format: (date) => ordinal(date.getDate()),
    pattern: String.raw`\d{1,2}(?:st|nd|rd|th)`,
    part: ['day', Number.parseInt],
  },
  DD: { format: (date) => pad(date.getDate()), pattern: String.raw`\d{2}`, part: ['day', Number] },
  D: { format: (date) => String(date.getDate()), pattern: String.raw`\d{1,2}`, part: ['day', Number] },
  dddd: { format: (date) => weekdays[date.getDay()] ?? '', pattern: alternatives(weekdays) },
  ddd: { format: (date) => weekdays[date.getDay()]?.slice(0, 3) ?? '', pattern: alternatives(weekdays, 3) },
  dd: { format: (date) => weekdays[date.getDay()]?.slice(0, 2) ?? '', pattern: alternatives(weekdays, 2) },
}

/** Formats a day of the month as English ordinal: 1st, 22nd, 13th. */
export function ordinal(day: number): string {
  const suffix = day >= 11 && day <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${suffix}`
}

/** Quoted literals, Moment.js tokens (longest first), and single characters. */
const piecePattern =
  /\[([^\]]*)\]|(YYYY|YY|MMMM|MMM|MM|Mo|M|Do|DDDD|DDD|DD|D|dddd|ddd|dd|do|d|gggg|gg|GGGG|GG|ww|wo|w|WW|Wo|W|Qo|Q|HH|H|hh|h|mm|m|ss|s|A|a|X|x|E|e|Z)|([^])/g

type Piece = { readonly literal: string } | Token

/** Returns undefined if the format contains an unsupported token, such as one for hours or weeks. */
function parseFormat(format: string): Piece[] | undefined {
  const pieces: Piece[] = []
  for (const [, quoted, name, other] of format.matchAll(piecePattern)) {
    const token = name === undefined ? undefined : tokens[name]
    if (name !== undefined && !token) return undefined
    pieces.push(token ?? { literal: quoted ?? other ?? '' })
  }
  return pieces
}

/** Returns true if the format identifies every day and can be parsed back. */
export function isDailyFormat(format: string): boolean {
  const parts = new Set(parseFormat(format)?.flatMap((piece) => ('literal' in piece ? [] : [piece.part?.[0]])))
  return parts.has('year') && parts.has('month') && parts.has('day') && !/(^|\/)\.{0,2}(\/|$)|\\/.test(format)
}

/**
 * Returns the workspace-relative path of a day's note.
 * @param format a format accepted by `isDailyFormat`
 * @param date `YYYY-MM-DD`
 */
export function dailyNotePath({ folder, format }: DailyNotes, date: string): string {
  const noon = new Date(`${date}T12:00:00`)
  const pieces = parseFormat(format) ?? []
  const name = pieces.map((piece) => ('literal' in piece ? piece.literal : piece.format(noon))).join('')
  return `${folder === '' ? '' : `${folder}/`}${name}.md`
}

/** Returns the date of a daily note, `YYYY-MM-DD`; undefined for any other path. */
export function dailyNoteDate(notes: DailyNotes, path: string): string | undefined {
  const prefix = notes.folder === '' ? '' : `${notes.folder}/`
  if (!path.startsWith(prefix)) return undefined
  const { pattern, dateParts } = parserFor(notes.format)
  const match = pattern?.exec(path.slice(prefix.length))
  if (!match) return undefined
  const parts = new Map<string, number>()
  for (const [index, [name, parse]] of dateParts.entries()) {
    const value = parse(match[index + 1] ?? '')
    if (parts.has(name) && parts.get(name) !== value) return undefined
    parts.set(name, value)
  }
  return formatDate(parts.get('year'), parts.get('month'), parts.get('day'))
}

/**
 * Returns the date of a file named only by a date (`2024-05-21`, `2025_01_31`) in any folder; undefined for other
 * names.
 */
export function dateOfFileName(path: string): string | undefined {
  const [, year, separator, month, day] = /(?:^|\/)(\d{4})([-_])(\d{2})\2(\d{2})\.(?:md|markdown)$/i.exec(path) ?? []
  return separator === undefined ? undefined : formatDate(Number(year), Number(month), Number(day))
}

function formatDate(year = 0, month = 0, day = 0): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isValidDate = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isValidDate ? `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}` : undefined
}

/** Parsers by format; cached, because every file of a vault is checked against the same format. */
const parsers = new Map<string, ReturnType<typeof createParser>>()

function parserFor(format: string) {
  const parser = parsers.get(format) ?? createParser(format)
  parsers.set(format, parser)
  return parser
}

function createParser(format: string) {
  const pieces = isDailyFormat(format) ? (parseFormat(format) ?? []) : []
  const source = pieces
    .map((piece) => {
      if ('literal' in piece) return RegExp.escape(piece.literal)
      return piece.part ? `(${piece.pattern})` : `(?:${piece.pattern})`
    })
    .join('')
  return {
    /** Undefined if `isDailyFormat` rejects the format. */
    pattern: pieces.length === 0 ? undefined : new RegExp(`^${source}\\.(?:md|markdown)$`),
    dateParts: pieces.flatMap((piece) => ('literal' in piece || !piece.part ? [] : [piece.part])),
  }
}
