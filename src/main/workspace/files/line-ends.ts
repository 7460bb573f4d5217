import { diffArrays } from 'diff'

const byteOrderMark = '\uFEFF'
const lineEndPattern = /\r\n|\r|\n/g
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
  const bom = before.startsWith(byteOrderMark) ? byteOrderMark : ''
  const oldLines = linesOf(before.slice(bom.length))
  const newLines = linesOf(bom !== '' && after.startsWith(bom) ? after.slice(bom.length) : after)
  const defaultEnd = mostCommonEnd(oldLines)
  const ends = matchLineEnds(oldLines, newLines)
  const text = newLines.map((line, index) =>
    index === newLines.length - 1 ? line.text : line.text + (ends[index] || defaultEnd),
  )
  return bom + text.join('')
}

/** Returns the previous line end of each new line; empty for an added line. */
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
    ...alignLineEnds(
      oldLines.slice(prefixLength, oldLines.length - suffixLength),
      newLines.slice(prefixLength, newLines.length - suffixLength),
    ),
    ...(suffixLength === 0 ? [] : oldLines.slice(-suffixLength).map(({ end }) => end)),
  ]
}

function alignLineEnds(oldLines: readonly Line[], newLines: readonly Line[]): string[] {
  const textsOf = (lines: readonly Line[]) => lines.map(({ text }) => text)
  const changes = diffArrays(textsOf(oldLines), textsOf(newLines), { maxEditLength: maxEdits })
  if (!changes) return newLines.map(() => '')
  const ends: string[] = []
  let oldIndex = 0
  let removedLines: readonly Line[] = []
  for (const { added, removed, count } of changes) {
    if (removed) {
      removedLines = oldLines.slice(oldIndex, oldIndex + count)
      oldIndex += count
    } else if (added) {
      // Changed lines get the line ends of the lines that they replace.
      for (let index = 0; index < count; index += 1) ends.push(removedLines[index]?.end ?? '')
      removedLines = []
    } else {
      ends.push(...oldLines.slice(oldIndex, oldIndex + count).map(({ end }) => end))
      oldIndex += count
      removedLines = []
    }
  }
  return ends
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let start = 0
  for (const { index, 0: end } of text.matchAll(lineEndPattern)) {
    lines.push({ text: text.slice(start, index), end })
    start = index + end.length
  }
  lines.push({ text: text.slice(start), end: '' })
  return lines
}

/** Returns the most common line end; on a tie, the one that occurs first. */
function mostCommonEnd(lines: readonly Line[]): string {
  const counts = new Map<string, number>()
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1)
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['\n', 0] as const)[0]
}
