import type { LineEdit, Proposal } from '#shared/contract/index.ts'
import { blocksOf } from '#shared/markdown/visibility-blocks.ts'
import { hasContent, withVisibility } from '#shared/markdown/visibility-edit.ts'
import { emptiedHeading, linesNeedingMark, withLocalLines, withMark } from '#shared/markdown/visibility-marks.ts'
import { localFrontMatter, type NoteVisibility } from '#shared/markdown/visibility.ts'
import { minimalEdit, sortEdits, TextLines } from './line-edits.ts'

/** Returns the local lines of a text, by its marks and the privacy rules for `path` (workspace-relative). */
export type LocalOf = (path: string, text: string) => NoteVisibility

interface Change {
  readonly rule: Proposal['rule']
  readonly evidence: readonly Proposal['evidence'][number][]
  readonly files: readonly FileEdits[]
}

interface FileEdits {
  readonly path: string
  readonly edits: readonly LineEdit[]
}

export interface LocalContext {
  /** Returns undefined for a missing file. */
  readonly textOf: (path: string) => string | undefined
  readonly localOf: LocalOf
  /** Returns the edits of the proposals accepted together with this one. */
  readonly others?: (path: string) => readonly LineEdit[]
}

/** Rules whose evidence only locates a change; its text does not go into the written lines. */
const locatingRules: ReadonlySet<Proposal['rule']> = new Set(['outside', 'broken'])

/**
 * Adds local marks to edits whose text comes from local lines.
 * @returns the edits with marks; undefined if a mark belongs on a line that one of `others` writes
 */
export function withLocalMarks<T extends FileEdits>(
  change: Change & { files: readonly T[] },
  context: LocalContext,
): T[] | undefined {
  const { textOf, localOf } = context
  const isLocalAt = (path: string, line: number) => {
    const text = textOf(path)
    return text !== undefined && isLocal(localOf(path, text), line)
  }
  const hasLocalEvidence =
    !locatingRules.has(change.rule) && change.evidence.some(({ path, line }) => isLocalAt(path, line - 1))
  const removedLocalTexts = new Set(
    change.files.flatMap(({ path, edits }) =>
      removedLines(edits).flatMap(({ text, at }) => (isLocalAt(path, at) ? [text.trim()] : [])),
    ),
  )
  const isFromLocal = (text: string, edit: LineEdit, path: string) => {
    if (hasLocalEvidence || removedLocalTexts.has(text.trim())) return true
    const removed = removedLines([edit]).filter((one) => hasContent(one.text))
    // The link that replaces a moved section is local only if the whole section was.
    const quantifier = change.rule === 'large' ? 'every' : 'some'
    return removed.length > 0 && removed[quantifier](({ at }) => isLocalAt(path, at))
  }
  const files: T[] = []
  for (const file of change.files) {
    const text = textOf(file.path)
    const edits =
      text === undefined
        ? markNewFile(file, hasLocalEvidence, isFromLocal, localOf)
        : markExistingFile(file, text, isFromLocal, context)
    if (!edits) return undefined
    files.push(edits === file.edits ? file : { ...file, edits: [...edits] })
  }
  return files
}

type IsFromLocal = (text: string, edit: LineEdit, path: string) => boolean

function markNewFile(
  { path, edits }: FileEdits,
  isWhole: boolean,
  isFromLocal: IsFromLocal,
  localOf: LocalOf,
): readonly LineEdit[] {
  const [edit, ...more] = edits
  const text = edits.flatMap(({ after }) => after).join('\n')
  if (!edit || localOf(path, text).isWhole) return edits
  const lines = text.split('\n')
  const result = isWhole
    ? withVisibility(text, true)
    : withLocalLines(text, (at) => isFromLocal(lines[at] ?? '', edit, path))
  return result === text
    ? edits
    : [{ ...edit, after: result.split('\n') }, ...more.map((one) => ({ ...one, after: [] }))]
}

interface ResultLine {
  readonly text: string
  /** 0-based line before the edits; or the edit that writes it, and the line within that edit. */
  readonly origin: number | { readonly edit: LineEdit; readonly at: number }
}

