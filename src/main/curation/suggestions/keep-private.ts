import type { Evidence, LineEdit, Proposal } from '#shared/contract/index.ts'
import { hasContent, linesWithMarks, withVisibility } from '#shared/markdown/visibility-edit.ts'
import { privateFrontMatter, privateLinesOf, type NoteVisibility } from '#shared/markdown/visibility.ts'
import { minimalEdit, sortEdits, TextLines } from './line-edits.ts'

/** Returns the private lines of a text, by its marks and the privacy rules for `path` (workspace-relative). */
export type PrivacyOf = (path: string, text: string) => NoteVisibility

interface Change<T extends FileEdits> extends Pick<Proposal, 'rule'> {
  readonly evidence: readonly Evidence[]
  readonly files: readonly T[]
}

interface FileEdits {
  readonly path: string
  readonly edits: readonly LineEdit[]
}

interface PrivacyContext {
  /** Returns undefined for a missing file. */
  readonly textOf: (path: string) => string | undefined
  readonly privacyOf: PrivacyOf
  /** Returns the edits of the proposals accepted together with this one. */
  readonly acceptedEdits?: (path: string) => readonly LineEdit[]
}

/**
 * Adds privacy marks to edits whose text comes from private lines, and to private lines that would lose their mark.
 * @returns the edits with marks; undefined if a mark belongs on a line that one of `acceptedEdits` writes
 */
export function withPrivateMarks<T extends FileEdits>(
  { rule, evidence, files }: Change<T>,
  context: PrivacyContext,
): T[] | undefined {
  const { textOf, privacyOf } = context
  const isPrivateEvidence = ({ path, line }: Evidence) => {
    const { isFullyPrivate, privateLines } = privacyOf(path, textOf(path) ?? '')
    return isFullyPrivate || privateLines.has(line - 1)
  }
  // The evidence of some rules only locates a change; its text does not go into the written lines.
  const isEvidence = rule !== 'outside' && rule !== 'broken' && evidence.some(isPrivateEvidence)
  const texts = new Set(files.flatMap(({ path }) => privateTextsOf(path, context)))
  const markedFiles = files.flatMap((file) => {
    const edits = markFile(file, rule, isEvidence, texts, context)
    return edits ? [{ ...file, edits }] : []
  })
  return markedFiles.length === files.length ? markedFiles : undefined
}

/**
 * @param isEvidence true if the evidence is private: all that the change writes then is, too
 * @param texts private lines of the changed files, trimmed
 */
function markFile(
  { path, edits }: FileEdits,
  rule: Proposal['rule'],
  isEvidence: boolean,
  texts: ReadonlySet<string>,
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
  const isPrivateEdit = (edit: LineEdit) => {
    const { from, to } = minimalEdit(edit)
    // The link that replaces a large section has no text of it.
    return isEvidence || (rule !== 'large' && [...privateLines].some((line) => from <= line && line < to))
  }
  const privateEdits = new Set(edits.filter(isPrivateEdit))
  const marked = linesWithMarks(after, (index, line) => {
    const { edit, at = 0 } = result[index] ?? {}
    return edit ? privateEdits.has(edit) || texts.has(line.trim()) : privateLines.has(at)
  })
  // A carriage return inside a line makes it unclear which lines a mark covers: the proposal is skipped.
  if (!marked) return undefined
  const newLines = new Map(edits.map((edit) => [edit, edit.after.map((line) => [line])]))
  const addedEdits: LineEdit[] = []
  for (const [index, { text: line, edit, at }] of result.entries()) {
    const markedLines = marked.get(index)?.split('\n')
    if (!markedLines) continue
    const written = edit && newLines.get(edit)
    if (written) written[at] = markedLines
    else if (edit) return undefined
    else addedEdits.push({ line: at + 1, before: [line], after: markedLines })
  }
  return [...edits.map((edit) => ({ ...edit, after: newLines.get(edit)?.flat() ?? [] })), ...addedEdits]
}

/** Returns the private lines of a file, now and after `acceptedEdits`, trimmed. */
function privateTextsOf(path: string, { textOf, privacyOf, acceptedEdits = () => [] }: PrivacyContext): string[] {
  return [[], acceptedEdits(path)].flatMap((edits) => {
    const text = resultLines(textOf(path), edits)
      .map((line) => line.text)
      .join('\n')
    return privateLinesOf(text, privacyOf(path, text)).map((line) => line.trim())
  })
}

interface ResultLine {
  readonly text: string
  /** Undefined for a line that stays. */
  readonly edit?: LineEdit
  /** 0-based line within the text of the edit; without an edit, within the file before all edits. */
  readonly at: number
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
