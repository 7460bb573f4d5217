import { diffArrays } from 'diff'

const byteOrderMark = '\uFEFF'
const lineEnd = /\r\n|\r|\n/g
/** Lines added and removed; beyond it, what lies between the first and the last change has the ends that most lines have. */
const maxEdits = 2000

interface Line {
  readonly text: string
  /** Empty for the last one. */
  readonly end: string
}

/** @returns `after`, with the line ends and the byte order mark of `before` */
export function withEndsOf(before: string, after: string): string {
  const mark = before.startsWith(byteOrderMark) ? byteOrderMark : ''
  const old = linesOf(before.slice(mark.length))
  const now = linesOf(mark !== '' && after.startsWith(mark) ? after.slice(mark.length) : after)
  const usual = usualEnd(old)
  const ends = endsFor(old, now)
  const text = now.map((line, index) => (index === now.length - 1 ? line.text : line.text + (ends[index] || usual)))
  return mark + text.join('')
}

/** For each line, the end of the one that it was; empty where there was none. */
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
  let gone: readonly Line[] = []
  for (const { added, removed, count } of changes) {
    if (removed) {
      gone = old.slice(at, at + count)
      at += count
    } else if (added) {
      // A line that was written in another's place.
      for (let index = 0; index < count; index += 1) ends.push(gone[index]?.end ?? '')
      gone = []
    } else {
      ends.push(...old.slice(at, at + count).map(({ end }) => end))
      at += count
      gone = []
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

/** The one that most lines have; of two that as many have, the one that came first. */
function usualEnd(lines: readonly Line[]): string {
  const counts = new Map<string, number>()
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['\n', 0] as const)[0]
}
