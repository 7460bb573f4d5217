/** Three-way merge by lines (M43): two changes of the same text become one when they do not touch. Pure. */
import { compareLines } from './compare-lines.ts'
import { splitLines } from './lines.ts'

interface Edit {
  /** The half-open range of base lines that it replaces. */
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

/** The merged text; where both sides changed the same lines it has those of both, mine first. */
export function mergeBoth(base: string, mine: string, theirs: string): string {
  const baseLines = splitLines(base)
  const edits = [
    ...editsOf(baseLines, splitLines(mine)).map((edit) => ({ ...edit, isMine: true })),
    ...editsOf(baseLines, splitLines(theirs)).map((edit) => ({ ...edit, isMine: false })),
  ].sort((one, other) => one.from - other.from || one.to - other.to)
  const merged: (readonly string[])[] = []
  let line = 0
  for (let index = 0; index < edits.length;) {
    const first = edits[index]
    if (!first) break
    let { to } = first
    let end = index + 1
    for (let next = edits[end]; next && next.from <= to; next = edits[(end += 1)]) to = Math.max(to, next.to)
    merged.push(baseLines.slice(line, first.from), withBoth(baseLines, edits.slice(index, end), first.from, to))
    line = to
    index = end
  }
  return [...merged, baseLines.slice(line)].flat().join('')
}

/** A region as each side has it, one after the other; once, when they agree. */
function withBoth(
  base: readonly string[],
  edits: readonly (Edit & { readonly isMine: boolean })[],
  from: number,
  to: number,
): string[] {
  const [mine, theirs] = [true, false].map((isMine) => {
    const lines: (readonly string[])[] = []
    let line = from
    for (const edit of edits.filter((known) => known.isMine === isMine)) {
      lines.push(base.slice(line, edit.from), edit.lines)
      line = edit.to
    }
    return [...lines, base.slice(line, to)].flat()
  })
  const sides = edits.every(({ isMine }) => isMine) ? mine : theirs
  if (!mine || !theirs || !sides || new Set(edits.map(({ isMine }) => isMine)).size === 1) return sides ?? []
  if (mine.join('') === theirs.join('')) return mine
  return [...mine.slice(0, -1), ...mine.slice(-1).map((last) => (last.endsWith('\n') ? last : `${last}\n`)), ...theirs]
}

/** The merged text, or undefined when both sides changed the same or neighbouring lines differently. */
export function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  const baseLines = splitLines(base)
  const edits = combine(editsOf(baseLines, splitLines(mine)), editsOf(baseLines, splitLines(theirs)))
  if (!edits) return undefined
  const merged: (readonly string[])[] = []
  let line = 0
  for (const edit of edits) {
    merged.push(baseLines.slice(line, edit.from), edit.lines)
    line = edit.to
  }
  return [...merged, baseLines.slice(line)].flat().join('')
}

function editsOf(base: readonly string[], changed: readonly string[]): Edit[] {
  return compareLines(base, changed).map(({ from, to, newFrom, newTo }) => ({
    from,
    to,
    lines: changed.slice(newFrom, newTo),
  }))
}

function combine(mine: readonly Edit[], theirs: readonly Edit[]): Edit[] | undefined {
  const all = [...mine]
  let next = 0
  for (const edit of theirs) {
    // Both are in order, and none of one side touches the next.
    while ((mine[next]?.to ?? Infinity) < edit.from) next += 1
    const touched = mine[next]
    if (!touched || touched.from > edit.to) all.push(edit)
    else if (!isSameEdit(edit, touched) || (mine[next + 1]?.from ?? Infinity) <= edit.to) return undefined
  }
  return all.sort((a, b) => a.from - b.from || a.to - b.to)
}

function isSameEdit(a: Edit, b: Edit): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join('') === b.lines.join('')
}
