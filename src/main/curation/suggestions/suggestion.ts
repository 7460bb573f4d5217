import { hash as hashOf, randomUUID } from 'node:crypto'
import type { Evidence, LineEdit, Suggestion, SuggestedFile } from '#shared/contract/index.ts'
import { scanBlocks } from '#shared/markdown/blocks/scan-blocks.ts'
import { quoteOf, strikeThrough } from '#shared/markdown/superseded.ts'
import { visibilityOf } from '#shared/markdown/visibility.ts'
import { AppError, onAppError } from '#shared/util/errors.ts'
import { hashText, type Workspace } from '#workspace'
import { withPrivateMarks, type PrivacyOf, minimalEdit, TextLines } from './line-edits.ts'

/** UTF-16 code units; longer lines are truncated. */
const maxEvidence = 1000

export interface Finding {
  readonly rule: Suggestion['rule']
  readonly evidence: readonly Evidence[]
  /** Edits must fit the lines of existing files; those of a new file start at line 1 and replace nothing. */
  readonly files: readonly { readonly path: string; readonly edits: readonly LineEdit[] }[]
  readonly detail?: Suggestion['detail']
  readonly reason?: string | undefined
}

type HashedText = Awaited<ReturnType<Workspace['read']>>
export type LoadedNote = HashedText & { readonly lines: TextLines }

/** Reads a note; undefined if it does not exist. @throws AppError as `Workspace.read` */
export async function readNote(workspace: Workspace, path: string): Promise<LoadedNote | undefined> {
  const note = await workspace.read(path).catch(onAppError('file_not_found'))
  return note && { ...note, lines: new TextLines(note.text) }
}

type Places = Pick<Finding, 'files' | 'evidence'>

export function pathsOf({ files, evidence }: Places): string[] {
  return [...files, ...evidence].map(({ path }) => path)
}

/** Reads the notes of `pathsOf`, by path. @throws AppError as `readNote` */
export async function loadNotes(workspace: Workspace, places: readonly Places[]) {
  const notes = new Map<string, LoadedNote | undefined>()
  for (const path of new Set(places.flatMap(pathsOf))) notes.set(path, await readNote(workspace, path))
  return notes
}

/** @param line 1-based */
export function evidenceOf(path: string, line: number, text: string): Evidence {
  return { path, line, text: text.trim().slice(0, maxEvidence).toWellFormed() }
}

export interface Place {
  readonly path: string
  /** 1-based. */
  readonly line: number
  /** The line as in the file. */
  readonly raw: string
}

/** Strikes an old line, with a reference to the new one. @param until `YYYY-MM-DD` */
export function supersedingFinding(
  old: Place,
  { path, line, raw }: Place,
  until: string,
  rule: 'contradiction' | 'supersedes',
): Finding {
  const struckLine = strikeThrough(old.raw, { until, by: { path, line, text: quoteOf(raw) } })
  const finding = lineFinding(rule, old, [struckLine], { day: until })
  return { ...finding, evidence: [...finding.evidence, evidenceOf(path, line, raw)] }
}

/** Replaces one line by `after`; an empty `after` removes it. */
export function lineFinding(
  rule: Suggestion['rule'],
  { path, line, raw }: Place,
  after: string[],
  detail: Suggestion['detail'],
): Finding {
  const edit = { line, before: [raw], after }
  return { rule, evidence: [evidenceOf(path, line, raw)], files: [{ path, edits: [edit] }], detail }
}

/** @param line 1-based; from an empty line or front matter, the next non-empty line counts @throws `edit_no_match` */
export function flagLine(path: string, text: string, line: number, fault: 'wrong' | 'outdated', today: string) {
  const { lines } = new TextLines(text)
  const [firstBlock] = scanBlocks(lines)
  const from = Math.max(line, (firstBlock?.kind === 'frontMatter' ? firstBlock.to : 0) + 1)
  const offset = lines.slice(from - 1).findIndex((one) => one.trim() !== '')
  const flaggedLine = from + offset
  const lineText = lines[flaggedLine - 1]
  if (offset < 0 || lineText === undefined)
    throw new AppError('edit_no_match', `${path} no longer has line ${line}`, { path })
  const after = fault === 'wrong' ? [] : [strikeThrough(lineText, { until: today, by: undefined })]
  return lineFinding(fault, { path, line: flaggedLine, raw: lineText }, after, { day: today })
}

