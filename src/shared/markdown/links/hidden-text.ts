import { blocksOfNote, type Block } from '../blocks/scan-blocks.ts'

/** UTF-16 offsets, end exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Returns the ranges of code and comments, in order, without overlap. @param blocks blocks of the same text */
export function hiddenRanges(text: string, blocks: readonly Block[] = blocksOfNote(text.split('\n'))): Range[] {
  const code = codeRanges(text, blocks)
  return mergeRanges([...code, ...inlineRanges(text, code)])
}

/** Returns the ranges of HTML and Obsidian comments, in order. */
export function commentRanges(text: string): Range[] {
  if (!text.includes('%%') && !text.includes('<!--')) return []
  const code = codeRanges(text, blocksOfNote(text.split('\n')))
  return inlineRanges(text, code).filter(({ from }) => text[from] !== '`')
}

/** Returns the ranges of fenced and indented code as whole lines, line breaks included. */
function codeRanges(text: string, blocks: readonly Block[]): Range[] {
  let line = 0
  let offset = 0
  const offsetOf = (target: number) => {
    for (; line < target && offset < text.length; line += 1) offset = text.indexOf('\n', offset) + 1 || text.length
    return offset
  }
  const code = blocks.filter(({ kind }) => kind === 'fence' || kind === 'indentedCode')
  return code.map(({ from, to }) => ({ from: offsetOf(from), to: offsetOf(to) }))
}

/** Key in `unmatched` for the end of an HTML comment. */
const commentKey = 0

/** Inline code must end in its paragraph; comments may span paragraphs. */
function inlineRanges(text: string, blocks: readonly Range[]): Range[] {
  const ranges: Range[] = []
  /** Backtick runs without a match, by length: the offset up to which none was found. Keeps the scan linear. */
  const unmatched = new Map<number, number>()
  let blockIndex = 0
  const startPattern = /`+|<!--|%%|\\[^]/g
  for (let match = startPattern.exec(text); match; match = startPattern.exec(text)) {
    const offset = match.index
    while ((blocks[blockIndex]?.to ?? Infinity) <= offset) blockIndex += 1
    const code = blocks[blockIndex]
    if (code && code.from <= offset) {
      startPattern.lastIndex = code.to
      continue
    }
    const to = endOffset(match[0], text, offset, unmatched)
    if (to === undefined) continue
    ranges.push({ from: offset, to })
    startPattern.lastIndex = to
  }
  return ranges
}

function endOffset(mark: string, text: string, offset: number, unmatched: Map<number, number>): number | undefined {
  const after = offset + mark.length
  if (mark.startsWith('\\')) return undefined
  if (mark === '<!--') {
    if (unmatched.has(commentKey)) return undefined
    const close = text.indexOf('-->', offset + 2)
    if (close >= 0) return close + 3
    unmatched.set(commentKey, offset)
    return undefined
  }
  if (mark === '%%') {
    const close = text.indexOf('%%', after)
    return close < 0 ? undefined : close + 2
  }
  if ((unmatched.get(mark.length) ?? -1) > offset) return undefined
  const endPattern = /`+|\n[\t ]*\r?\n/g
  endPattern.lastIndex = after
  for (let match = endPattern.exec(text); match; match = endPattern.exec(text)) {
    if (match[0] === mark) return match.index + mark.length
    if (match[0].startsWith('\n')) {
      unmatched.set(mark.length, match.index)
      return undefined
    }
  }
  unmatched.set(mark.length, text.length)
  return undefined
}

/** Sorts ranges and merges overlapping ones; adjacent ones stay separate. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1)
    if (last && range.from < last.to) result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
    else result.push(range)
  }
  return result
}
