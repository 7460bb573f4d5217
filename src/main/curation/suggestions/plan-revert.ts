import type { LineEdit } from '#platform'
import type { Acceptance, AcceptedEdit } from './acceptances.ts'
import { minimalEdit, rangesOverlap, sortEdits, TextLines, type Range } from './line-edits.ts'

export interface CurrentFile {
  /** Null if the file is gone. */
  readonly text: string | null
  readonly changes: readonly LineEdit[]
}

export interface RevertConflict {
  readonly proposal: string
  readonly path: string
  /** 1-based; null if the file is gone. */
  readonly line: number | null
}

/** A part of an accepted file that is reverted as a whole. */
interface Piece {
  /** Proposals that changed it; several if their edits cannot be separated. */
  readonly proposals: readonly string[]
  readonly path: string
  /** 0-based lines in the accepted text; undefined for the whole file. */
  readonly place: Range | undefined
  /** Lines before the acceptance; null if the file did not exist. */
  readonly before: readonly string[] | null
}

/**
 * Plans the undo of an acceptance.
 * @param currentFiles current state of each of its files, by path
 * @returns `texts`: new texts of changed files by path, null to remove the file; `stuck`: one conflict for each proposal
 * that cannot be undone
 */
export function planRevert(
  { proposals, files, edits }: Pick<Acceptance, 'proposals' | 'files' | 'edits'>,
  currentFiles: ReadonlyMap<string, CurrentFile>,
) {
  const splitFiles = new Map(
    [...currentFiles].map(([path, file]) => [path, { ...file, changes: file.changes.flatMap(splitByLine) }]),
  )
  const pieces = files.flatMap((file) => piecesOf(file, edits, proposals))
  const revertedPieces = new Set(
    files.flatMap(({ path, after }) => {
      const filePieces = pieces.filter((piece) => piece.path === path && piece.place)
      return findRevertedPieces(after, currentFiles.get(path), filePieces)
    }),
  )
  const stuck = new Map<string, RevertConflict>()
  for (const piece of pieces) {
    if (revertedPieces.has(piece)) continue
    const line = conflictLine(piece, splitFiles.get(piece.path), files)
    if (line !== undefined)
      for (const proposal of piece.proposals) addConflict(stuck, { proposal, path: piece.path, line })
  }
  // Proposals that share a piece can only be undone together.
  for (let previousSize = -1; previousSize !== stuck.size;) {
    previousSize = stuck.size
    for (const piece of pieces) {
      const first = piece.proposals.map((proposal) => stuck.get(proposal)).find((conflict) => conflict !== undefined)
      if (first) for (const proposal of piece.proposals) addConflict(stuck, { ...first, proposal })
    }
  }
  const texts = new Map<string, string | null>()
  for (const { path, before } of files) {
    const current = splitFiles.get(path)
    const revertible = pieces.filter(
      (piece) => piece.path === path && !piece.proposals.some((proposal) => stuck.has(proposal)),
    )
    if (!current || current.text === before || revertible.length === 0) continue
    const isWhole = revertible.some(({ place }) => place === undefined) || current.text === null
    const places = isWhole
      ? []
      : placesInCurrentText(
          current.changes,
          revertible.filter((piece) => !revertedPieces.has(piece)),
        )
    const text = isWhole ? before : restoreText(current.text ?? '', places)
    if (text !== current.text) texts.set(path, text)
    for (const [id, conflict] of stuck) if (conflict.path === path) stuck.set(id, withShiftedLine(conflict, places))
  }
  return { texts, stuck: [...stuck.values()] }
}

/** Returns the part of an acceptance that remains after the undo: the proposals in `stuck`. */
export function withoutReverted(acceptance: Acceptance, stuck: readonly RevertConflict[]): Acceptance {
  const remaining = new Set(stuck.map(({ proposal }) => proposal))
  const edits = acceptance.edits.filter(({ proposal }) => remaining.has(proposal))
  const files = acceptance.files.flatMap((file) => {
    const fileEdits = acceptance.edits.filter(({ path }) => path === file.path)
    const remainingEdits = fileEdits.filter(({ proposal }) => remaining.has(proposal))
    if (remainingEdits.length === 0) return []
    const isSeparable = file.before !== null && placesOf(file.before, file.after, fileEdits) !== undefined
    return [isSeparable ? { ...file, after: new TextLines(file.before ?? '').apply(remainingEdits) } : file]
  })
  return { ...acceptance, proposals: acceptance.proposals.filter((proposal) => remaining.has(proposal)), files, edits }
}

/** Splits a change with equal line counts into single lines, each of which replaces its counterpart. */
function splitByLine({ from, to, newFrom, newTo }: LineEdit): LineEdit[] {
  const count = to - from
  if (count !== newTo - newFrom) return [{ from, to, newFrom, newTo }]
  return Array.from({ length: count }, (_, index) => {
    const [line, newLine] = [from + index, newFrom + index]
    return { from: line, to: line + 1, newFrom: newLine, newTo: newLine + 1 }
  })
}

function addConflict(stuck: Map<string, RevertConflict>, conflict: RevertConflict): void {
  if (!stuck.has(conflict.proposal)) stuck.set(conflict.proposal, conflict)
}

