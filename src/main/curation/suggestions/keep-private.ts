import type { LineEdit, Proposal } from '#shared/contract/index.ts'
import { hasContent, linesWithMarks, withVisibility } from '#shared/markdown/visibility-edit.ts'
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

/** Tells which lines of a change contain private text. */
interface PrivateSources {
  /** True if the evidence is private: all that the change writes then is, too. */
  readonly isEvidence: boolean
  /** True if an edit may copy text of the lines that it removes. */
  readonly areRemovedLines: boolean
  /** Private lines of the changed files, trimmed. */
  readonly texts: ReadonlySet<string>
}

/**
 * Adds privacy marks to edits whose text comes from private lines, and to private lines that would lose their mark.
 * @returns the edits with marks; undefined if a mark belongs on a line that one of `acceptedEdits` writes
 */
export function withPrivateMarks<T extends FileEdits>(
  { rule, evidence, files }: Change & { files: readonly T[] },
  context: PrivacyContext,
): T[] | undefined {
  const { textOf, privacyOf } = context
  const isPrivateEvidence = ({ path, line }: Change['evidence'][number]) => {
    const text = textOf(path)
    return text !== undefined && isPrivate(privacyOf(path, text), line - 1)
  }
  const sources = {
    isEvidence: !locatingRules.has(rule) && evidence.some(isPrivateEvidence),
    // The link that replaces a large section has no text of it.
    areRemovedLines: rule !== 'large',
    texts: new Set(files.flatMap(({ path }) => privateTextsOf(path, context))),
  }
  const markedFiles: T[] = []
  for (const file of files) {
    const edits = markFile(file, sources, context)
    if (!edits) return undefined
    markedFiles.push({ ...file, edits })
  }
  return markedFiles
}

interface ResultLine {
  readonly text: string
  /** Undefined for a line that stays. */
  readonly edit?: LineEdit
  /** 0-based line within the text of the edit; without an edit, within the file before all edits. */
  readonly at: number
}

function markFile(
  { path, edits }: FileEdits,
  { isEvidence, areRemovedLines, texts }: PrivateSources,
  { textOf, privacyOf, acceptedEdits = () => [] }: PrivacyContext,
): readonly LineEdit[] | undefined {
  const text = textOf(path)
  const { isFullyPrivate, privateLines } = privacyOf(path, text ?? '')
  const result = resultLines(text, [...acceptedEdits(path), ...edits])
  const after = result.map((line) => line.text).join('\n')
  if (privacyOf(path, after).isFullyPrivate || !hasContent(after)) return edits
  if (text === undefined && isEvidence) return [{ line: 1, before: [], after: withVisibility(after, true).split('\n') }]
  // The edit removes the front matter that made the note private.
  if (isFullyPrivate) return [{ line: 1, before: [], after: ['---', privateFrontMatter, '---', ''] }, ...edits]
  const removesPrivate = (edit: LineEdit) => {
    const { from, to } = minimalEdit(edit)
    return [...privateLines].some((line) => from <= line && line < to)
  }
  const privateEdits = new Set(edits.filter((edit) => isEvidence || (areRemovedLines && removesPrivate(edit))))
  const shouldBePrivate = result.map(({ text: line, edit, at }) =>
    edit ? privateEdits.has(edit) || texts.has(line.trim()) : privateLines.has(at),
  )
  const marked = linesWithMarks(after, (index) => shouldBePrivate[index] === true)
  // A carriage return inside a line makes it unclear which lines a mark covers: the proposal is skipped.
  if (!marked) return undefined
  const writtenLines = new Map(edits.map((edit) => [edit, [...edit.after]]))
  const addedEdits: LineEdit[] = []
  for (const [index, { text: line, edit, at }] of result.entries()) {
    const markedText = marked.get(index)
    if (markedText === undefined) continue
    const written = edit && writtenLines.get(edit)
    if (written) written[at] = markedText
    else if (edit) return undefined
    else addedEdits.push({ line: at + 1, before: [line], after: markedText.split('\n') })
  }
  const splitLines = (lines: readonly string[]) => lines.flatMap((line) => line.split('\n'))
  return [...edits.map((edit) => ({ ...edit, after: splitLines(writtenLines.get(edit) ?? []) })), ...addedEdits]
}

/** Returns the private lines of a file, now and after `acceptedEdits`. */
function privateTextsOf(path: string, { textOf, privacyOf, acceptedEdits = () => [] }: PrivacyContext): string[] {
  return [[], acceptedEdits(path)].flatMap((edits) => {
    const lines = resultLines(textOf(path), edits).map(({ text }) => text)
    const visibility = privacyOf(path, lines.join('\n'))
    return lines.filter((_, index) => isPrivate(visibility, index)).map((line) => line.trim())
  })
}

function resultLines(text: string | undefined, edits: readonly LineEdit[]): ResultLine[] {
  const lines = text === undefined ? [] : new TextLines(text).lines
  const result: ResultLine[] = lines.map((line, at) => ({ text: line, at }))
  const placed = edits.map((edit) => ({ edit, ...minimalEdit(edit) }))
  for (const { edit, from, to, added } of sortEdits(placed).reverse()) {
    const start = from + 1 - edit.line
    result.splice(from, to - from, ...added.map((line, index) => ({ text: line, edit, at: start + index })))
  }
  return result
}

function isPrivate({ isFullyPrivate, privateLines }: NoteVisibility, line: number): boolean {
  return isFullyPrivate || privateLines.has(line)
}
