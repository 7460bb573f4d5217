/**
 * Superseded lines and notes. A line that is no longer valid stays in place, struck through, with a date and a
 * reference to its replacement:
 *
 * - ~~We deploy on Heroku.~~ (until 2026-11-21, now: [memory/2026-11-21.md:12] “We deploy on Fly.io.”)
 *
 * The quote identifies the line if lines were inserted above it; the line number is then a hint. Quote and reference
 * are optional; the reference may be a link: `[memory/x.md:12](memory/x.md#L12)`. A whole note has `superseded: {
 * until: 2026-11-21, by: notes/new.md }` in its front matter, or both keys on separate lines.
 */
import { frontMatterOf } from './blocks/front-matter.ts'
import { leadOf, withoutLead } from './blocks/line-starts.ts'

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

/** Cheap pre-check: if false, the text contains no superseded line. */
export const mayBeSuperseded = (text: string): boolean => text.includes('~~') && text.includes('(until ')

const struck =
  /^~~(.+)~~ ?\(until (\d{4}-\d{2}-\d{2})(?:, now: \[([^[\]\n]+?)(?::(\d+)(?:[-–]\d+)?)?\](?:\([^()\n]*\))?(?: “([^”\n]+)”)?)?\)((?:\s+\^(?:[\w-]+|\[[^\]\n]*\]))*)\s*$/u

/** Parses a superseded line. @returns undefined if the line is valid or only partly struck through */
export function supersededLine(line: string): (Superseded & { readonly text: string }) | undefined {
  if (!mayBeSuperseded(line)) return undefined
  const start = leadOf(line).length
  const [, text = '', until = '', path, at, said] = struck.exec(line.slice(start)) ?? []
  if (until === '') return undefined
  if (path === undefined) return { text, until, by: undefined }
  const by = { path, line: at === undefined ? undefined : Number(at) }
  return { text, until, by: said === undefined ? by : { ...by, text: said } }
}

/**
 * Returns the front matter's statement about the whole note; undefined if there is none.
 * @param text the note, or its beginning
 */
export function supersededNote(text: string): Superseded | undefined {
  // A truncated note may end within its front matter.
  const matter = frontMatterOf(text) ?? frontMatterOf(`${text}\n---`)
  if (!matter) return undefined
  const found = /^superseded:[ \t]*(\{[^}\n]*\}|(?:\r?\n[ \t]+[^\n]*)+)/m.exec(text.slice(matter.from, matter.to))?.[1]
  const until = found && /\buntil:\s*["']?(\d{4}-\d{2}-\d{2})/.exec(found)?.[1]
  if (until === undefined || until === '') return undefined
  const by = /\bby:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^,}\n"']+))/.exec(found ?? '')
  const place = (by?.[1] ?? by?.[2] ?? by?.[3])?.trim()
  return { until, by: place === undefined || place === '' ? undefined : successorOf(place) }
}

function successorOf(place: string): Successor {
  const [, path = place, line] = /^\[?(.+?)(?::(\d+))?\]?$/.exec(place) ?? []
  return { path, line: line === undefined ? undefined : Number(line) }
}

/** Strikes a line through. Updates date and reference if it is already struck. */
export function strikeThrough(line: string, { until, by }: Superseded): string {
  const start = line.slice(0, leadOf(line).length)
  const text = supersededLine(line)?.text ?? line.slice(start.length).trim()
  const marks = struck.exec(line.slice(start.length))?.[6] ?? ''
  return `${start}~~${text}~~ (until ${until}${by === undefined ? '' : nowOf(by)})${marks}`
}

function nowOf({ path, line, text }: Successor): string {
  const place = `, now: [${path}${line === undefined ? '' : `:${line}`}]`
  return text === undefined || text === '' ? place : `${place} “${text}”`
}

const maxQuote = 60

/** Returns the words of a line, at most 60 characters, cut at a word boundary. */
export function quoteOf(line: string): string {
  const words = wordsOf(line).replaceAll(/[“”]/g, '"')
  const letters = [...words]
  if (letters.length <= maxQuote) return words
  const cut = letters.slice(0, maxQuote).join('')
  const space = cut.lastIndexOf(' ')
  return `${(space > maxQuote / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}

/** Returns true if `quote` was made from this line, before or after it was struck. */
export function matchesQuote(line: string, quote: string): boolean {
  const words = wordsOf(line).replaceAll(/[“”]/g, '"')
  return quote.endsWith('…') ? words.startsWith(quote.slice(0, -1)) : words === quote
}

function wordsOf(line: string): string {
  const said = supersededLine(line)?.text ?? withoutLead(line)
  return said.replaceAll(/\s*\^\[[^\]\n]*\]/g, '').trim()
}
