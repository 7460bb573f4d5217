import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { BrokenLink, Evidence, MemoryScope, Proposal, UpkeepRule } from '#shared/contract/index.ts'
import { orUndefined } from '#shared/util/errors.ts'
import { loadSimilarityModel } from '../similarity/similarity-model.ts'
import { findReplaced, parseDay } from '#search/text'
import { redactionPlaceholder } from '#shared/markdown/visibility.ts'
import { marksBy, type PrivateRules } from '#workspace/privacy'
import {
  dailyLogDate,
  fileKind,
  isVerbatim,
  localDate,
  type RememberedLines,
  exclusionReason,
  fileIdOf,
  type Layout,
  readText,
  walkMarkdown,
  type FoundFile,
} from '#workspace'
import { evidenceOf, proposalOf, supersedingFinding, type Finding } from './proposal.ts'
import { reviewInputOf, type ReviewInput } from '../review/review-input.ts'
import { findBrokenLinks } from '../rules/broken-link.ts'
import { findStaleReferences } from '../rules/stale-reference.ts'
import { findDuplicateLines, findOriginal } from '../rules/duplicate-lines.ts'
import { findExpired } from '../rules/expired.ts'
import { findLargeSections } from '../rules/large-section.ts'
import { statementsOf, type Note, type Statement } from '../rules/note-line.ts'
import { findPendingNotes } from '../rules/pending-notes.ts'
import { findNeverRetrieved } from '../rules/never-retrieved.ts'

export interface NotesRequest {
  readonly workspace: string
  readonly forbidden: readonly string[]
  readonly scope: MemoryScope
  readonly layout: Layout
}

export interface ScanRequest extends NotesRequest {
  readonly recalls: readonly { readonly at: number; readonly paths: readonly string[] }[]
  readonly broken: readonly BrokenLink[]
  readonly privateRules: PrivateRules
  readonly modelPath: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

type ScanStep =
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'done'; readonly proposals: Proposal[]; readonly rules: UpkeepRule[] }

const filesPerProgressStep = 50
/** Limit of proposals per rule; later scans find the rest. */
const maxPerRule = 2000
/** Limit of compared lines of one saved note: a longer one is a text, not a fact. */
const maxCompared = 3

/** Runs all rules on the notes. @throws the signal's reason if it aborts */
export async function* scanNotes(request: ScanRequest, signal?: AbortSignal): AsyncGenerator<ScanStep> {
  const { recalls, broken, modelPath, now } = request
  const scannedFiles = await filesOf(request, signal)
  const today = parseDay(localDate(new Date(now)))
  const notes: Note[] = []
  // Progress: reading counts half, the rules the other half.
  const total = scannedFiles.length * 2
  for (const [index, file] of scannedFiles.entries()) {
    signal?.throwIfAborted()
    if (index % filesPerProgressStep === 0) yield { type: 'progress', done: index, total }
    const note = await loadNote(request, file)
    if (note) notes.push(note)
  }
  const model = await loadSimilarityModel(modelPath)
  const rules: readonly (readonly [readonly UpkeepRule[], () => Finding[] | Promise<Finding[]>])[] = [
    [['duplicate', 'logged'], () => findDuplicateLines(notes, model)],
    [['expired'], () => findExpired(notes, today)],
    [['large'], () => findLargeSections(notes)],
    [['rescued'], () => findPendingNotes(notes)],
    [['broken'], () => findBrokenLinks(notes, broken)],
    [['drifted'], () => findStaleReferences(notes)],
    [['unrecalled'], () => findNeverRetrieved(notes, recalls, now)],
  ]
  const byPath = new Map(notes.map((note) => [note.path, note]))
  const { of: privacyOf } = marksBy([{ prefix: '', privateRules: request.privateRules }])
  const proposals: Proposal[] = []
  for (const [index, [, find]] of rules.entries()) {
    signal?.throwIfAborted()
    yield {
      type: 'progress',
      done: scannedFiles.length + Math.round((index / rules.length) * scannedFiles.length),
      total,
    }
    await setImmediate()
    for (const finding of (await find()).slice(0, maxPerRule))
      proposals.push(proposalOf(finding, { author: { kind: 'rule' }, at: now }, (path) => byPath.get(path), privacyOf))
  }
  yield { type: 'done', proposals, rules: rules.flatMap(([names]) => names) }
}

export type ReadRequest = NotesRequest & Pick<ScanRequest, 'modelPath' | 'privateRules'>