/** @param before undefined for a missing file @param evidence default: the line above the change */
export function untrustedSuggestion(
  { path, before, after }: { readonly path: string; readonly before: string | undefined; readonly after: string },
  sources: readonly string[],
  origin: Pick<Suggestion, 'author' | 'at'>,
  evidence?: readonly Evidence[],
): Suggestion {
  const [oldLines, newLines] = [before?.split(/\r?\n/) ?? [], after.split(/\r?\n/)]
  const { from, to, added } = minimalEdit({ line: 1, before: oldLines, after: newLines })
  // The last non-empty line before an insertion; if that line moves, the insertion moves with it.
  const anchor = oldLines.slice(0, from + 1).findLastIndex((line) => line.trim() !== '')
  const firstLine = from === to && anchor >= 0 && anchor < from ? anchor : from
  const edit: LineEdit = {
    line: firstLine + 1,
    before: oldLines.slice(firstLine, to),
    after: [...oldLines.slice(firstLine, from), ...added],
  }
  const finding: Finding = {
    rule: 'outside',
    evidence: evidence ?? (anchor < 0 ? [] : [evidenceOf(path, anchor + 1, oldLines[anchor] ?? '')]),
    files: [{ path, edits: [edit] }],
    detail: { target: sources.join('; ') },
  }
  const file = before === undefined ? undefined : { text: before, hash: hashText(before) }
  return suggestionOf(finding, origin, () => file)
}

/** @param textOf returns undefined for a missing file @param privacyOf its lines stay private after the change */
export function suggestionOf(
  { rule, evidence, files, detail = {}, reason }: Finding,
  { author, cost, at }: Pick<Suggestion, 'author' | 'at'> & { readonly cost?: Suggestion['cost'] },
  textOf: (path: string) => HashedText | undefined,
  privacyOf: PrivacyOf = (_path, text) => visibilityOf(text),
): Suggestion {
  const context = { textOf: (path: string) => textOf(path)?.text, privacyOf }
  const markedFiles = withPrivateMarks({ rule, evidence, files }, context) ?? files
  return {
    id: randomUUID(),
    rule,
    author,
    ...(cost === undefined ? {} : { cost }),
    at,
    evidence: [...evidence],
    files: markedFiles.map(({ path, edits }) => {
      const { text = '', hash = null } = textOf(path) ?? {}
      return { path, hash, edits: [...edits], patch: new TextLines(text).patch(path, edits) }
    }),
    ...(reason === undefined ? {} : { reason }),
    detail,
    state: 'open',
    stateAt: at,
  }
}

/** Returns a key of rule and line texts without line numbers, so that scans do not add a rejected proposal again. */
export function suggestionKey({ rule, evidence, files }: Pick<Suggestion, 'rule' | 'evidence' | 'files'>): string {
  const family = rule === 'logged' ? 'duplicate' : rule
  // An `outside` proposal is identified by the text that it writes.
  const texts =
    rule === 'outside'
      ? files.flatMap(({ path, edits }) => [path, ...edits.flatMap(editTexts)])
      : evidence.map(({ text }) => text).sort()
  return hashOf('sha256', JSON.stringify([family, texts])).slice(0, 32)
}

/** Returns the removed and added text of an edit without source marks, which contain the day. */
function editTexts(edit: LineEdit): string[] {
  const { from, to, added } = minimalEdit(edit)
  const removed = edit.before.slice(from + 1 - edit.line, to + 1 - edit.line)
  return [...removed, '→', ...added.map((line) => line.replaceAll(/\s*\^\[[^\]\n]*\]/g, ''))]
}

/** @param now milliseconds since the epoch */
export function isOpen({ state, until = 0 }: Pick<Suggestion, 'state' | 'until'>, now: number): boolean {
  return state === 'open' || (state === 'snoozed' && until <= now)
}

/** Updates the line numbers; withdraws a proposal whose lines or evidence are gone. @param file undefined: deleted */
export function updateSuggestion(suggestion: Suggestion, path: string, file: LoadedNote | undefined, now: number) {
  const proposedFile = suggestion.files.find((one) => one.path === path)
  if (proposedFile && proposedFile.hash === (file?.hash ?? null)) return suggestion
  const withdraw = (gone: 'lines' | 'reason'): Suggestion => ({ ...suggestion, state: 'withdrawn', stateAt: now, gone })
  const files: SuggestedFile[] = []
  for (const proposed of suggestion.files) {
    if (proposed.path !== path) files.push(proposed)
    else if (!file || proposed.hash === null) return withdraw('lines')
    else {
      const edits: LineEdit[] = []
      for (const edit of proposed.edits) {
        const line = file.lines.find(edit.before, edit.line)
        if (line === undefined) return withdraw('lines')
        edits.push({ ...edit, line })
      }
      files.push({ path, hash: file.hash, edits, patch: file.lines.patch(path, edits) })
    }
  }
  const evidence: Evidence[] = []
  for (const item of suggestion.evidence) {
    const { text } = item
    const line = item.path === path ? file?.lines.findTrimmed(text, item.line, text.length < maxEvidence) : item.line
    if (line === undefined) return withdraw('reason')
    evidence.push({ ...item, line })
  }
  return { ...suggestion, files, evidence }
}
