import type { LineEdit, Proposal } from '#shared/contract/index.ts'
import {
  emptiedHeading,
  hasContent,
  linesWithMarks,
  withPrivateLines,
  withVisibility,
} from '#shared/markdown/visibility-edit.ts'
import { entriesOf } from '#shared/markdown/visibility-entries.ts'
import { privateFrontMatter, type NoteVisibility } from '#shared/markdown/visibility.ts'
import { minimalEdit, sortEdits, TextLines } from './line-edits.ts'

/** Returns the private lines of a text, by its marks and the privacy rules for `path` (workspace-relative). */
export type PrivacyOf = (path: string, text: string) => NoteVisibility

interface Change {
  readonly rule: Proposal['rule']
  readonly evidence: readonly Proposal['evidence'][number][]
  readonly files: readonly FileEdits[]
}

interface FileEdits {
  readonly path: string
  readonly edits: readonly LineEdit[]
}

export interface PrivacyContext {
  /** Returns undefined for a missing file. */
  readonly textOf: (path: string) => string | undefined
  readonly privacyOf: PrivacyOf
  /** Returns the edits of the proposals accepted together with this one. */
  readonly acceptedEdits?: (path: string) => readonly LineEdit[]
}

/** Rules whose evidence only locates a change; its text does not go into the written lines. */
const locatingRules: ReadonlySet<Proposal['rule']> = new Set(['outside', 'broken'])

/**
 * Adds privacy marks to edits whose text comes from private lines.
 * @returns the edits with marks; undefined if a mark belongs on a line that one of `acceptedEdits` writes
 */
export function withPrivateMarks<T extends FileEdits>(
  change: Change & { files: readonly T[] },
  context: PrivacyContext,
): T[] | undefined {
  const { textOf, privacyOf } = context
  const isPrivateAt = (path: string, line: number) => {
    const text = textOf(path)
    return text !== undefined && isPrivate(privacyOf(path, text), line)
  }
  const hasPrivateEvidence =
    !locatingRules.has(change.rule) && change.evidence.some(({ path, line }) => isPrivateAt(path, line - 1))
  const removedPrivateTexts = new Set(
    change.files.flatMap(({ path, edits }) =>
      removedLines(edits).flatMap(({ text, at }) => (isPrivateAt(path, at) ? [text.trim()] : [])),
    ),
  )
  const isFromPrivate = (text: string, edit: LineEdit, path: string) => {
    if (hasPrivateEvidence || removedPrivateTexts.has(text.trim())) return true
    const removed = removedLines([edit]).filter((line) => hasContent(line.text))
    const isPrivateLine = ({ at }: { readonly at: number }) => isPrivateAt(path, at)
    // The link that replaces a moved section is private only if the whole section was.
    return change.rule === 'large' ? removed.length > 0 && removed.every(isPrivateLine) : removed.some(isPrivateLine)
  }
  const files: T[] = []
  for (const file of change.files) {
    const text = textOf(file.path)
    const edits =
      text === undefined
        ? markNewFile(file, hasPrivateEvidence, isFromPrivate, privacyOf)
        : markExistingFile(file, text, isFromPrivate, context)
    if (!edits) return undefined
    files.push(edits === file.edits ? file : { ...file, edits: [...edits] })
  }
  return files
}

type IsFromPrivate = (text: string, edit: LineEdit, path: string) => boolean

function markNewFile(
  { path, edits }: FileEdits,
  marksWholeFile: boolean,
  isFromPrivate: IsFromPrivate,
  privacyOf: PrivacyOf,
): readonly LineEdit[] {
  const [edit, ...otherEdits] = edits
  const text = edits.flatMap(({ after }) => after).join('\n')
  if (!edit || privacyOf(path, text).isFullyPrivate) return edits
  const lines = text.split('\n')
  const result = marksWholeFile
    ? withVisibility(text, true)
    : withPrivateLines(text, (index) => isFromPrivate(lines[index] ?? '', edit, path))
  return result === text
    ? edits
    : [{ ...edit, after: result.split('\n') }, ...otherEdits.map((other) => ({ ...other, after: [] }))]
}

interface ResultLine {
  readonly text: string
  /** 0-based line before the edits; or the edit that writes it, and the line within that edit. */
  readonly origin: number | { readonly edit: LineEdit; readonly at: number }
}

