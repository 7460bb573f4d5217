import { headingAt } from '#shared/markdown/blocks/line-starts.ts'
import { compareLines, splitLines } from './compare-lines.ts'

/** Merged lines, or both versions if the two sides changed the same lines differently. `line`: 0-based line of `mine`. */
type Piece =
  | { readonly lines: readonly string[] }
  | { readonly mine: string[]; readonly theirs: string[]; readonly line: number }

interface Edit {
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
  readonly isMine: boolean
}

/** Merges two changes of one text. @returns undefined if they overlap and differ */
export function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  const pieces = [...mergePieces(base, mine, theirs)]
  return pieces.every((piece) => 'lines' in piece) ? pieces.flatMap(({ lines }) => lines).join('') : undefined
}

/**
 * Other changes may touch the reverted lines, unlike in `mergeTexts`; lines added at their place come after them.
 * @param restored the text `after` without the change
 * @returns the 1-based line of the first change of the same lines, if there is one
 */
export function revertInText(
  after: string,
  current: string,
  restored: string,
): { readonly text: string } | { readonly line: number } {
  // The change can be of the last line break only.
  if (current === after) return { text: restored }
  // With a line break at each end, a line that was appended later does not change the last line.
  const lineBreak = after.includes('\r\n') ? '\r\n' : '\n'
  const [base, mine, theirs] = [after, current, restored].map((text) =>
    text === '' || text.endsWith('\n') ? text : text + lineBreak,
  )
  const merged: string[] = []
  for (const piece of mergePieces(base ?? '', mine ?? '', theirs ?? '', true)) {
    if (!('lines' in piece)) return { line: piece.line + 1 }
    merged.push(piece.lines.join(''))
  }
  const text = merged.join('')
  if (text === mine) return { text: current }
  if (text === theirs) return { text: restored }
  return { text: current.endsWith('\n') ? text : text.replace(/\r?\n$/, '') }
}

/** Merges two changes of one text; on overlap keeps the lines of both, `mine` first. */
export function mergeKeepingBoth(base: string, mine: string, theirs: string): string {
  const withLineEnd = (line: string) => (line.endsWith('\n') ? line : `${line}\n`)
  return [...mergePieces(base, mine, theirs)]
    .flatMap((piece) => ('lines' in piece ? piece.lines : [...piece.mine.map(withLineEnd), ...piece.theirs]))
    .join('')
}

/** @param mayTouch changes of adjacent lines do not conflict */
function* mergePieces(base: string, mine: string, theirs: string, mayTouch = false): Generator<Piece> {
  const lines = splitLines(base)
  const [mineEdits, theirEdits] = [editsOf(lines, splitLines(mine), true), editsOf(lines, splitLines(theirs), false)]
  const reverts = theirEdits.filter((edit) => !isReverted(lines, edit, mineEdits))
  const edits = mayTouch
    ? [...mineEdits, ...reverts.map((edit) => fitRemoval(lines, edit, mineEdits))].flatMap(splitByLine)
    : [...mineEdits, ...theirEdits]
  edits.sort((one, other) => one.from - other.from || one.to - other.to || Number(one.isMine) - Number(other.isMine))
  /** Number of lines after an edit that conflict with it, too. */
  const reach = mayTouch ? 0 : 1
  let unchangedFrom = 0
  /** Difference between the line numbers of `mine` and `base`. */
  let shift = 0
  for (let index = 0; index < edits.length;) {
    const from = edits[index]?.from ?? 0
    let to = from
    const overlapping: Edit[] = []
    for (let edit = edits[index]; edit && (edit.from < to + reach || overlapping.length === 0);) {
      overlapping.push(edit)
      to = Math.max(to, edit.to)
      edit = edits[(index += 1)]
    }
    yield { lines: lines.slice(unchangedFrom, from) }
    yield mergeEdits(lines, overlapping, from, to, from + shift)
    for (const edit of overlapping) if (edit.isMine) shift += edit.lines.length - (edit.to - edit.from)
    unchangedFrom = to
  }
  yield { lines: lines.slice(unchangedFrom) }
}

function editsOf(base: readonly string[], changed: readonly string[], isMine: boolean): Edit[] {
  return compareLines(base, changed).map(({ from, to, newFrom, newTo }) => {
    return { from, to, lines: changed.slice(newFrom, newTo), isMine }
  })
}

/** Returns true if the restored lines of a revert are already in the text, and those that they replace are gone. */
function isReverted(base: readonly string[], edit: Edit, mineEdits: readonly Edit[]): boolean {
  const replaced = base.slice(edit.from, edit.to)
  const restored = edit.lines.join('')
  return mineEdits.some(({ from, to, lines }) => {
    const isInside = restored !== '' && from <= edit.from && edit.to <= to
    return isInside && `\n${lines.join('')}`.includes(`\n${restored}`) && !replaced.some((line) => lines.includes(line))
  })
}

/**
 * Shortens a removal: by blank lines at its ends that `others` remove too (of several blank lines, it is
 * unknown which one an edit removed), and by headings at its start if `others` add lines of their section after it.
 */
function fitRemoval(base: readonly string[], edit: Edit, others: readonly Edit[]): Edit {
  if (edit.lines.length > 0) return edit
  if (others.some(({ from, to }) => from <= edit.from && edit.to <= to)) return edit
  const isGone = (at: number) =>
    isBlank(base[at] ?? '-') && others.some(({ from, to, lines }) => lines.length === 0 && from <= at && at < to)
  let { from, to } = edit
  while (isGone(from)) from += 1
  while (isGone(to - 1)) to -= 1
  const added = others.find((other) => other.from === to && other.to === to)?.lines ?? []
  return { ...edit, from: from + countHeadings(base.slice(from, to), added), to }
}

/** Returns the number of lines to keep: headings at the start, above the level of the section that `added` begins. */
function countHeadings(removed: readonly string[], added: readonly string[]): number {
  const next = added.find((line) => !isBlank(line))
  if (next === undefined) return 0
  const nextLevel = headingAt(next)?.level ?? Infinity
  let count = 0
  for (const [index, line] of removed.entries()) {
    if (!isBlank(line) && (headingAt(line)?.level ?? nextLevel) >= nextLevel) break
    // One blank line below the headings is enough.
    if (!isBlank(line) || (count > 0 && !isBlank(added[0] ?? ''))) count = index + 1
  }
  return count
}

function isBlank(line: string): boolean {
  return line.trim() === ''
}

/** Splits an edit with equal line counts into single lines, each of which replaces its counterpart. */
function splitByLine(edit: Edit): Edit[] {
  const { from, to, lines } = edit
  if (lines.length !== to - from) return [edit]
  return lines.map((line, at) => ({ ...edit, from: from + at, to: from + at + 1, lines: [line] }))
}

function mergeEdits(base: readonly string[], edits: readonly Edit[], from: number, to: number, line: number): Piece {
  const [mine = [], theirs = []] = [true, false].map((isMine) => {
    const sideLines = base.slice(from, to)
    for (const edit of edits.filter((candidate) => candidate.isMine === isMine).reverse())
      sideLines.splice(edit.from - from, edit.to - edit.from, ...edit.lines)
    return sideLines
  })
  if (edits.every(({ isMine }) => isMine)) return { lines: mine }
  if (edits.every(({ isMine }) => !isMine)) return { lines: theirs }
  return mine.join('') === theirs.join('') ? { lines: mine } : { mine, theirs, line }
}
