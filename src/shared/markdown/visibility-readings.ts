/**
 * What of a note is code, a comment, raw HTML or mathematics, as different programs read it: CommonMark, Obsidian,
 * and those that take fences wherever they stand. Pure and linear.
 */
import { closesFence, fenceAt, looseFenceAt } from './blocks/line-starts.ts'

/** Lines, 0-based, the last one exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface Readings {
  /** Fenced code by all readings: as far as it goes by any. */
  readonly fences: readonly (Range | undefined)[]
  /** Blocks by each reading. */
  readonly blocks: readonly (readonly (Range | undefined)[])[]
  /** Whether a line is within something by any reading, also where a mark would not keep all of that. */
  readonly isDoubtful: (at: number) => boolean
}

interface Block extends Range {
  to: number
  readonly isFence: boolean
}

/** What ends a block that a line opens: a line that does, the block having it. */
type Closing = (line: string) => boolean
type Opening = (line: string) => { readonly closing: Closing; readonly isFence: boolean } | undefined

export function readingsOf(lines: readonly string[]): Readings {
  const blocks = [anyFence, asIn(/^/, closesAnywhere), asIn(/^ {0,3}/, closesAlone)].map((opening) =>
    blocksBy(lines, opening),
  )
  const fences = lines.map((_, at) => {
    const all = blocks.map((reading) => reading[at])
    const from = all[0]?.from
    if (from === undefined || !all.every((one) => one?.isFence && one.from === from)) return undefined
    return { from, to: Math.max(...all.map((one) => one?.to ?? 0)) }
  })
  const outside = lines.map((line, at) => (fences[at] ? '' : line))
  const loose = [comment, twice('$$'), twice('%%')].map((opening) => blocksBy(outside, opening))
  // What ends a raw block begins no other.
  const tags = blocksBy(
    lines.map((line, at) => (blocks[1]?.[at] ? '' : line)),
    tag,
  )
  const all = [...blocks, ...loose, tags]
  const isDoubtful = (at: number) => all.some((reading) => reading[at] !== undefined)
  return { fences, blocks: [...blocks, tags], isDoubtful }
}

function blocksBy(lines: readonly string[], opening: Opening): (Block | undefined)[] {
  let open: { readonly block: Block; readonly closing: Closing } | undefined
  return lines.map((line, at) => {
    if (open) {
      const { block, closing } = open
      block.to = at + 1
      if (closing(line)) open = undefined
      return block
    }
    const opened = opening(line)
    if (!opened) return undefined
    const block = { from: at, to: at + 1, isFence: opened.isFence }
    open = { block, closing: opened.closing }
    return block
  })
}

/** Fences in items, in quotes, however far in. */
function anyFence(line: string): ReturnType<Opening> {
  const markOf = (one: string) => looseFenceAt(one.replace(/^[\s>]+/, ''))?.marker
  const mark = markOf(line)
  if (mark === undefined) return undefined
  const closing = (one: string) => markOf(one)?.startsWith(mark) === true && /[`~]$/.test(one.trimEnd())
  return { closing, isFence: true }
}

/** Raw blocks of CommonMark, comments of Obsidian, blocks of Logseq: what opens them, and what ends them. */
const raw: readonly (readonly [RegExp, RegExp])[] = [
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<(?:pre|script|style|textarea)(?=[\s>]|$)/i, /<\/(?:pre|script|style|textarea)>/i],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
  [/^ {0,3}%%/, /%%/],
  [/^\s*#\+begin_/i, /^\s*#\+end_/i],
]

const closesAnywhere: Closing = (line) => line.includes('$$')
const closesAlone: Closing = (line) => /^\s*\${2,}\s*$/.test(line)

/** As CommonMark reads it, with fences so far in, and mathematics that end as said. */
function asIn(indent: RegExp, mathsEnd: Closing): Opening {
  return (line) => {
    const mark = fenceAt(line.replace(indent, ''))?.marker
    if (mark !== undefined) return { closing: (one) => closesFence(one.replace(/^ {0,3}/, ''), mark), isFence: true }
    const maths = /^ {0,3}\$\$(.*)$/.exec(line)?.[1]
    if (maths !== undefined) return maths.includes('$$') ? undefined : { closing: mathsEnd, isFence: false }
    for (const [opens, closes] of raw) {
      const opened = opens.exec(line)?.[0]
      if (opened === undefined) continue
      return closes.test(line.slice(opened.length)) ? undefined : { closing: (one) => closes.test(one), isFence: false }
    }
    return undefined
  }
}

/** Also behind other words. */
function comment(line: string): ReturnType<Opening> {
  if (line.lastIndexOf('<!--') <= line.lastIndexOf('-->')) return undefined
  return { closing: (one) => one.includes('-->'), isFence: false }
}

function twice(sign: string): Opening {
  const isOdd = (line: string) => line.split(sign).length % 2 === 0
  return (line) => (isOdd(line) ? { closing: isOdd, isFence: false } : undefined)
}

/** HTML that goes on to the next blank line. */
function tag(line: string): ReturnType<Opening> {
  if (!/^ {0,3}<\/?[a-z][a-z\d-]*(?=[\s/>]|$)/i.test(line)) return undefined
  return { closing: (one) => one.trim() === '', isFence: false }
}
