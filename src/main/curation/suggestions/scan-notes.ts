import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { BrokenLink, MemoryScope, Proposal, UpkeepRule } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { loadSimilarityModel } from '../similarity/similarity-model.ts'
import { parseDay } from '#search/text'
import { redactionPlaceholder } from '#shared/markdown/visibility.ts'
import { marksBy, type PrivateRules } from '#workspace/privacy'
import {
  dailyLogDate,
  fileKind,
  isVerbatim,
  localDate,
  exclusionReason,
  type Layout,
  readText,
  walkMarkdown,
  type FoundFile,
} from '#workspace'
import { proposalOf, type Finding } from './proposal.ts'
import { reviewInputOf, type ReviewInput } from '../review/review-input.ts'
import { findBrokenLinks } from '../rules/broken-link.ts'
import { findStaleReferences } from '../rules/stale-reference.ts'
import { findDuplicateLines } from '../rules/duplicate-lines.ts'
import { findExpired } from '../rules/expired.ts'
import { findLargeSections } from '../rules/large-section.ts'
import type { Note } from '../rules/note-line.ts'
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

export type ScanStep =
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'done'; readonly proposals: Proposal[]; readonly rules: UpkeepRule[] }

const filesPerProgressStep = 50
/** Limit of proposals per rule; later scans find the rest. */
const maxPerRule = 2000

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

/** Selects the open lines that a review asks about. */
export async function prepareReviewInput(
  request: NotesRequest & Pick<ScanRequest, 'modelPath' | 'privateRules'>,
  signal?: AbortSignal,
): Promise<ReviewInput> {
  const marks = marksBy([{ prefix: '', privateRules: request.privateRules }])
  const notes: Note[] = []
  for (const file of await filesOf(request, signal)) {
    signal?.throwIfAborted()
    const note = await loadNote(request, file)
    const text = note && marks.openText(note.path, note.text)
    if (note && text !== undefined) notes.push({ ...note, text: text.replaceAll(redactionPlaceholder, '') })
  }
  return reviewInputOf(notes, request.modelPath)
}

async function filesOf({ workspace, forbidden, scope, layout }: NotesRequest, signal: AbortSignal | undefined) {
  const { files } = await walkMarkdown(workspace, signal, forbidden)
  const scanned = files.filter(
    ({ path }) =>
      isVerbatim(path, layout) || fileKind(path, layout) === 'project' || !exclusionReason(path, scope, layout),
  )
  return uniqueFiles(workspace, scanned)
}

/** Keeps one path per file with several hard links. */
async function uniqueFiles<T extends FileStamp>(workspace: string, files: readonly T[]): Promise<T[]> {
  // Hard links have equal sizes and times, so only files with equal ones need a stat.
  const stampOf = ({ size, modifiedAt, changedAt }: FileStamp) => `${size} ${modifiedAt} ${changedAt}`
  const counts = new Map<string, number>()
  for (const file of files) counts.set(stampOf(file), (counts.get(stampOf(file)) ?? 0) + 1)
  const fileIds = new Set<string>()
  const unique: T[] = []
  for (const file of files) {
    if ((counts.get(stampOf(file)) ?? 0) > 1) {
      const info = await stat(join(workspace, file.path), { bigint: true }).catch(() => undefined)
      const fileId = info ? `${info.dev} ${info.ino}` : file.path
      if (fileIds.has(fileId)) continue
      fileIds.add(fileId)
    }
    unique.push(file)
  }
  return unique
}

type FileStamp = Pick<FoundFile, 'path' | 'size' | 'modifiedAt' | 'changedAt'>

async function loadNote(
  { workspace, layout }: NotesRequest,
  { path, modifiedAt }: { readonly path: string; readonly modifiedAt: number },
): Promise<Note | undefined> {
  const file = await readText(join(workspace, path), path).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  if (!file) return undefined
  const date = dailyLogDate(path, layout)
  const day = date === undefined ? undefined : parseDay(date)
  return { path, kind: fileKind(path, layout), day, modifiedAt, isRescued: isVerbatim(path, layout), ...file }
}
