import type { LinesOfFile } from '#shared/util/file-lines.ts'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrokenLink, Evidence, MemoryScope, SavedMatch, Suggestion } from '#shared/contract/index.ts'
import { orUndefined } from '#shared/util/errors.ts'
import { loadSimilarityModel } from '../similarity/line-features.ts'
import { hasAnyOf, parseDay } from '#search/text'
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
} from '#workspace'
import { evidenceOf, suggestionOf, supersedingFinding, type Finding } from './suggestion.ts'
import { reviewInputOf, type ReviewInput } from '../review/review-input.ts'
import { findDuplicateLines, findOriginal } from '../similarity/duplicates.ts'
import { findReplaced } from '../similarity/replaced-lines.ts'
import {
  statementsOf,
  type Note,
  type Statement,
  findBrokenLinks,
  findExpired,
  findLargeSections,
  findNeverRetrieved,
  findPendingNotes,
  findStaleReferences,
} from '../rules/note-rules.ts'

export interface NotesRequest {
  readonly workspace: string
  readonly forbidden: readonly string[]
  readonly scope: MemoryScope
  readonly layout: Layout
  readonly privateRules: PrivateRules
  readonly modelPath: string
}

export interface ScanRequest extends NotesRequest {
  readonly recalls: readonly { readonly at: number; readonly paths: readonly string[] }[]
  readonly broken: readonly BrokenLink[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Limit of proposals per rule; later scans find the rest. */
const maxPerRule = 2000
const filesPerProgress = 50
/** Limit of compared lines of one saved note: a longer one is a text, not a fact. */
const maxCompared = 3

/** Runs all rules on the notes. Reading the files is the first half of the progress. */
export async function scanNotes(request: ScanRequest, onProgress?: (done: number, total: number) => void) {
  const { recalls, broken, modelPath, now } = request
  const notes = await loadNotes(request, (done, total) => onProgress?.(done, total * 2))
  const findings = [
    await findDuplicateLines(notes, await loadSimilarityModel(modelPath)),
    findExpired(notes, parseDay(localDate(new Date(now)))),
    findLargeSections(notes),
    findPendingNotes(notes),
    findBrokenLinks(notes, broken),
    findStaleReferences(notes),
    findNeverRetrieved(notes, recalls, now),
  ]
  const toProposal = suggestionMaker(request, notes)
  return findings.flatMap((found) => found.slice(0, maxPerRule).map(toProposal))
}

function suggestionMaker({ privateRules, now }: Pick<ScanRequest, 'privateRules' | 'now'>, notes: readonly Note[]) {
  const byPath = new Map(notes.map((note) => [note.path, note]))
  const { of: privacyOf } = marksBy([{ prefix: '', privateRules }])
  return (finding: Finding) =>
    suggestionOf(finding, { author: { kind: 'rule' }, at: now }, (path) => byPath.get(path), privacyOf)
}

export async function prepareReviewInput(request: NotesRequest): Promise<ReviewInput> {
  const marks = marksBy([{ prefix: '', privateRules: request.privateRules }])
  const notes = (await loadNotes(request)).flatMap((note): Note | [] => {
    const text = marks.openText(note.path, note.text)
    return text === undefined ? [] : { ...note, text: text.replaceAll(redactionPlaceholder, '') }
  })
  return reviewInputOf(notes, request.modelPath)
}

/** A line that a saved note repeats, or may replace as `proposal` suggests. */
export type Comparison = Evidence & Pick<SavedMatch, 'hasOtherFacts'> & { readonly proposal?: Suggestion }

export async function compareSaved(
  request: NotesRequest & Pick<ScanRequest, 'now'> & { readonly saved: LinesOfFile },
): Promise<Comparison[]> {
  const { saved: place, now, modelPath } = request
  const notes = await loadNotes(request)
  const model = await loadSimilarityModel(modelPath)
  const statements = notes.filter(({ kind }) => kind !== 'project').flatMap(statementsOf)
  const { in: saved = [], out: others = [] } = Object.groupBy(statements, ({ note, line }) =>
    note.path === place.path && place.startLine <= line && line <= place.endLine ? 'in' : 'out',
  )
  for (const statement of saved.slice(0, maxCompared)) {
    const original = await findOriginal(statement, others, model)
    if (original) return [evidenceOf(original.note.path, original.line, original.text)]
    const found = await findReplaced(statement, others, model)
    const placeOf = ({ note, ...rest }: Statement) => ({ ...rest, path: note.path })
    const matches = found.map((old): Comparison => {
      const evidence = evidenceOf(old.note.path, old.line, old.text)
      // Below a struck parent, its children would lose their meaning.
      if (old.isParent || hasSeveralFacts(old.text)) return { ...evidence, hasOtherFacts: true }
      const finding = supersedingFinding(placeOf(old), placeOf(statement), localDate(new Date(now)), 'supersedes')
      return { ...evidence, proposal: suggestionMaker(request, notes)(finding) }
    })
    if (matches.length > 0) return matches
  }
  return []
}

const sentenceEnd = /[.!?;]\s+\S|[。！？；]./
const hasVerb = hasAnyOf('is are has have costs? takes? lives? works? goes runs? opens? 是 在 有 用')

/** Returns true for several sentences or clauses, of which a newer line may change one. */
function hasSeveralFacts(text: string): boolean {
  return sentenceEnd.test(text) || text.split(/[,，]/).filter(hasVerb).length > 1
}

async function loadNotes(
  { workspace, forbidden, scope, layout }: NotesRequest,
  onProgress?: (done: number, total: number) => void,
): Promise<Note[]> {
  const { files } = await walkMarkdown(workspace, undefined, forbidden)
  const notes = new Map<string, Note>()
  for (const [index, { path, modifiedAt }] of files.entries()) {
    if (index % filesPerProgress === 0) onProgress?.(index, files.length)
    const [kind, isRescued] = [fileKind(path, layout), isVerbatim(path, layout)]
    if (!isRescued && kind !== 'project' && exclusionReason(path, scope, layout)) continue
    const file = join(workspace, path)
    // A file with several hard links counts once.
    const info = await stat(file, { bigint: true }).catch(() => undefined)
    const id = info ? `${info.dev} ${info.ino}` : path
    const read = notes.has(id) ? undefined : await orUndefined(readText(file, path))
    const date = dailyLogDate(path, layout)
    const day = date === undefined ? undefined : parseDay(date)
    if (read) notes.set(id, { path, kind, day, modifiedAt, isRescued, ...read })
  }
  onProgress?.(files.length, files.length)
  return [...notes.values()]
}
