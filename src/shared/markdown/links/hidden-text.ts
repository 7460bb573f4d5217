/**
 * What of a Markdown text is no text: code in fences, in lines and indented, comments of HTML and of Obsidian (`%%`),
 * front matter but for its values. Linear. Pure.
 */

/** Offsets, half-open. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** In order, none overlapping the next. */
export function hiddenRanges(text: string): Range[] {
  const blocks = codeBlocks(text)
  return merged([...blocks, ...inlineRanges(text, blocks)])
}

/** Comments alone, of HTML and of Obsidian; in order. */
export function commentRanges(text: string): Range[] {
  if (!text.includes('%%') && !text.includes('<!--')) return []
  return inlineRanges(text, codeBlocks(text)).filter(({ from }) => text[from] !== '`')
}

/** Where front matter ends, its last line included; 0 where there is none. */
export function frontMatterEnd(text: string): number {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  if (!/^---[\t ]*\r?\n/.test(text.slice(start, start + 100))) return 0
  const close = /\n(?:---|\.\.\.)[\t ]*(?:\r?\n|$)/g
  close.lastIndex = start + 3
  const found = close.exec(text)
  return found ? found.index + found[0].length : 0
}

const quoteOrItem = /^(?:[\t ]*(?:>|[-*+](?=[\t ])|\d{1,9}[.)](?=[\t ])))*[\t ]*/

function codeBlocks(text: string): Range[] {
  const ranges: Range[] = []
  let fence: { readonly mark: string; readonly from: number } | undefined
  let isInList = false
  let isAfterBlank = true
  for (let from = frontMatterEnd(text); from < text.length;) {
    const end = text.indexOf('\n', from)
    const next = end < 0 ? text.length : end + 1
    const line = text.slice(from, Math.min(next, from + 500))
    const rest = line.slice(quoteOrItem.exec(line)?.[0].length ?? 0)
    const mark = /^(`{3,}(?=[^`]*$)|~{3,})/.exec(rest)?.[1]
    if (fence) {
      if (rest.startsWith(fence.mark) && /^(`+|~+)\s*$/.test(rest)) {
        ranges.push({ from: fence.from, to: next })
        fence = undefined
      }
    } else if (mark !== undefined) fence = { mark, from }
    else if (line.trim() === '') isAfterBlank = true
    else {
      const isIndented = /^(?: {4}|\t| {1,3}\t)/.test(line)
      if (/^[\t ]*(?:[-*+]|\d{1,9}[.)])[\t ]/.test(line) && (!isIndented || isInList || !isAfterBlank)) isInList = true
      else if (!/^[\t ]/.test(line) && isAfterBlank) isInList = false
      const isCode: boolean = isIndented && isAfterBlank && !isInList
      if (isCode) ranges.push({ from, to: next })
      isAfterBlank = isCode
    }
    from = next
  }
  if (fence) ranges.push({ from: fence.from, to: text.length })
  return ranges
}

/** Among the runs of backticks that are missing: the end of a comment. */
const comment = 0

/** What begins within a paragraph ends in it, but for comments. */
function inlineRanges(text: string, blocks: readonly Range[]): Range[] {
  const ranges: Range[] = []
  /** Runs of backticks that were looked for and are not there, by length: up to where. */
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
    const to = endOf(found[0], text, at, missing)
    if (to === undefined) continue
    ranges.push({ from: at, to })
    begins.lastIndex = to
  }
  return ranges
}

function endOf(mark: string, text: string, at: number, missing: Map<number, number>): number | undefined {
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

/** In order, what overlaps as one. */
export function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1)
    if (last && range.from < last.to) result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
    else result.push(range)
  }
  return result
}
