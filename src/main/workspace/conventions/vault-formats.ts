import { dailyNoteDate, type DailyNotes } from '#shared/markdown/daily-notes.ts'
import { mostFrequent } from '#shared/util/most-frequent.ts'

const minDailyNotes = 3

const formats = ['YYYY-MM-DD', 'YYYY_MM_DD', 'YYYYMMDD', 'DD-MM-YYYY', 'YYYY.MM.DD', 'YYYY-MM-DD dddd'] as const
const subfolderFormats = ['', 'YYYY/', 'YYYY/MM/', 'YYYY/YYYY-MM/', 'YYYY/MM-MMMM/'] as const

/** Returns the folder and format of most daily notes; undefined if there are fewer than `minDailyNotes`. */
export function inferDailyNotes(paths: readonly string[]): DailyNotes | undefined {
  const candidates = paths
    .filter((path) => /\d{2}[^/]*\.md$/i.test(path))
    .flatMap((path) => candidatesFor(path).filter((candidate) => dailyNoteDate(candidate, path) !== undefined))
  const notes = mostFrequent(candidates, ({ folder, format }) => `${folder}\n${format}`)
  return notes.length >= minDailyNotes ? notes[0] : undefined
}

function candidatesFor(path: string): DailyNotes[] {
  const segments = path.split('/')
  return subfolderFormats.flatMap((prefix) => {
    const depth = prefix.split('/').length
    if (segments.length < depth) return []
    const folder = segments.slice(0, -depth).join('/')
    return formats.map((format) => ({ folder, format: prefix + format }))
  })
}

/** Reads the part of EDN (https://github.com/edn-format/edn) that Logseq uses: values of a single top-level map. */

/** Returns the string or list of strings of a key, or its number or symbol as text; undefined for other values. */
export function ednValue(text: string, key: string): string | readonly string[] | undefined {
  // A semicolon in a string begins no comment.
  const content = text.replaceAll(/"(?:[^"\\]|\\[^])*"|;[^\n]*/g, (token) => (token.startsWith(';') ? '' : token))
  const keyMatch = new RegExp(`(?:^|[\\s{,]):${RegExp.escape(key)}[\\s,]+`).exec(content)
  if (!keyMatch) return undefined
  const value = content.slice(keyMatch.index + keyMatch[0].length)
  const list = /^[[(]([^\])]*)[\])]/.exec(value)?.[1]
  if (list !== undefined) return [...list.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => unescape(quoted))
  const [, quoted, symbol] = /^"((?:[^"\\]|\\.)*)"|^(:?[\w./-]+)/.exec(value) ?? []
  return quoted === undefined ? symbol : unescape(quoted)
}

function unescape(quoted: string): string {
  return quoted.replaceAll(/\\(.)/g, '$1')
}

/** Converts Java's date format, which Logseq uses (`yyyy_MM_dd`, `MMM do, yyyy`), to Moment.js format. */
export function fromJavaFormat(format: string): string {
  return replaceTokens(format, {
    yyyy: 'YYYY',
    yy: 'YY',
    dd: 'DD',
    do: 'Do',
    d: 'D',
    EEEE: 'dddd',
    EEE: 'ddd',
    EE: 'ddd',
    E: 'ddd',
  })
}

function replaceTokens(format: string, momentFormats: Readonly<Record<string, string>>): string {
  return format.replaceAll(/'([^']*)'|do|dS|([a-zA-Z])\2*/g, (token, quoted?: string) =>
    quoted === undefined ? (momentFormats[token] ?? token) : `[${quoted}]`,
  )
}

/** Converts the format of the package dateformat, which Foam's settings use, to Moment.js format. */
export function fromMaskFormat(format: string): string {
  if (format === 'isoDate') return 'YYYY-MM-DD'
  return replaceTokens(format, {
    yyyy: 'YYYY',
    yy: 'YY',
    mmmm: 'MMMM',
    mmm: 'MMM',
    mm: 'MM',
    m: 'M',
    dd: 'DD',
    d: 'D',
    dS: 'Do',
  })
}

/** Converts the path of a Foam template, such as `$FOAM_DATE_YEAR-$FOAM_DATE_MONTH.md`, to Moment.js format. */
export function fromFoamPath(path: string): string {
  const momentFormats: Readonly<Record<string, string>> = {
    YEAR: 'YYYY',
    YEAR_SHORT: 'YY',
    MONTH: 'MM',
    MONTH_NAME: 'MMMM',
    MONTH_NAME_SHORT: 'MMM',
    DATE: 'DD',
    DAY_NAME: 'dddd',
    DAY_NAME_SHORT: 'ddd',
  }
  return path
    .replace(/\.md$/, '')
    .replaceAll(/\$\{?(?:FOAM_DATE|CURRENT)_(\w+?)\b\}?|([A-Za-z]+)/g, (token, name?: string, letters?: string) =>
      letters === undefined ? (momentFormats[name ?? ''] ?? token) : `[${letters}]`,
    )
}
