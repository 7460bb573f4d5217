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
  const offsetOf = (wanted: number) => {
    for (; line < wanted && offset < text.length; line += 1) offset = text.indexOf('\n', offset) + 1 || text.length
    return offset
  }
  const code = blocks.filter(({ kind }) => kind === 'fence' || kind === 'indentedCode')
  return code.map(({ from, to }) => ({ from: offsetOf(from), to: offsetOf(to) }))
}

/** Key in `missing` for the end of an HTML comment. */
const comment = 0

/** Inline code must end in its paragraph; comments may span paragraphs. */
function inlineRanges(text: string, blocks: readonly Range[]): Range[] {
  const ranges: Range[] = []
  /** Backtick runs without a match, by length: the offset up to which none was found. Keeps the scan linear. */
  const missing = new Map<number, number>()
  let block = 0
  const begins = /`+|<!--|%%|\\[^]/g
  for (let found = begins.exec(text); found; found = begins.exec(text)) {
    const at = found.index
    while ((blocks[block]?.to ?? Infinity) <= at) block += 1
    const code = blocks[block]
    if (code && code.from <= at) {
      begins.lastIndex = code.to
      continue
    }
    const to = endOffset(found[0], text, at, missing)
    if (to === undefined) continue
    ranges.push({ from: at, to })
    begins.lastIndex = to
  }
  return ranges
}

function endOffset(mark: string, text: string, at: number, missing: Map<number, number>): number | undefined {
  const after = at + mark.length
  if (mark.startsWith('\\')) return undefined
  if (mark === '<!--') {
    if (missing.has(comment)) return undefined
    const close = text.indexOf('-->', at + 2)
    if (close >= 0) return close + 3
    missing.set(comment, at)
    return undefined
  }
  if (mark === '%%') {
    const close = text.indexOf('%%', after)
    return close < 0 ? undefined : close + 2
  }
  if ((missing.get(mark.length) ?? -1) > at) return undefined
  const runs = /`+|\n[\t ]*\r?\n/g
  runs.lastIndex = after
  for (let run = runs.exec(text); run; run = runs.exec(text)) {
    if (run[0] === mark) return run.index + mark.length
    if (run[0].startsWith('\n')) {
      missing.set(mark.length, run.index)
      return undefined
    }
  }
  missing.set(mark.length, text.length)
  return undefined
}

/** Sorts ranges and merges overlapping ones; adjacent ones stay separate. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1)
    if (last && range.from < last.to) result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
    else result.push(range)
  }
  return result
}