function piecesOf(
  { path, before, after }: Acceptance['files'][number],
  allEdits: readonly AcceptedEdit[],
  proposals: readonly string[],
): Piece[] {
  const edits = allEdits.filter((edit) => edit.path === path)
  const places = before === null ? undefined : placesOf(before, after, edits)
  if (places) return places.map(({ proposal, place, lines }) => ({ proposals: [proposal], path, place, before: lines }))
  const ids = [...new Set(edits.map(({ proposal }) => proposal))]
  return [
    { proposals: ids.length > 0 ? ids : proposals, path, place: undefined, before: before === null ? null : [before] },
  ]
}

/** Returns the place of each edit in the accepted text; undefined if undoing all edits does not restore `before`. */
function placesOf(before: string, after: string, edits: readonly AcceptedEdit[]) {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  let shift = 0
  const places = sortEdits(edits.map((edit) => ({ proposal: edit.proposal, ...minimalEdit(edit) }))).map(
    ({ proposal, from, to, added }) => {
      const place = { from: from + shift, to: from + shift + added.length }
      shift += added.length - (to - from)
      return { proposal, place, lines: oldLines.slice(from, to) }
    },
  )
  return splice(newLines, places).join('\n') === before ? places : undefined
}

/** Returns the 1-based line of a conflicting change, null if the file is gone, or undefined without a conflict. */
function conflictLine(
  { path, place, before }: Piece,
  current: CurrentFile | undefined,
  files: Acceptance['files'],
): number | null | undefined {
  const accepted = files.find((file) => file.path === path)
  // The file equals the accepted or the original text, so there is no conflict.
  if (current && (current.text === accepted?.after || current.text === accepted?.before)) return undefined
  if (!current || current.text === null) return null
  if (place === undefined || before === null) return 1
  const change = current.changes.find((edit) => rangesOverlap(edit, place))
  return change && change.newFrom + 1
}

/**
 * Returns the pieces that the user or an interrupted undo has already reverted: their accepted lines are gone and the
 * original lines are back. An insertion counts as reverted only if no unknown line replaced it.
 */
function findRevertedPieces(after: string, current: CurrentFile | undefined, pieces: readonly Piece[]): Piece[] {
  if (!current || current.text === null) return []
  const [acceptedLines, currentLines] = [after.split('\n'), current.text.split('\n')]
  return current.changes.flatMap((change) => {
    const replacement = currentLines.slice(change.newFrom, change.newTo)
    const touched = pieces.filter(({ place }) => place && touches(change, place))
    const originalLines = touched.flatMap(({ before }) => before ?? [])
    const knownLines = new Set([...acceptedLines.slice(change.from, change.to), ...originalLines])
    const isAllKnown = replacement.every((line) => knownLines.has(line))
    return touched.filter(({ place, before }) => {
      if (!place || !before || (before.length === 0 && !isAllKnown)) return false
      const isGone = acceptedLines.slice(place.from, place.to).every((line) => !replacement.includes(line))
      return isGone && containsRun(before, replacement)
    })
  })
}

function touches(change: LineEdit, place: Range): boolean {
  return place.from === place.to ? change.from <= place.from && place.from <= change.to : rangesOverlap(change, place)
}

function containsRun(run: readonly string[], lines: readonly string[]): boolean {
  return run.length === 0 || lines.some((_, start) => run.every((line, offset) => lines[start + offset] === line))
}

interface RestoredLines {
  readonly place: Range
  readonly lines: readonly string[]
}

function placesInCurrentText(changes: readonly LineEdit[], pieces: readonly Piece[]): RestoredLines[] {
  return pieces.flatMap(({ place, before }) => {
    if (!place || !before) return []
    // Earlier changes shift the place. Text inserted at the same place comes after it.
    const earlier = changes.filter(({ from, to }) =>
      from === to && place.from === place.to ? to < place.from : to <= place.from,
    )
    const shift = earlier.reduce((sum, { from, to, newFrom, newTo }) => sum + (newTo - newFrom) - (to - from), 0)
    return [{ place: { from: place.from + shift, to: place.to + shift }, lines: before }]
  })
}

function withShiftedLine(conflict: RevertConflict, places: readonly RestoredLines[]): RevertConflict {
  const { line } = conflict
  if (line === null) return conflict
  const before = places.filter(({ place }) => place.to < line)
  const shiftedLine = before.reduce((sum, { place, lines }) => sum + lines.length - (place.to - place.from), line)
  return { ...conflict, line: shiftedLine }
}

function restoreText(text: string, places: readonly RestoredLines[]): string {
  const restored = splice(text.split('\n'), places).join('\n')
  // The new last line has no line end if the old one had none.
  return restored.endsWith('\r') && !text.endsWith('\r') ? restored.slice(0, -1) : restored
}

/** Replaces parts of the lines. The places must be sorted and not overlap. */
function splice(lines: readonly string[], places: readonly RestoredLines[]): string[] {
  const parts: (readonly string[])[] = []
  let position = 0
  for (const { place, lines: restoredLines } of places) {
    parts.push(lines.slice(position, place.from), restoredLines)
    position = place.to
  }
  return [...parts, lines.slice(position)].flat()
}
