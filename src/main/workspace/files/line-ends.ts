import { mostFrequent } from '#shared/util/most-frequent.ts'
import { compareLines } from '#platform'

const byteOrderMark = '\uFEFF'

type Line = ReturnType<typeof linesOf>[number]

/** Keeps the byte-order mark and the line ends of `before`; new lines get the most common end. */
export function restoreLineEnds(before: string, after: string): string {
  const bom = before.startsWith(byteOrderMark) ? byteOrderMark : ''
  const oldLines = linesOf(before.slice(bom.length))
  const newLines = linesOf(bom !== '' && after.startsWith(bom) ? after.slice(bom.length) : after)
  const [defaultEnd = '\n'] = mostFrequent(
    oldLines.flatMap(({ end }) => end || []),
    (end) => end,
  )
  const ends = matchLineEnds(oldLines, newLines)
  const text = newLines.map((line, index) =>
    index === newLines.length - 1 ? line.text : line.text + (ends[index] || defaultEnd),
  )
  return bom + text.join('')
}

/** Returns the line end of each new line; '' for an added one. */
function matchLineEnds(oldLines: readonly Line[], newLines: readonly Line[]): string[] {
  const textsOf = (lines: readonly Line[]) => lines.map(({ text }) => text)
  const endsOf = (from: number, to?: number) => oldLines.slice(from, to).map(({ end }) => end)
  const ends: string[][] = []
  let unchangedFrom = 0
  for (const { from, to, newFrom, newTo } of compareLines(textsOf(oldLines), textsOf(newLines))) {
    ends.push(endsOf(unchangedFrom, from))
    // Changed lines get the line ends of the lines that they replace.
    const replacedEnds = endsOf(from, to)
    ends.push(Array.from({ length: newTo - newFrom }, (_, index) => replacedEnds[index] ?? ''))
    unchangedFrom = to
  }
  return [...ends, endsOf(unchangedFrom)].flat()
}

/** `end` is empty for the last line. */
function linesOf(text: string) {
  const parts = text.split(/(\r\n|\r|\n)/)
  const length = (parts.length + 1) / 2
  return Array.from({ length }, (_, index) => ({ text: parts[2 * index] ?? '', end: parts[2 * index + 1] ?? '' }))
}
