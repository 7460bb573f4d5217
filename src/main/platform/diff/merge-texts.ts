import { compareLines, splitLines } from './compare-lines.ts'

/** Merged lines, or both versions if the two sides changed the same or adjacent lines differently. */
type Piece = { readonly lines: readonly string[] } | { readonly mine: string[]; readonly theirs: string[] }

interface Edit {
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
  readonly isMine: boolean
}

/** Merges two changes of one text. @returns undefined if they overlap and differ */
export function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  const merged: string[] = []
  for (const piece of mergePieces(base, mine, theirs)) {
    if (!('lines' in piece)) return undefined
    merged.push(piece.lines.join(''))
  }
  return merged.join('')
}

/** Merges two changes of one text; on overlap keeps the lines of both, `mine` first. */
export function mergeKeepingBoth(base: string, mine: string, theirs: string): string {
  return [...mergePieces(base, mine, theirs)]
    .flatMap((piece) => ('lines' in piece ? piece.lines : [...withLineEnd(piece.mine), ...piece.theirs]))
    .join('')
}

function* mergePieces(base: string, mine: string, theirs: string): Generator<Piece> {
  const lines = splitLines(base)
  const edits = [...editsOf(lines, splitLines(mine), true), ...editsOf(lines, splitLines(theirs), false)]
  edits.sort((one, other) => one.from - other.from || one.to - other.to)
  let unchangedFrom = 0
  for (let index = 0; index < edits.length;) {
    const from = edits[index]?.from ?? 0
    let to = from
    const overlapping: Edit[] = []
    for (let edit = edits[index]; edit && edit.from <= to; edit = edits[(index += 1)]) {
      overlapping.push(edit)
      to = Math.max(to, edit.to)
    }
    yield { lines: lines.slice(unchangedFrom, from) }
    yield mergeEdits(lines, overlapping, from, to)
    unchangedFrom = to
  }
  yield { lines: lines.slice(unchangedFrom) }
}

function editsOf(base: readonly string[], changed: readonly string[], isMine: boolean): Edit[] {
  return compareLines(base, changed).map(({ from, to, newFrom, newTo }) => {
    return { from, to, lines: changed.slice(newFrom, newTo), isMine }
  })
}

function mergeEdits(base: readonly string[], edits: readonly Edit[], from: number, to: number): Piece {
  const [mine = [], theirs = []] = [true, false].map((isMine) => {
    const sideLines = base.slice(from, to)
    for (const edit of edits.filter((candidate) => candidate.isMine === isMine).reverse())
      sideLines.splice(edit.from - from, edit.to - edit.from, ...edit.lines)
    return sideLines
  })
  if (edits.every(({ isMine }) => isMine)) return { lines: mine }
  if (edits.every(({ isMine }) => !isMine)) return { lines: theirs }
  return mine.join('') === theirs.join('') ? { lines: mine } : { mine, theirs }
}

function withLineEnd(lines: readonly string[]): string[] {
  return lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`))
}
