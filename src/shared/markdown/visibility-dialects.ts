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
  readonly isInAnyBlock: (index: number) => boolean
}

interface Block extends Range {
  to: number
  readonly isFence: boolean
}

/** Returns true for the line that ends the block; that line belongs to the block. */
type Closing = (line: string) => boolean
type Opening = (line: string) => { readonly closing: Closing; readonly isFence: boolean } | undefined

export function parseInterpretations(lines: readonly string[]): Interpretations {
  const blocks = [matchAnyFence, strictOpening(/^/, closesAnywhere), strictOpening(/^ {0,3}/, closesAlone)].map(
    (opening) => findBlocks(lines, opening),
  )
  const fences = lines.map((_, index) => {
    const atLine = blocks.map((blocksByLine) => blocksByLine[index])
    const from = atLine[0]?.from
    if (from === undefined || !atLine.every((block) => block?.isFence && block.from === from)) return undefined
    return { from, to: Math.max(...atLine.map((block) => block?.to ?? 0)) }
  })
  const unfenced = lines.map((line, index) => (fences[index] ? '' : line))
  const looseOpenings = [matchComment, pairedDelimiter('$$'), pairedDelimiter('%%')]
  const looseBlocks = looseOpenings.map((opening) => findBlocks(unfenced, opening))
  // The end of a raw block does not open another block.
  const tagBlocks = findBlocks(
    lines.map((line, index) => (blocks[1]?.[index] ? '' : line)),
    matchTag,
  )
  const interpretations = [...blocks, ...looseBlocks, tagBlocks]
  const isInAnyBlock = (index: number) => interpretations.some((blocksByLine) => blocksByLine[index] !== undefined)
  return { fences, blocks: [...blocks, tagBlocks], isInAnyBlock }
}

function findBlocks(lines: readonly string[], opening: Opening): (Block | undefined)[] {
  let open: { readonly block: Block; readonly closing: Closing } | undefined
  return lines.map((line, index) => {
    if (open) {
      const { block, closing } = open
      block.to = index + 1
      if (closing(line)) open = undefined
      return block
    }
    const opened = opening(line)
    if (!opened) return undefined
    const block = { from: index, to: index + 1, isFence: opened.isFence }
    open = { block, closing: opened.closing }
    return block
  })
}

function matchAnyFence(line: string): ReturnType<Opening> {
  const markOf = (text: string) => looseFenceAt(text.replace(/^[\s>]+/, ''))?.marker
  const mark = markOf(line)
  if (mark === undefined) return undefined
  const closing = (line: string) => markOf(line)?.startsWith(mark) === true && /[`~]$/.test(line.trimEnd())
  return { closing, isFence: true }
}

/** Delimiters of CommonMark HTML blocks, Obsidian comments and Logseq blocks. */
const rawDelimiters: readonly (readonly [RegExp, RegExp])[] = [
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

function strictOpening(indent: RegExp, closesMath: Closing): Opening {
  return (line) => {
    const mark = fenceAt(line.replace(indent, ''))?.marker
    if (mark !== undefined) return { closing: (line) => closesFence(line.replace(/^ {0,3}/, ''), mark), isFence: true }
    const math = /^ {0,3}\$\$(.*)$/.exec(line)?.[1]
    if (math !== undefined) return math.includes('$$') ? undefined : { closing: closesMath, isFence: false }
    for (const [startPattern, endPattern] of rawDelimiters) {
      const opened = startPattern.exec(line)?.[0]
      if (opened === undefined) continue
      const closing = (text: string) => endPattern.test(text)
      return closing(line.slice(opened.length)) ? undefined : { closing, isFence: false }
    }
    return undefined
  }
}

function matchComment(line: string): ReturnType<Opening> {
  if (line.lastIndexOf('<!--') <= line.lastIndexOf('-->')) return undefined
  return { closing: (line) => line.includes('-->'), isFence: false }
}

function pairedDelimiter(delimiter: string): Opening {
  const isOdd = (line: string) => line.split(delimiter).length % 2 === 0
  return (line) => (isOdd(line) ? { closing: isOdd, isFence: false } : undefined)
}

/** Matches HTML blocks that end at a blank line. */
function matchTag(line: string): ReturnType<Opening> {
  if (!/^ {0,3}<\/?[a-z][a-z\d-]*(?=[\s/>]|$)/i.test(line)) return undefined
  return { closing: (line) => line.trim() === '', isFence: false }
}