/** Selects the open lines that a review asks about. */
export async function prepareReviewInput(request: ReadRequest, signal?: AbortSignal): Promise<ReviewInput> {
  const marks = marksBy([{ prefix: '', privateRules: request.privateRules }])
  const notes = (await loadNotes(request, signal)).flatMap((note): Note | [] => {
    const text = marks.openText(note.path, note.text)
    return text === undefined ? [] : { ...note, text: text.replaceAll(redactionPlaceholder, '') }
  })
  return reviewInputOf(notes, request.modelPath)
}

export type SavedLines = Pick<RememberedLines, 'path' | 'startLine' | 'endLine'>

/** The line that a saved note repeats, or replaces as `proposal` suggests. */
export type Comparison = Evidence & { readonly proposal?: Proposal }

/** Compares a note that was just saved with all others. @returns undefined if it states something new */
export async function compareSaved(
  request: ReadRequest & Pick<ScanRequest, 'now'> & { readonly saved: SavedLines },
  signal?: AbortSignal,
): Promise<Comparison | undefined> {
  const { saved: place, now } = request
  const notes = await loadNotes(request, signal)
  const model = await loadSimilarityModel(request.modelPath)
  const statements = notes.filter(({ kind }) => kind !== 'project').flatMap(statementsOf)
  const { in: saved = [], out: others = [] } = Object.groupBy(statements, ({ note, line }) =>
    note.path === place.path && place.startLine <= line && line <= place.endLine ? 'in' : 'out',
  )
  const byPath = new Map(notes.map((note) => [note.path, note]))
  const { of: privacyOf } = marksBy([{ prefix: '', privateRules: request.privateRules }])
  for (const statement of saved.slice(0, maxCompared)) {
    const original = await findOriginal(statement, others, model)
    if (original) return evidenceOf(original.note.path, original.line, original.text)
    const old = findReplaced(statement, others)
    // Below a struck parent, its children would lose their meaning.
    if (!old || old.isParent) continue
    const placeOf = ({ note, ...rest }: Statement) => ({ ...rest, path: note.path })
    const today = localDate(new Date(now))
    const finding = supersedingFinding(placeOf(old), placeOf(statement), today, 'supersedes')
    const proposal = proposalOf(finding, { author: { kind: 'rule' }, at: now }, (at) => byPath.get(at), privacyOf)
    return { ...evidenceOf(old.note.path, old.line, old.text), proposal }
  }
  return undefined
}

async function loadNotes(request: NotesRequest, signal: AbortSignal | undefined): Promise<Note[]> {
  const notes: Note[] = []
  for (const file of await filesOf(request, signal)) {
    signal?.throwIfAborted()
    const note = await loadNote(request, file)
    if (note) notes.push(note)
  }
  return notes
}

async function filesOf({ workspace, forbidden, scope, layout }: NotesRequest, signal: AbortSignal | undefined) {
  const { files } = await walkMarkdown(workspace, signal, forbidden)
  const isScanned = ({ path }: FoundFile) =>
    isVerbatim(path, layout) || fileKind(path, layout) === 'project' || !exclusionReason(path, scope, layout)
  return uniqueFiles(workspace, files.filter(isScanned))
}

/** Keeps one path per file with several hard links. */
async function uniqueFiles(workspace: string, files: readonly FoundFile[]): Promise<FoundFile[]> {
  // Hard links have equal sizes and times, so only files with equal ones need a stat.
  const stampOf = ({ size, modifiedAt, changedAt }: FoundFile) => `${size} ${modifiedAt} ${changedAt}`
  const byStamp = Map.groupBy(files, stampOf)
  const unique = new Map<string, FoundFile>()
  for (const file of files) {
    const isAlone = byStamp.get(stampOf(file))?.length === 1
    const fileId = (isAlone ? undefined : await fileIdOf(join(workspace, file.path))) ?? file.path
    if (!unique.has(fileId)) unique.set(fileId, file)
  }
  return [...unique.values()]
}

async function loadNote(
  { workspace, layout }: NotesRequest,
  { path, modifiedAt }: FoundFile,
): Promise<Note | undefined> {
  const file = await orUndefined(readText(join(workspace, path), path))
  if (!file) return undefined
  const date = dailyLogDate(path, layout)
  const day = date === undefined ? undefined : parseDay(date)
  return { path, kind: fileKind(path, layout), day, modifiedAt, isRescued: isVerbatim(path, layout), ...file }
}
