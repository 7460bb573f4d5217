import type { LineEdit, Evidence, Suggestion } from '#shared/contract/index.ts'
import { commonEnds, formatHunks } from '#platform'
import { hasContent, linesWithMarks, withVisibility } from '#shared/markdown/visibility-edit.ts'
import { privateFrontMatter, privateLinesOf, type NoteVisibility } from '#shared/markdown/visibility.ts'

export class TextLines {
  readonly lines: readonly string[]
  readonly #raw: readonly string[]

  constructor(text: string) {
    this.#raw = text.split('\n')
    this.lines = this.#raw.map((line) => line.replace(/\r$/, ''))
  }

  /** Finds consecutive lines nearest to `line` (1-based). If `searched` is empty: `line`, up to one after the end. */
  find(searched: readonly string[], line: number): number | undefined {
    if (searched.length === 0) return line <= this.lines.length + 1 ? line : undefined
    return this.#nearest(line, (start) => searched.every((text, offset) => this.lines[start + offset] === text))
  }

  /** Finds the nearest line to `line` (1-based) by its trimmed text, or the beginning of that. */
  findTrimmed(start: string, line: number, isWhole: boolean): number | undefined {
    return this.#nearest(line, (index) => {
      const text = this.lines[index]?.trim() ?? ''
      return isWhole ? text === start : text.startsWith(start)
    })
  }

  /** @param isMatch receives 0-based lines */
  #nearest(line: number, isMatch: (index: number) => boolean): number | undefined {
    const found = [...this.lines.keys()].filter(isMatch).map((index) => index + 1)
    return found.sort((one, other) => Math.abs(one - line) - Math.abs(other - line))[0]
  }

  /** Applies edits to the text. They must fit its lines and not overlap. Line ends stay. */
  apply(edits: readonly LineEdit[]): string {
    const lines = [...this.#raw]
    const eol = this.#raw.some((line) => line.endsWith('\r')) ? '\r' : ''
    for (const { from, to, added } of sortEdits(edits.map(minimalEdit)).reverse()) {
      const newLines = added.map((line) => line + eol)
      // A last line without a line end gets one before added lines.
      const last = lines[from - 1]
      if (from === lines.length && newLines.length > 0 && last?.endsWith(eol) === false) lines[from - 1] = last + eol
      lines.splice(from, to - from, ...newLines)
    }
    // The new last line has no line end if the old one had none.
    const last = lines.at(-1)
    if (last?.endsWith('\r') && !this.#raw.at(-1)?.endsWith('\r')) lines[lines.length - 1] = last.slice(0, -1)
    return lines.join('\n')
  }

  /** Returns the edits as a patch. They must fit the lines and not overlap. */
  patch(path: string, edits: readonly LineEdit[]): string {
    const newLines = [...this.lines]
    let shift = 0
    const ordered = sortEdits(edits.map(minimalEdit)).map(({ from, to, added }) => {
      const newFrom = from + shift
      newLines.splice(newFrom, to - from, ...added)
      shift += added.length - (to - from)
      return { from, to, newFrom, newTo: newFrom + added.length }
    })
    const withBreaks = (lines: readonly string[]) => lines.map((line) => `${line}\n`)
    return `--- ${path}\n+++ ${path}\n${formatHunks(ordered, withBreaks(this.lines), withBreaks(newLines))}`
  }
}

/** Strips the unchanged lines at both ends of an edit. The result replaces the lines `from` to `to` (exclusive), 0-based. */
export function minimalEdit({ line, before, after }: LineEdit) {
  const { start, end } = commonEnds(before, after)
  return { from: line - 1 + start, to: line - 1 + before.length - end, added: after.slice(start, after.length - end) }
}

/** Sorts by place. Insertions come before a replacement at the same place. */
function sortEdits<T extends { readonly from: number; readonly to: number }>(edits: readonly T[]): T[] {
  return edits.toSorted(
    (one, other) => one.from - other.from || Number(one.from < one.to) - Number(other.from < other.to),
  )
}

/** An insertion at an edge of the other edit does not overlap it. */
export function editsOverlap(one: LineEdit, other: LineEdit): boolean {
  const [a, b] = [minimalEdit(one), minimalEdit(other)]
  return a.from < b.to && b.from < a.to
}

/** By the marks of the text and the privacy rules for `path` (workspace-relative). */
export type PrivacyOf = (path: string, text: string) => NoteVisibility

interface FileEdits {
  readonly path: string
  readonly edits: readonly LineEdit[]
}

interface PrivacyContext {
  /** Returns undefined for a missing file. */
  readonly textOf: (path: string) => string | undefined
  readonly privacyOf: PrivacyOf
  readonly acceptedEdits?: (path: string) => readonly LineEdit[]
}

/**
 * Adds privacy marks to edits whose text comes from private lines, and to private lines that would lose their mark.
 * @returns the edits with marks; undefined if a mark belongs on a line that one of `acceptedEdits` writes
 */
export function withPrivateMarks<T extends FileEdits>(
  { rule, evidence, files }: Pick<Suggestion, 'rule'> & { evidence: readonly Evidence[]; files: readonly T[] },
  context: PrivacyContext,
): T[] | undefined {
  const isPrivateEvidence = ({ path, line }: Evidence) => {
    const { isFullyPrivate, privateLines } = context.privacyOf(path, context.textOf(path) ?? '')
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

/** @param isEvidence the evidence is private, and so is all that the change writes @param texts private lines */
function markFile(
  { path, edits }: FileEdits,
  rule: Suggestion['rule'],
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
