import type { LineEdit } from '#platform'
import type { Acceptance, AcceptedEdit } from './acceptances.ts'
import { minimalEdit, sortEdits, TextLines } from './line-edits.ts'

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

interface Place {
  readonly from: number
  readonly to: number
}

export interface RevertPlan {
  /** New texts by path; null removes the file. Unchanged files are missing. */
  readonly texts: ReadonlyMap<string, string | null>
  /** One conflict for each proposal that cannot be undone. */
  readonly stuck: readonly RevertConflict[]
}

/** A part of an accepted file that is reverted as a whole. */
interface Piece {
  /** Proposals that changed it; several if their edits cannot be separated. */
  readonly proposals: readonly string[]
  readonly path: string
  /** 0-based lines in the accepted text; undefined for the whole file. */
  readonly place: Place | undefined
  /** Lines before the acceptance; null if the file did not exist. */
  readonly before: readonly string[] | null
}

/** Plans the undo of an acceptance. @param filesNow current state of each of its files, by path */
export function planRevert(
  { proposals, files, edits }: Pick<Acceptance, 'proposals' | 'files' | 'edits'>,
  filesNow: ReadonlyMap<string, CurrentFile>,
): RevertPlan {
  const since = new Map(
    [...filesNow].map(([path, one]) => [path, { ...one, changes: one.changes.flatMap(splitByLine) }]),
  )
  const revertedPieces = new Set<Piece>()
  const pieces = files.flatMap((file) =>
    piecesOf(
      file,
      edits.filter(({ path }) => path === file.path),
      proposals,
    ),
  )
  for (const { path, after } of files) {
    const now = filesNow.get(path)
    const own = pieces.filter((one) => one.path === path && one.place)
    if (now && now.text !== null) for (const piece of alreadyReverted(after, now, own)) revertedPieces.add(piece)
  }
  const stuck = new Map<string, RevertConflict>()
  for (const piece of pieces) {
    if (revertedPieces.has(piece)) continue
    const line = conflictLine(piece, since.get(piece.path), files)
    if (line !== undefined)
      for (const proposal of piece.proposals) addConflict(stuck, { proposal, path: piece.path, line })
  }
  // Proposals that share a piece can only be undone together.
  for (let count = -1; count !== stuck.size;) {
    count = stuck.size
    for (const { proposals: own } of pieces) {
      const first = own.map((one) => stuck.get(one)).find((one) => one !== undefined)
      if (first) for (const proposal of own) addConflict(stuck, { ...first, proposal })
    }
  }
  const texts = new Map<string, string | null>()
  for (const { path, before } of files) {
    const now = since.get(path)
    const revertible = pieces.filter(
      (one) => one.path === path && !one.proposals.some((proposal) => stuck.has(proposal)),
    )
    if (!now || now.text === before || revertible.length === 0) continue
    const isWhole = revertible.some(({ place }) => place === undefined) || now.text === null
    const places = isWhole
      ? []
      : currentPlaces(
          now.changes,
          revertible.filter((one) => !revertedPieces.has(one)),
        )
    const text = isWhole ? before : restoreText(now.text ?? '', places)
    if (text !== now.text) texts.set(path, text)
    for (const one of stuck.values()) if (one.path === path) stuck.set(one.proposal, withShiftedLine(one, places))
  }
  return { texts, stuck: [...stuck.values()] }
}

/** Returns the part of an acceptance that remains after the undo: the proposals in `stuck`. */
export function withoutReverted(acceptance: Acceptance, stuck: readonly RevertConflict[]): Acceptance {
  const left = new Set(stuck.map(({ proposal }) => proposal))
  const edits = acceptance.edits.filter(({ proposal }) => left.has(proposal))
  const files = acceptance.files.flatMap((file) => {
    const all = acceptance.edits.filter(({ path }) => path === file.path)
    const own = all.filter(({ proposal }) => left.has(proposal))
    if (own.length === 0) return []
    const isSplit = file.before !== null && placesOf(file.before, file.after, all) !== undefined
    return [isSplit ? { ...file, after: new TextLines(file.before ?? '').apply(own) } : file]
  })
  return { ...acceptance, proposals: acceptance.proposals.filter((one) => left.has(one)), files, edits }
}

/** Splits a change with equal line counts into single lines, each of which replaces its counterpart. */
function splitByLine({ from, to, newFrom, newTo }: LineEdit): LineEdit[] {
  const count = to - from
  if (count !== newTo - newFrom) return [{ from, to, newFrom, newTo }]
  return Array.from({ length: count }, (_, at) => {
    const [line, newLine] = [from + at, newFrom + at]
    return { from: line, to: line + 1, newFrom: newLine, newTo: newLine + 1 }
  })
}

function addConflict(stuck: Map<string, RevertConflict>, one: RevertConflict): void {
  if (!stuck.has(one.proposal)) stuck.set(one.proposal, one)
}