function markExistingFile(
  { path, edits: plannedEdits }: FileEdits,
  text: string,
  isFromLocal: IsFromLocal,
  { localOf, others = () => [] }: LocalContext,
): readonly LineEdit[] | undefined {
  const visibilityBefore = localOf(path, text)
  const { lines } = new TextLines(text)
  const edits =
    visibilityBefore.isWhole || visibilityBefore.lines.size === 0
      ? plannedEdits
      : plannedEdits.map((edit) => keepEmptyHeading(edit, lines))
  const accepted = others(path)
  const result = resultLines(lines, [...accepted, ...edits])
  const after = result.map((one) => one.text).join('\n')
  if (localOf(path, after).isWhole || !hasContent(after)) return edits
  // The edit removes the front matter that made the note local.
  if (visibilityBefore.isWhole) return [{ line: 1, before: [], after: ['---', localFrontMatter, '---', ''] }, ...edits]
  const acceptedLocalLines = localLinesByEdit(resultLines(lines, accepted), (one) => localOf(path, one))
  const shouldBeLocal = ({ text: line, origin }: ResultLine) => {
    if (typeof origin === 'number') return visibilityBefore.lines.has(origin)
    return edits.includes(origin.edit)
      ? isFromLocal(line, origin.edit, path)
      : acceptedLocalLines.get(origin.edit)?.has(origin.at)
  }
  const missing = linesNeedingMark(after, (at) => result[at] !== undefined && shouldBeLocal(result[at]) === true)
  // A carriage return inside a line hides which lines a mark covers: the proposal is skipped.
  if (!missing) return undefined
  if (missing.length === 0) return edits
  const changed = new Map(edits.map((edit) => [edit, { ...edit, after: [...edit.after] }]))
  const added: LineEdit[] = []
  for (const place of missing) {
    const one = result[place]
    if (one === undefined) continue
    if (typeof one.origin === 'number')
      added.push({ line: one.origin + 1, before: [one.text], after: [withMark(one.text)] })
    else {
      const changedEdit = changed.get(one.origin.edit)
      if (!changedEdit) return undefined
      changedEdit.after[one.origin.at] = withMark(one.text)
    }
  }
  return [...changed.values(), ...added]
}

/** A removed heading stays as an empty heading if its mark makes other lines local. */
function keepEmptyHeading(edit: LineEdit, lines: readonly string[]): LineEdit {
  if (edit.before.length !== 1 || edit.after.length > 0 || !edit.before[0]?.includes('#')) return edit
  const emptied = emptiedHeading(blocksOf(lines), edit.line - 1, () => true)
  return emptied === undefined ? edit : { ...edit, after: [emptied] }
}

function resultLines(lines: readonly string[], edits: readonly LineEdit[]): ResultLine[] {
  const placed = edits.map((edit) => {
    const { from, to, added } = minimalEdit(edit)
    const start = from - (edit.line - 1)
    return { from, to, added: added.map((text, at): ResultLine => ({ text, origin: { edit, at: start + at } })) }
  })
  const result: ResultLine[] = []
  let at = 0
  const copyUntil = (to: number) => {
    for (; at < to; at += 1) result.push({ text: lines[at] ?? '', origin: at })
  }
  for (const { from, to, added } of sortEdits(placed)) {
    copyUntil(from)
    result.push(...added)
    at = Math.max(at, to)
  }
  copyUntil(lines.length)
  return result
}

/** Returns the local lines that each edit writes, 0-based within the edit. */
function localLinesByEdit(
  result: readonly ResultLine[],
  localOf: (text: string) => NoteVisibility,
): Map<LineEdit, Set<number>> {
  const visibility = localOf(result.map(({ text }) => text).join('\n'))
  const local = new Map<LineEdit, Set<number>>()
  for (const [line, { origin }] of result.entries()) {
    if (typeof origin === 'number' || !isLocal(visibility, line)) continue
    local.set(origin.edit, (local.get(origin.edit) ?? new Set()).add(origin.at))
  }
  return local
}

/** Lines that the edits remove, 0-based. */
function removedLines(edits: readonly LineEdit[]): { readonly text: string; readonly at: number }[] {
  return edits.flatMap((edit) => {
    const { from, to } = minimalEdit(edit)
    return edit.before.slice(from + 1 - edit.line, to + 1 - edit.line).map((text, by) => ({ text, at: from + by }))
  })
}

function isLocal({ isWhole, lines }: NoteVisibility, line: number): boolean {
  return isWhole || lines.has(line)
}
