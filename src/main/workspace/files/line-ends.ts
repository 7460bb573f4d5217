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
  const old = linesOf(before.slice(mark.length))
  const now = linesOf(mark !== '' && after.startsWith(mark) ? after.slice(mark.length) : after)
  const usual = usualEnd(old)
  const ends = endsFor(old, now)
  const text = now.map((line, index) => (index === now.length - 1 ? line.text : line.text + (ends[index] || usual)))
  return mark + text.join('')
}

/** Returns the previous line end for each line; empty for new lines. */
function endsFor(old: readonly Line[], now: readonly Line[]): string[] {
  const most = Math.min(old.length, now.length)
  let first = 0
  while (first < most && old[first]?.text === now[first]?.text) first += 1
  let last = 0
  while (last < most - first && old.at(-1 - last)?.text === now.at(-1 - last)?.text) last += 1
  return [
    ...old.slice(0, first).map(({ end }) => end),
    ...endsBetween(old.slice(first, old.length - last), now.slice(first, now.length - last)),
    ...(last === 0 ? [] : old.slice(-last).map(({ end }) => end)),
  ]
}

function endsBetween(old: readonly Line[], now: readonly Line[]): string[] {
  const texts = (lines: readonly Line[]) => lines.map(({ text }) => text)
  const changes = diffArrays(texts(old), texts(now), { maxEditLength: maxEdits })
  if (!changes) return now.map(() => '')
  const ends: string[] = []
  let at = 0
  let removedLines: readonly Line[] = []
  for (const { added, removed, count } of changes) {
    if (removed) {
      removedLines = old.slice(at, at + count)
      at += count
    } else if (added) {
      // Replaced lines take over the line ends of the lines they replace.
      for (let index = 0; index < count; index += 1) ends.push(removedLines[index]?.end ?? '')
      removedLines = []
    } else {
      ends.push(...old.slice(at, at + count).map(({ end }) => end))
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
function usualEnd(lines: readonly Line[]): string {
  const counts = new Map<string, number>()
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['\n', 0] as const)[0]
}