function piecesOf(
  { path, before, after }: Acceptance['files'][number],
  edits: readonly AcceptedEdit[],
  proposals: readonly string[],
): Piece[] {
  const places = before === null ? undefined : placesOf(before, after, edits)
  if (places) return places.map(({ proposal, place, lines }) => ({ proposals: [proposal], path, place, before: lines }))
  const own = [...new Set(edits.map(({ proposal }) => proposal))]
  return [
    { proposals: own.length > 0 ? own : proposals, path, place: undefined, before: before === null ? null : [before] },
  ]
}

/** Returns the place of each edit in the accepted text; undefined if the edits do not explain the change. */
function placesOf(before: string, after: string, edits: readonly AcceptedEdit[]) {
  const [olds, news] = [before.split('\n'), after.split('\n')]
  let shift = 0
  const places = sortEdits(edits.map((edit) => ({ proposal: edit.proposal, ...minimalEdit(edit) }))).map(
    ({ proposal, from, to, added }) => {
      const place = { from: from + shift, to: from + shift + added.length }
      shift += added.length - (to - from)
      return { proposal, place, lines: olds.slice(from, to) }
    },
  )
  return splice(news, places).join('\n') === before ? places : undefined
}

/** Returns the 1-based line of a conflicting change, null if the file is gone, or undefined without a conflict. */
function conflictLine(
  { path, place, before }: Piece,
  since: CurrentFile | undefined,
  files: Acceptance['files'],
): number | null | undefined {
  const accepted = files.find((file) => file.path === path)
  // The file equals the accepted or the original text, so there is no conflict.
  if (since && (since.text === accepted?.after || since.text === accepted?.before)) return undefined
  if (!since || since.text === null) return null
  if (place === undefined || before === null) return 1
  const change = since.changes.find((one) => overlapsPlace(one, place))
  return change && change.newFrom + 1
}

function overlapsPlace({ from, to }: LineEdit, place: Place): boolean {
  if (from === to) return place.from < from && from < place.to
  if (place.from === place.to) return from < place.from && place.from < to
  return from < place.to && place.from < to
}

/**
 * Returns pieces that are reverted already, by hand or by an interrupted undo: their new lines are gone and the old
 * lines are back. An insertion counts as reverted only if no unknown line replaced it.
 */
function alreadyReverted(after: string, { text, changes }: CurrentFile, pieces: readonly Piece[]): Set<Piece> {
  const [olds, news] = [after.split('\n'), (text ?? '').split('\n')]
  const found = new Set<Piece>()
  for (const change of changes) {
    const now = news.slice(change.newFrom, change.newTo)
    const inside = pieces.filter(({ place }) => place && touches(change, place))
    const known = new Set([...olds.slice(change.from, change.to), ...inside.flatMap(({ before }) => before ?? [])])
    const isKnown = now.every((line) => known.has(line))
    for (const piece of inside) {
      const { place, before } = piece
      if (!place || !before || (before.length === 0 && !isKnown)) continue
      const isGone = olds.slice(place.from, place.to).every((line) => !now.includes(line))
      if (isGone && containsRun(before, now)) found.add(piece)
    }
  }
  return found
}

function touches(change: LineEdit, place: Place): boolean {
  return place.from === place.to ? change.from <= place.from && place.from <= change.to : overlapsPlace(change, place)
}

function containsRun(wanted: readonly string[], lines: readonly string[]): boolean {
  if (wanted.length === 0) return true
  return lines.some((_, start) => wanted.every((line, at) => lines[start + at] === line))
}

interface Restored {
  readonly place: Place
  readonly lines: readonly string[]
}

function currentPlaces(changes: readonly LineEdit[], pieces: readonly Piece[]): Restored[] {
  return pieces.flatMap(({ place, before }) => {
    if (!place || !before) return []
    // Earlier changes shift the place. Text inserted at the same place comes after it.
    const isBefore = ({ from, to }: LineEdit) =>
      from === to && place.from === place.to ? to < place.from : to <= place.from
    const by = changes.filter(isBefore).reduce((sum, one) => sum + (one.newTo - one.newFrom) - (one.to - one.from), 0)
    return [{ place: { from: place.from + by, to: place.to + by }, lines: before }]
  })
}

function withShiftedLine(one: RevertConflict, places: readonly Restored[]): RevertConflict {
  const { line } = one
  if (line === null) return one
  const before = places.filter(({ place }) => place.to < line)
  return { ...one, line: before.reduce((sum, { place, lines }) => sum + lines.length - (place.to - place.from), line) }
}

function restoreText(text: string, places: readonly Restored[]): string {
  const whole = splice(text.split('\n'), places).join('\n')
  // The new last line has no line end if the old one had none.
  return whole.endsWith('\r') && !text.endsWith('\r') ? whole.slice(0, -1) : whole
}

/** Replaces parts of the lines. The places must be sorted and not overlap. */
function splice(lines: readonly string[], places: readonly Restored[]): string[] {
  const parts: (readonly string[])[] = []
  let at = 0
  for (const { place, lines: own } of places) {
    parts.push(lines.slice(at, place.from), own)
    at = place.to
  }
  return [...parts, lines.slice(at)].flat()
}
