/**
 * What was true once (M61). A line that no longer holds stays where it is, struck, dated, and with the place of what took
 * its place; any editor shows that, and history keeps both:
 *
 *     - ~~We deploy on Heroku.~~ (until 2026-11-21, now: [memory/2026-11-21.md:12])
 *
 * The place may be left out, and may be a link: `[memory/x.md:12](memory/x.md#L12)`. A note as a whole says it in its
 * front matter: `superseded: { until: 2026-11-21, by: notes/new.md }`, or the same two on lines of their own. Pure.
 */

export interface Successor {
  readonly path: string
  /** 1-based; undefined for the note as a whole. */
  readonly line: number | undefined
}

export interface Superseded {
  /** `YYYY-MM-DD`: the last day on which it held. */
  readonly until: string
  readonly by: Successor | undefined
}

/** Text that may hold a superseded line: a look that costs nothing. */
export const mayBeSuperseded = (text: string): boolean => text.includes('~~') && text.includes('(until ')

/** Before the words of a line: indentation, a heading's or a list's mark, a quotation's, a box to tick. */
const lead = /^(\s*(?:(?:>\s*)+|#{1,6}\s+)?(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[^\]]\]\s+)?)/
const struck =
  /^~~(.+)~~ ?\(until (\d{4}-\d{2}-\d{2})(?:, now: \[([^[\]\n]+?)(?::(\d+)(?:[-–]\d+)?)?\](?:\([^()\n]*\))?)?\)(?:\s+\^[\w-]+)?\s*$/u

/** @returns undefined for a line that holds, and for one of which only a part is struck */
export function supersededLine(line: string): (Superseded & { readonly text: string }) | undefined {
  if (!mayBeSuperseded(line)) return undefined
  const start = lead.exec(line)?.[0].length ?? 0
  const [, text = '', until = '', path, at] = struck.exec(line.slice(start)) ?? []
  if (until === '') return undefined
  return { text, until, by: path === undefined ? undefined : { path, line: at === undefined ? undefined : Number(at) } }
}

/** What a note's front matter says of the note as a whole. @param text of the note, or its beginning */
export function supersededNote(text: string): Superseded | undefined {
  if (!/^\uFEFF?---\r?\n/.test(text)) return undefined
  const end = text.search(/\r?\n---(?:\r?\n|$)/)
  const matter = end < 0 ? text : text.slice(0, end)
  const found = /^superseded:[ \t]*(\{[^}\n]*\}|(?:\r?\n[ \t]+[^\n]*)+)/m.exec(matter)?.[1]
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
  const start = lead.exec(line)?.[0] ?? ''
  const text = supersededLine(line)?.text ?? line.slice(start.length).trim()
  const now = by === undefined ? '' : `, now: [${by.path}${by.line === undefined ? '' : `:${by.line}`}]`
  return `${start}~~${text}~~ (until ${until}${now})`
}
