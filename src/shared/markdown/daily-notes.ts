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

/** Default if the vault defines no format. */
export const defaultDailyNotes: DailyNotes = { folder: 'memory', format: 'YYYY-MM-DD' }

const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

interface Token {
  readonly write: (at: Date) => string
  readonly pattern: string
  /** The date part that the token represents, and its parser. */
  readonly says?: readonly [part: 'year' | 'month' | 'day', read: (text: string) => number]
}

const pad = (value: number) => String(value).padStart(2, '0')
const names = (list: readonly string[], length?: number) => list.map((name) => name.slice(0, length)).join('|')
const monthOf = (text: string) => months.findIndex((name) => name.slice(0, 3) === text.slice(0, 3)) + 1

const tokens: Readonly<Record<string, Token>> = {
  YYYY: { write: (at) => String(at.getFullYear()), pattern: String.raw`\d{4}`, says: ['year', Number] },
  YY: {
    write: (at) => pad(at.getFullYear() % 100),
    pattern: String.raw`\d{2}`,
    says: ['year', (text) => 2000 + Number(text)],
  },
  MMMM: { write: (at) => months[at.getMonth()] ?? '', pattern: names(months), says: ['month', monthOf] },
  MMM: { write: (at) => months[at.getMonth()]?.slice(0, 3) ?? '', pattern: names(months, 3), says: ['month', monthOf] },
  MM: { write: (at) => pad(at.getMonth() + 1), pattern: String.raw`\d{2}`, says: ['month', Number] },
  M: { write: (at) => String(at.getMonth() + 1), pattern: String.raw`\d{1,2}`, says: ['month', Number] },
  Do: {
    write: (at) => ordinal(at.getDate()),
    pattern: String.raw`\d{1,2}(?:st|nd|rd|th)`,
    says: ['day', Number.parseInt],
  },
  DD: { write: (at) => pad(at.getDate()), pattern: String.raw`\d{2}`, says: ['day', Number] },
  D: { write: (at) => String(at.getDate()), pattern: String.raw`\d{1,2}`, says: ['day', Number] },
  dddd: { write: (at) => weekdays[at.getDay()] ?? '', pattern: names(weekdays) },
  ddd: { write: (at) => weekdays[at.getDay()]?.slice(0, 3) ?? '', pattern: names(weekdays, 3) },
  dd: { write: (at) => weekdays[at.getDay()]?.slice(0, 2) ?? '', pattern: names(weekdays, 2) },
}

function ordinal(day: number): string {
  const ending = day >= 11 && day <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${ending}`
}

/** Quoted literals, Moment.js tokens (longest first), and single characters. */
const piece =
  /\[([^\]]*)\]|(YYYY|YY|MMMM|MMM|MM|Mo|M|Do|DDDD|DDD|DD|D|dddd|ddd|dd|do|d|gggg|gg|GGGG|GG|ww|wo|w|WW|Wo|W|Qo|Q|HH|H|hh|h|mm|m|ss|s|A|a|X|x|E|e|Z)|([^])/g

type Piece = { readonly literal: string } | Token

/** Returns undefined if the format contains an unsupported token, such as one for hours or weeks. */
function parseFormat(format: string): Piece[] | undefined {
  const pieces: Piece[] = []
  for (const [, quoted, name, other] of format.matchAll(piece)) {
    const token = name === undefined ? undefined : tokens[name]
    if (name !== undefined && !token) return undefined
    pieces.push(token ?? { literal: quoted ?? other ?? '' })
  }
  return pieces
}

/** Returns true if the format identifies every day and can be parsed back. */
export function isDailyFormat(format: string): boolean {
  const foundParts = new Set(parseFormat(format)?.flatMap((one) => ('literal' in one ? [] : [one.says?.[0]])))
  return (
    foundParts.has('year') && foundParts.has('month') && foundParts.has('day') && !/(^|\/)\.{0,2}(\/|$)|\\/.test(format)
  )
}

/**
 * Returns the workspace-relative path of a day's note.
 * @param format a format accepted by `isDailyFormat`
 * @param date `YYYY-MM-DD`
 */
export function dailyNotePath({ folder, format }: DailyNotes, date: string): string {
  const at = new Date(`${date}T12:00:00`)
  const name = (parseFormat(format) ?? []).map((one) => ('literal' in one ? one.literal : one.write(at))).join('')
  return `${folder === '' ? '' : `${folder}/`}${name}.md`
}

/** Returns the date of a daily note, `YYYY-MM-DD`; undefined for any other path. */
export function dailyNoteDate(notes: DailyNotes, path: string): string | undefined {
  const prefix = notes.folder === '' ? '' : `${notes.folder}/`
  if (!path.startsWith(prefix)) return undefined
  const { pattern, says } = parserFor(notes.format)
  const found = pattern?.exec(path.slice(prefix.length))
  if (!found) return undefined
  const foundParts = new Map<string, number>()
  for (const [at, [part, read]] of says.entries()) {
    const value = read(found[at + 1] ?? '')
    if (foundParts.has(part) && foundParts.get(part) !== value) return undefined
    foundParts.set(part, value)
  }
  return formatDate(foundParts.get('year'), foundParts.get('month'), foundParts.get('day'))
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
  const at = new Date(Date.UTC(year, month - 1, day))
  const isValidDate = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === day
  return isValidDate ? `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}` : undefined
}

interface FormatParser {
  /** Undefined if `isDailyFormat` rejects the format. */
  readonly pattern: RegExp | undefined
  readonly says: readonly NonNullable<Token['says']>[]
}

/** Cache: every file of a vault is checked against the same format. */
const readers = new Map<string, FormatParser>()

function parserFor(format: string): FormatParser {
  const known = readers.get(format)
  if (known) return known
  const pieces = isDailyFormat(format) ? (parseFormat(format) ?? []) : []
  const source = pieces
    .map((one) =>
      'literal' in one ? RegExp.escape(one.literal) : one.says ? `(${one.pattern})` : `(?:${one.pattern})`,
    )
    .join('')
  const reader = {
    pattern: pieces.length === 0 ? undefined : new RegExp(`^${source}\\.(?:md|markdown)$`),
    says: pieces.flatMap((one) => ('literal' in one || !one.says ? [] : [one.says])),
  }
  readers.set(format, reader)
  return reader
}