function markExistingFile(
  { path, edits: plannedEdits }: FileEdits,
  text: string,
  isFromPrivate: IsFromPrivate,
  { privacyOf, acceptedEdits = () => [] }: PrivacyContext,
): readonly LineEdit[] | undefined {
  const visibilityBefore = privacyOf(path, text)
  const { lines } = new TextLines(text)
  const edits =
    visibilityBefore.isFullyPrivate || visibilityBefore.privateLines.size === 0
      ? plannedEdits
      : plannedEdits.map((edit) => keepEmptyHeading(edit, lines))
  const accepted = acceptedEdits(path)
  const result = resultLines(lines, [...accepted, ...edits])
  const after = result.map((line) => line.text).join('\n')
  if (privacyOf(path, after).isFullyPrivate || !hasContent(after)) return edits
  // The edit removes the front matter that made the note local.
  if (visibilityBefore.isFullyPrivate)
    return [{ line: 1, before: [], after: ['---', privateFrontMatter, '---', ''] }, ...edits]
  const acceptedPrivateLines = privateLinesByEdit(resultLines(lines, accepted), (newText) => privacyOf(path, newText))
  const shouldBePrivate = ({ text: line, origin }: ResultLine) => {
    if (typeof origin === 'number') return visibilityBefore.privateLines.has(origin)
    return edits.includes(origin.edit)
      ? isFromPrivate(line, origin.edit, path)
      : acceptedPrivateLines.get(origin.edit)?.has(origin.at)
  }
  const marked = linesWithMarks(after, (line) => result[line] !== undefined && shouldBePrivate(result[line]) === true)
  // A carriage return inside a line makes it unclear which lines a mark covers: the proposal is skipped.
  if (!marked) return undefined
  if (marked.size === 0) return edits
  const markedEdits = new Map(edits.map((edit) => [edit, { ...edit, after: edit.after.map((line) => [line]) }]))
  const addedEdits: LineEdit[] = []
  for (const [index, markedText] of marked) {
    const line = result[index]
    if (line === undefined) continue
    const markedLines = markedText.split('\n')
    if (typeof line.origin === 'number')
      addedEdits.push({ line: line.origin + 1, before: [line.text], after: markedLines })
    else {
      const markedEdit = markedEdits.get(line.origin.edit)
      if (!markedEdit) return undefined
      markedEdit.after[line.origin.at] = markedLines
    }
  }
  return [...[...markedEdits.values()].map((edit) => ({ ...edit, after: edit.after.flat() })), ...addedEdits]
}

/** A removed heading stays as an empty heading if its mark makes other lines local. */
function keepEmptyHeading(edit: LineEdit, lines: readonly string[]): LineEdit {
  if (edit.before.length !== 1 || edit.after.length > 0 || !edit.before[0]?.includes('#')) return edit
  const emptied = emptiedHeading(entriesOf(lines), edit.line - 1, () => true)
  return emptied === undefined ? edit : { ...edit, after: [emptied] }
}

function resultLines(lines: readonly string[], edits: readonly LineEdit[]): ResultLine[] {
  const placed = edits.map((edit) => {
    const { from, to, added } = minimalEdit(edit)
    const start = from - (edit.line - 1)
    return { from, to, added: added.map((text, index): ResultLine => ({ text, origin: { edit, at: start + index } })) }
  })
  const result: ResultLine[] = []
  let position = 0
  const copyUntil = (to: number) => {
    for (; position < to; position += 1) result.push({ text: lines[position] ?? '', origin: position })
  }
  for (const { from, to, added } of sortEdits(placed)) {
    copyUntil(from)
    result.push(...added)
    position = Math.max(position, to)
  }
  copyUntil(lines.length)
  return result
}

/** Returns the private lines that each edit writes, 0-based within the edit. */
function privateLinesByEdit(
  result: readonly ResultLine[],
  privacyOf: (text: string) => NoteVisibility,
): Map<LineEdit, Set<number>> {
  const visibility = privacyOf(result.map(({ text }) => text).join('\n'))
  const local = new Map<LineEdit, Set<number>>()
  for (const [line, { origin }] of result.entries()) {
    if (typeof origin === 'number' || !isPrivate(visibility, line)) continue
    local.set(origin.edit, (local.get(origin.edit) ?? new Set()).add(origin.at))
  }
  return local
}

/** Returns the lines that the edits remove; `at` is 0-based. */
function removedLines(edits: readonly LineEdit[]): { readonly text: string; readonly at: number }[] {
  return edits.flatMap((edit) => {
    const { from, to } = minimalEdit(edit)
    const start = from + 1 - edit.line
    return edit.before.slice(start, start + to - from).map((text, offset) => ({ text, at: from + offset }))
  })
}

function isPrivate({ isFullyPrivate, privateLines }: NoteVisibility, line: number): boolean {
  return isFullyPrivate || privateLines.has(line)
}
