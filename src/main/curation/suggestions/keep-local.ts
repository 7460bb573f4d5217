import type { LineEdit, Proposal } from '#shared/contract/index.ts'
import { blocksOf } from '#shared/markdown/visibility-blocks.ts'
import { hasContent, withVisibility } from '#shared/markdown/visibility-edit.ts'
import { emptiedHeading, linesNeedingMark, withLocalLines, withMark } from '#shared/markdown/visibility-marks.ts'
import { localMatter, type NoteVisibility } from '#shared/markdown/visibility.ts'
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
  around: LocalContext,
): T[] | undefined {
  const { textOf, localOf } = around
  const isLocalAt = (path: string, line: number) => {
    const text = textOf(path)
    return text !== undefined && isLocal(localOf(path, text), line)
  }
  const isOfLocal =
    !locatingRules.has(change.rule) && change.evidence.some(({ path, line }) => isLocalAt(path, line - 1))
  const gone = new Set(
    change.files.flatMap(({ path, edits }) =>
      removedBy(edits).flatMap(({ text, at }) => (isLocalAt(path, at) ? [text.trim()] : [])),
    ),
  )
  const isMade = (text: string, edit: LineEdit, path: string) => {
    if (isOfLocal || gone.has(text.trim())) return true
    const removed = removedBy([edit]).filter((one) => hasContent(one.text))
    // The link that replaces a moved section is local only if the whole section was.
    const isEnough = change.rule === 'large' ? 'every' : 'some'
    return removed.length > 0 && removed[isEnough](({ at }) => isLocalAt(path, at))
  }
  const files: T[] = []
  for (const file of change.files) {
    const text = textOf(file.path)
    const edits = text === undefined ? inNew(file, isOfLocal, isMade, localOf) : inKnown(file, text, isMade, around)
    if (!edits) return undefined
    files.push(edits === file.edits ? file : { ...file, edits: [...edits] })
  }
  return files
}

type IsMade = (text: string, edit: LineEdit, path: string) => boolean

function inNew({ path, edits }: FileEdits, isWhole: boolean, isMade: IsMade, localOf: LocalOf): readonly LineEdit[] {
  const [edit, ...more] = edits
  const text = edits.flatMap(({ after }) => after).join('\n')
  if (!edit || localOf(path, text).isWhole) return edits
  const lines = text.split('\n')
  const made = isWhole ? withVisibility(text, true) : withLocalLines(text, (at) => isMade(lines[at] ?? '', edit, path))
  return made === text ? edits : [{ ...edit, after: made.split('\n') }, ...more.map((one) => ({ ...one, after: [] }))]
}

interface Made {
  readonly text: string
  /** 0-based line before the edits; or the edit that writes it, and the line within that edit. */
  readonly from: number | { readonly edit: LineEdit; readonly at: number }
}

function inKnown(
  { path, edits: asked }: FileEdits,
  text: string,
  isMade: IsMade,
  { localOf, others = () => [] }: LocalContext,
): readonly LineEdit[] | undefined {
  const was = localOf(path, text)
  const { lines } = new TextLines(text)
  const edits = was.isWhole || was.lines.size === 0 ? asked : asked.map((edit) => withEmptied(edit, lines))
  const accepted = others(path)
  const made = madeOf(lines, [...accepted, ...edits])
  const after = made.map((one) => one.text).join('\n')
  if (localOf(path, after).isWhole || !hasContent(after)) return edits
  // The edit removes the front matter that made the note local.
  if (was.isWhole) return [{ line: 1, before: [], after: ['---', localMatter, '---', ''] }, ...edits]
  const localOfAccepted = localMade(madeOf(lines, accepted), (one) => localOf(path, one))
  const isWanted = ({ text: line, from }: Made) => {
    if (typeof from === 'number') return was.lines.has(from)
    return edits.includes(from.edit) ? isMade(line, from.edit, path) : localOfAccepted.get(from.edit)?.has(from.at)
  }
  const missing = linesNeedingMark(after, (at) => made[at] !== undefined && isWanted(made[at]) === true)
  if (missing?.length === 0) return edits
  const changed = new Map(edits.map((edit) => [edit, { ...edit, after: [...edit.after] }]))
  const added: LineEdit[] = []
  for (const place of missing ?? []) {
    const one = made[place]
    if (one === undefined) continue
    if (typeof one.from === 'number')
      added.push({ line: one.from + 1, before: [one.text], after: [withMark(one.text)] })
    else {
      const own = changed.get(one.from.edit)
      if (!own) return undefined
      own.after[one.from.at] = withMark(one.text)
    }
  }
  return [...changed.values(), ...added]
}

/** A removed heading stays as an empty heading if its mark makes other lines local. */
function withEmptied(edit: LineEdit, lines: readonly string[]): LineEdit {
  if (edit.before.length !== 1 || edit.after.length > 0 || !edit.before[0]?.includes('#')) return edit
  const emptied = emptiedHeading(blocksOf(lines), edit.line - 1, () => true)
  return emptied === undefined ? edit : { ...edit, after: [emptied] }
}

function madeOf(lines: readonly string[], edits: readonly LineEdit[]): Made[] {
  const placed = edits.map((edit) => {
    const { from, to, added } = minimalEdit(edit)
    const start = from - (edit.line - 1)
    return { from, to, added: added.map((text, at): Made => ({ text, from: { edit, at: start + at } })) }
  })
  const made: Made[] = []
  let at = 0
  const keep = (to: number) => {
    for (; at < to; at += 1) made.push({ text: lines[at] ?? '', from: at })
  }
  for (const { from, to, added } of sortEdits(placed)) {
    keep(from)
    made.push(...added)
    at = Math.max(at, to)
  }
  keep(lines.length)
  return made
}

/** Returns the local lines that each edit writes, 0-based within the edit. */
function localMade(made: readonly Made[], localOf: (text: string) => NoteVisibility): Map<LineEdit, Set<number>> {
  const visibility = localOf(made.map(({ text }) => text).join('\n'))
  const local = new Map<LineEdit, Set<number>>()
  for (const [line, { from }] of made.entries()) {
    if (typeof from === 'number' || !isLocal(visibility, line)) continue
    local.set(from.edit, (local.get(from.edit) ?? new Set()).add(from.at))
  }
  return local
}

/** Lines that the edits remove, 0-based. */
function removedBy(edits: readonly LineEdit[]): { readonly text: string; readonly at: number }[] {
  return edits.flatMap((edit) => {
    const { from, to } = minimalEdit(edit)
    return edit.before.slice(from + 1 - edit.line, to + 1 - edit.line).map((text, by) => ({ text, at: from + by }))
  })
}

function isLocal({ isWhole, lines }: NoteVisibility, line: number): boolean {
  return isWhole || lines.has(line)
}
