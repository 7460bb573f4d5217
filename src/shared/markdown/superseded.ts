/**
 * What was true once. A line that no longer holds stays where it is, struck, dated, and with the place of what took
 * its place; any editor shows that, and history keeps both:
 *
 *     - ~~We deploy on Heroku.~~ (until 2026-11-21, now: [memory/2026-11-21.md:12] “We deploy on Fly.io.”)
 *
 * The words say which line is meant when others have come before it; the number is a hint then. They may be left out, and so
 * may the place, which may be a link: `[memory/x.md:12](memory/x.md#L12)`. A note as a whole says it in its
 * front matter: `superseded: { until: 2026-11-21, by: notes/new.md }`, or the same two on lines of their own. Pure.
 */
import { frontMatterOf } from './blocks/front-matter.ts'
import { leadOf, withoutLead } from './blocks/line-starts.ts'

export interface Successor {
  readonly path: string
  /** 1-based; undefined for the note as a whole. */
  readonly line: number | undefined
  /** How that line begins. */
  readonly text?: string | undefined
}

export interface Superseded {
  /** `YYYY-MM-DD`: the last day on which it held. */
  readonly until: string
  readonly by: Successor | undefined
}

/** Text that may hold a superseded line: a look that costs nothing. */
export const mayBeSuperseded = (text: string): boolean => text.includes('~~') && text.includes('(until ')

const struck =
  /^~~(.+)~~ ?\(until (\d{4}-\d{2}-\d{2})(?:, now: \[([^[\]\n]+?)(?::(\d+)(?:[-–]\d+)?)?\](?:\([^()\n]*\))?(?: “([^”\n]+)”)?)?\)((?:\s+\^(?:[\w-]+|\[[^\]\n]*\]))*)\s*$/u

/** @returns undefined for a line that holds, and for one of which only a part is struck */
export function supersededLine(line: string): (Superseded & { readonly text: string }) | undefined {
  if (!mayBeSuperseded(line)) return undefined
  const start = leadOf(line).length
  const [, text = '', until = '', path, at, said] = struck.exec(line.slice(start)) ?? []
  if (until === '') return undefined
  if (path === undefined) return { text, until, by: undefined }
  const by = { path, line: at === undefined ? undefined : Number(at) }
  return { text, until, by: said === undefined ? by : { ...by, text: said } }
}

/** What a note's front matter says of the note as a whole. @param text of the note, or its beginning */
export function supersededNote(text: string): Superseded | undefined {
  // The beginning of a note may end within its front matter.
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

/** The line, struck. One that is struck already gets the other date and place. */
export function strike(line: string, { until, by }: Superseded): string {
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

/** How a line is named by its words: their beginning, cut at a word. */
export function quoteOf(line: string): string {
  const words = wordsOf(line).replaceAll(/[“”]/g, '"')
  const letters = [...words]
  if (letters.length <= maxQuote) return words
  const cut = letters.slice(0, maxQuote).join('')
  const space = cut.lastIndexOf(' ')
  return `${(space > maxQuote / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}

/** Whether it is the line that was named so; struck since, it still is. */
export function isQuoted(line: string, quote: string): boolean {
  const words = wordsOf(line).replaceAll(/[“”]/g, '"')
  return quote.endsWith('…') ? words.startsWith(quote.slice(0, -1)) : words === quote
}

/** What a line says: without what stands before its words, without marks behind them, and not struck. */
function wordsOf(line: string): string {
  const said = supersededLine(line)?.text ?? withoutLead(line)
  return said.replaceAll(/\s*\^\[[^\]\n]*\]/g, '').trim()
}
