/**
 * Ranges of code, comments, raw HTML and math in a note by different interpretations: CommonMark, Obsidian, and
 * programs that accept fences anywhere. Linear time.
 */
import { closesFence, fenceAt, looseFenceAt } from './blocks/line-starts.ts'

/** 0-based lines, end exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface Interpretations {
  /** By line: the code block that every interpretation recognizes, with the largest extent. */
  readonly fences: readonly (Range | undefined)[]
  /** By interpretation and line: the enclosing block. */
  readonly blocks: readonly (readonly (Range | undefined)[])[]
  readonly isInAnyBlock: (at: number) => boolean
}

interface Block extends Range {
  to: number
  readonly isFence: boolean
}

/** Returns true for the line that ends the block; that line belongs to the block. */
type Closing = (line: string) => boolean
type Opening = (line: string) => { readonly closing: Closing; readonly isFence: boolean } | undefined

export function parseInterpretations(lines: readonly string[]): Interpretations {
  const blocks = [anyFence, strictOpening(/^/, closesAnywhere), strictOpening(/^ {0,3}/, closesAlone)].map((opening) =>
    blocksBy(lines, opening),
  )
  const fences = lines.map((_, at) => {
    const all = blocks.map((reading) => reading[at])
    const from = all[0]?.from
    if (from === undefined || !all.every((one) => one?.isFence && one.from === from)) return undefined
    return { from, to: Math.max(...all.map((one) => one?.to ?? 0)) }
  })
  const outside = lines.map((line, at) => (fences[at] ? '' : line))
  const loose = [comment, pairedDelimiter('$$'), pairedDelimiter('%%')].map((opening) => blocksBy(outside, opening))
  // The end of a raw block does not open another block.
  const tags = blocksBy(
    lines.map((line, at) => (blocks[1]?.[at] ? '' : line)),
    tag,
  )
  const all = [...blocks, ...loose, tags]
  const isInAnyBlock = (at: number) => all.some((reading) => reading[at] !== undefined)
  return { fences, blocks: [...blocks, tags], isInAnyBlock }
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

function anyFence(line: string): ReturnType<Opening> {
  const markOf = (one: string) => looseFenceAt(one.replace(/^[\s>]+/, ''))?.marker
  const mark = markOf(line)
  if (mark === undefined) return undefined
  const closing = (one: string) => markOf(one)?.startsWith(mark) === true && /[`~]$/.test(one.trimEnd())
  return { closing, isFence: true }
}

/** Delimiters of CommonMark HTML blocks, Obsidian comments and Logseq blocks. */
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

function strictOpening(indent: RegExp, mathsEnd: Closing): Opening {
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

function comment(line: string): ReturnType<Opening> {
  if (line.lastIndexOf('<!--') <= line.lastIndexOf('-->')) return undefined
  return { closing: (one) => one.includes('-->'), isFence: false }
}

function pairedDelimiter(sign: string): Opening {
  const isOdd = (line: string) => line.split(sign).length % 2 === 0
  return (line) => (isOdd(line) ? { closing: isOdd, isFence: false } : undefined)
}

/** Matches HTML blocks that end at a blank line. */
function tag(line: string): ReturnType<Opening> {
  if (!/^ {0,3}<\/?[a-z][a-z\d-]*(?=[\s/>]|$)/i.test(line)) return undefined
  return { closing: (one) => one.trim() === '', isFence: false }
}
