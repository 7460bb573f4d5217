/**
 * Superseded lines and notes. A line that is no longer valid stays in place, struck through, with a date and a
 * reference to its replacement:
 *
 * - ~~We deploy on Heroku.~~ (until 2026-11-21, now: [memory/2026-11-21.md:12] “We deploy on Fly.io.”)
 * - ~~部署在 Heroku~~（至 2026-11-21，今：[memory/2026-11-21.md:12]“部署在 Fly.io”）
 *
 * The quote identifies the line if lines were inserted above it; the line number is then a hint. Quote and reference
 * are optional; the reference may be a link: `[memory/x.md:12](memory/x.md#L12)`. A whole note has `superseded: {
 * until: 2026-11-21, by: notes/new.md }` in its front matter, or both keys on separate lines.
 */
import { frontMatterOf } from './blocks/front-matter.ts'
import { leadOf, withoutLead } from './blocks/line-starts.ts'
import { cutAtWord } from './log-entry.ts'

export interface Successor {
  readonly path: string
  /** 1-based; undefined for the whole note. */
  readonly line: number | undefined
  /** Beginning of that line, from `quoteOf`. */
  readonly text?: string | undefined
}

export interface Superseded {
  /** Last valid day, `YYYY-MM-DD`. */
  readonly until: string
  readonly by: Successor | undefined
}

/** Returns false only if the text contains no superseded line; cheaper than parsing. */
export const mayBeSuperseded = (text: string): boolean => text.includes('~~') && /\(until |（至 /.test(text)

const reference = '\\[([^[\\]\\n]+?)(?::(\\d+)(?:[-–]\\d+)?)?\\](?:\\([^()\\n]*\\))?(?: ?“([^”\\n]+)”)?'
const struckLine = new RegExp(
  `^~~(.+)~~ ?(?:\\(until |（至 )(\\d{4}-\\d{2}-\\d{2})(?:(?:, now: |，今：)${reference})?[)）]` +
    '((?:\\s+\\^(?:[\\w-]+|\\[[^\\]\\n]*\\]))*)\\s*$',
  'u',
)

/** Parses a superseded line. @returns undefined if the line is valid or only partly struck through */
export function supersededLine(line: string): (Superseded & { readonly text: string }) | undefined {
  if (!mayBeSuperseded(line)) return undefined
  const leadLength = leadOf(line).length
  const [, text = '', until = '', path, lineNumber, quote] = struckLine.exec(line.slice(leadLength)) ?? []
  if (until === '') return undefined
  if (path === undefined) return { text, until, by: undefined }
  const by = { path, line: lineNumber === undefined ? undefined : Number(lineNumber) }
  return { text, until, by: quote === undefined ? by : { ...by, text: quote } }
}

/** @param text the note, or its beginning @returns undefined if the front matter does not mention it */
export function supersededNote(text: string): Superseded | undefined {
  // A truncated note may end within its front matter.
  const matter = frontMatterOf(text) ?? frontMatterOf(`${text}\n---`)
  if (!matter) return undefined
  const value = /^superseded:[ \t]*(\{[^}\n]*\}|(?:\r?\n[ \t]+[^\n]*)+)/m.exec(text.slice(matter.from, matter.to))?.[1]
  const until = value && /\buntil:\s*["']?(\d{4}-\d{2}-\d{2})/.exec(value)?.[1]
  if (until === undefined || until === '') return undefined
  const byMatch = /\bby:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^,}\n"']+))/.exec(value ?? '')
  const named = (byMatch?.[1] ?? byMatch?.[2] ?? byMatch?.[3])?.trim()
  if (named === undefined || named === '') return { until, by: undefined }
  const [, path = named, line] = /^\[?(.+?)(?::(\d+))?\]?$/.exec(named) ?? []
  return { until, by: { path, line: line === undefined ? undefined : Number(line) } }
}

export function strikeThrough(line: string, { until, by }: Superseded): string {
  const lead = line.slice(0, leadOf(line).length)
  const text = supersededLine(line)?.text ?? line.slice(lead.length).trim()
  const trailingMarks = struckLine.exec(line.slice(lead.length))?.[6] ?? ''
  const isChinese = /\p{Script=Han}/u.test(text) && !/\p{Script=Hiragana}/u.test(text)
  const [start, now, space, end] = isChinese ? ['（至 ', '，今：', '', '）'] : [' (until ', ', now: ', ' ', ')']
  const place = by && `${now}[${by.path}${by.line === undefined ? '' : `:${by.line}`}]`
  const quote = by?.text ? `${space}“${by.text}”` : ''
  return `${lead}~~${text}~~${start}${until}${place ?? ''}${quote}${end}${trailingMarks}`
}

const maxQuote = 60

/** Returns the words of a line, at most 60 characters, cut at a word boundary. */
export function quoteOf(line: string): string {
  return cutAtWord(plainTextOf(line), maxQuote)
}

/** Returns true if `quote` was made from this line, before or after it was struck. */
export function matchesQuote(line: string, quote: string): boolean {
  const text = plainTextOf(line)
  return quote.endsWith('…') ? text.startsWith(quote.slice(0, -1)) : text === quote
}

/** Returns the words of a line without marks, and with straight quotes, which do not end the quote in a reference. */
function plainTextOf(line: string): string {
  const text = supersededLine(line)?.text ?? withoutLead(line)
  return text
    .replaceAll(/\s*\^\[[^\]\n]*\]/g, '')
    .trim()
    .replaceAll(/[“”]/g, '"')
}
