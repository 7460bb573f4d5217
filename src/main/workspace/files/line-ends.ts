import { diffArrays } from 'diff'

const byteOrderMark = '\uFEFF'
const lineEnd = /\r\n|\r|\n/g
/**
 * Largest edit distance in lines. If texts differ more, all lines between the first and the last change get the most
 * common line end.
 */
const maxEdits = 2000

interface Line {
  readonly text: string
  /** Line end; empty for the last line. */
  readonly end: string
}

/**
 * Returns `after` with the byte-order mark of `before` and the line ends of its lines; new lines get the most common
 * end.
 */
export function restoreLineEnds(before: string, after: string): string {
  const mark = before.startsWith(byteOrderMark) ? byteOrderMark : ''
  const oldLines = linesOf(before.slice(mark.length))
  const newLines = linesOf(mark !== '' && after.startsWith(mark) ? after.slice(mark.length) : after)
  const defaultEnd = mostCommonEnd(oldLines)
  const ends = matchLineEnds(oldLines, newLines)
  const text = newLines.map((line, index) =>
    index === newLines.length - 1 ? line.text : line.text + (ends[index] || defaultEnd),
  )
  return mark + text.join('')
}

/** Returns the previous line end for each line; empty for new lines. */
function matchLineEnds(oldLines: readonly Line[], newLines: readonly Line[]): string[] {
  const minLength = Math.min(oldLines.length, newLines.length)
  let prefixLength = 0
  while (prefixLength < minLength && oldLines[prefixLength]?.text === newLines[prefixLength]?.text) prefixLength += 1
  let suffixLength = 0
  while (
    suffixLength < minLength - prefixLength &&
    oldLines.at(-1 - suffixLength)?.text === newLines.at(-1 - suffixLength)?.text
  )
    suffixLength += 1
  return [
    ...oldLines.slice(0, prefixLength).map(({ end }) => end),
    ...endsBetween(
      oldLines.slice(prefixLength, oldLines.length - suffixLength),
      newLines.slice(prefixLength, newLines.length - suffixLength),
    ),
    ...(suffixLength === 0 ? [] : oldLines.slice(-suffixLength).map(({ end }) => end)),
  ]
}

function endsBetween(oldLines: readonly Line[], newLines: readonly Line[]): string[] {
  const texts = (lines: readonly Line[]) => lines.map(({ text }) => text)
  const changes = diffArrays(texts(oldLines), texts(newLines), { maxEditLength: maxEdits })
  if (!changes) return newLines.map(() => '')
  const ends: string[] = []
  let at = 0
  let removedLines: readonly Line[] = []
  for (const { added, removed, count } of changes) {
    if (removed) {
      removedLines = oldLines.slice(at, at + count)
      at += count
    } else if (added) {
      // Replaced lines take over the line ends of the lines they replace.
      for (let index = 0; index < count; index += 1) ends.push(removedLines[index]?.end ?? '')
      removedLines = []
    } else {
      ends.push(...oldLines.slice(at, at + count).map(({ end }) => end))
      at += count
      removedLines = []
    }
  }
  return ends
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let from = 0
  for (const { index, 0: end } of text.matchAll(lineEnd)) {
    lines.push({ text: text.slice(from, index), end })
    from = index + end.length
  }
  lines.push({ text: text.slice(from), end: '' })
  return lines
}

/** Returns the most common line end; on a tie, the one that occurs first. */
function mostCommonEnd(lines: readonly Line[]): string {
  const counts = new Map<string, number>()
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['\n', 0] as const)[0]
}
