import { blocksOfNote, type Block } from '../blocks/scan-blocks.ts'

/** UTF-16 offsets, end exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Returns a function that finds the range around an offset. The ranges and the offsets must be ascending. */
export function rangeFinder(ranges: readonly Range[]): (offset: number) => Range | undefined {
  let index = 0
  return (offset) => {
    while ((ranges[index]?.to ?? Infinity) <= offset) index += 1
    const range = ranges[index]
    return range && range.from <= offset ? range : undefined
  }
}

/** Returns the ranges of code and comments, in order, without overlap. @param blocks blocks of the same text */
export function hiddenRanges(text: string, blocks: readonly Block[] = blocksOfNote(text.split('\n'))): Range[] {
  const code = codeRanges(text, blocks)
  return mergeRanges([...code, ...inlineRanges(text, code)])
}

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

/** Inline code must end in its paragraph; comments may span paragraphs. */
function inlineRanges(text: string, blocks: readonly Range[]): Range[] {
  const ranges: Range[] = []
  /** Marks without an end, with the offset up to which none was found. Keeps the scan linear. */
  const unmatched = new Map<string, number>()
  const blockAt = rangeFinder(blocks)
  const startPattern = /`+|<!--|%%|\\[^]/g
  for (let match = startPattern.exec(text); match; match = startPattern.exec(text)) {
    const offset = match.index
    const code = blockAt(offset)
    if (code) {
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

function endOffset(mark: string, text: string, offset: number, unmatched: Map<string, number>): number | undefined {
  if (mark.startsWith('\\') || (unmatched.get(mark) ?? -1) > offset) return undefined
  if (mark === '<!--' || mark === '%%') {
    const end = mark === '%%' ? mark : '-->'
    // `<!-->` is a complete comment.
    const close = text.indexOf(end, offset + 2)
    if (close >= 0) return close + end.length
  } else {
    const endPattern = /`+|\n[\t ]*\r?\n/g
    endPattern.lastIndex = offset + mark.length
    for (let match = endPattern.exec(text); match; match = endPattern.exec(text)) {
      if (match[0] === mark) return match.index + mark.length
      if (!match[0].startsWith('\n')) continue
      unmatched.set(mark, match.index)
      return undefined
    }
  }
  unmatched.set(mark, text.length)
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
