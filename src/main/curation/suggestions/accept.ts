/** The accepted proposals keep their edits of the text before it. An undo removes those of single proposals. */
import { z } from 'zod'
import type { LineEdit, Suggestion, UndoConflict } from '#shared/contract/index.ts'
import { AppError, retryIf } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import type { Differ } from '#platform'
import { normalizePath, type ChangeLog, type Workspace } from '#workspace'
import type { StoredSuggestions } from './suggestion-store.ts'
import { withPrivateMarks, type PrivacyOf, minimalEdit, editsOverlap, TextLines } from './line-edits.ts'
import { isOpen, loadNotes, readNote, updateSuggestion, type LoadedNote } from './suggestion.ts'

/** An attempt fails if another program saves a file between reading and writing. */
const maxTries = 5
const isFileChange = (error: unknown) => error instanceof AppError && error.code === 'file_changed'

export interface AcceptContext {
  readonly workspace: Workspace
  readonly log: ChangeLog
  readonly differ: Differ
  readonly privacyOf: PrivacyOf
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** A file of an acceptance. A text is null if there is no file; `before` is undefined if the log no longer has it. */
interface AcceptedFile {
  readonly before: string | null | undefined
  readonly current: string | null
}

/** Detail of a change set: the proposals that it accepts, or that it reopens if it is an undo. */
const detailSchema = z.object({ proposals: z.array(z.string()) }).catch({ proposals: [] })

/** Ignores ids that are unknown or closed. @throws AppError `file_changed` after `maxTries` attempts */
export async function accept(
  context: AcceptContext,
  state: StoredSuggestions,
  ids: readonly string[],
  save: () => Promise<void>,
): Promise<{ acceptance: number | null; accepted: number; left: number; gone: number }> {
  const { proposals: suggestions } = state
  return retryIf(isFileChange, maxTries, async () => {
    const { plan } = await planFor(context, suggestions, ids)
    const { accepted, skipped, withdrawn } = plan
    const updated = new Map([...accepted, ...withdrawn].map((one) => [one.id, one]))
    state.proposals = suggestions.map((one) => updated.get(one.id) ?? one)
    // An undo after a crash needs the edits as they are written.
    await save()
    const change = await write(context, state, plan.files, accepted)
    const counts = { accepted: accepted.length, left: skipped.length, gone: withdrawn.length }
    return { acceptance: change ?? null, ...counts }
  })
}

export async function preview(
  context: AcceptContext,
  { proposals: suggestions }: StoredSuggestions,
  ids: readonly string[],
) {
  const { plan, notes } = await planFor(context, suggestions, ids)
  const files = [...plan.edits].map(([path, fileEdits]) => {
    const note = notes.get(path)
    return { path, patch: (note?.lines ?? new TextLines('')).patch(path, fileEdits), isNew: !note }
  })
  return { files, left: plan.skipped.length, gone: plan.withdrawn.length }
}

/** Proposals whose lines were changed since stay accepted, and are `stuck`. @throws AppError `undo_conflict` */
export async function undo(context: AcceptContext, state: StoredSuggestions, acceptance: number) {
  const { workspace, log, differ } = context
  const ids = suggestionIdsOf(log.setOf(acceptance))
  const accepted = state.proposals.filter((one) => one.acceptance === acceptance && ids.has(one.id))
  if (accepted.length === 0)
    throw new AppError('undo_conflict', 'this was undone before, or is too old to undo', { path: '' })
  return retryIf(isFileChange, maxTries, async () => {
    const files = new Map<string, AcceptedFile>()
    for (const { path, before } of log.filesOf(acceptance))
      files.set(path, { before, current: (await readNote(workspace, path))?.text ?? null })
    const { texts, stuck } = await planUndo(differ, accepted, files)
    const places = new Map(stuck.map(({ proposal: suggestion, ...place }) => [suggestion, place]))
    const undone = accepted.filter(({ id }) => !places.has(id))
    await write(context, state, texts, undone, acceptance)
    state.proposals = state.proposals.map((one) => ({ ...one, stuck: places.get(one.id) ?? one.stuck }))
    return { undone: undone.length, stuck }
  })
}

/** Brings the inbox in line with acceptances and undos whose process ended before it wrote the inbox. */
export async function recoverSuggestions({ workspace, log, now }: AcceptContext, state: StoredSuggestions) {
  if (log.pendingSets().some(({ kind }) => kind === 'accept')) await workspace.recover()
  for (const set of log.setsAfter(state.lastChange, 'accept'))
    applyChange(state, suggestionIdsOf(set), set.id, set.origin.undoes, now)
}

/**
 * Removes the edits of all proposals from the present texts; if other edits are in the way, those of each half, and so
 * on. A proposal is undone in all of its files or in none.
 * @param suggestions the accepted ones that were not undone before
 */
export async function planUndo(
  differ: Differ,
  suggestions: readonly Suggestion[],
  files: ReadonlyMap<string, AcceptedFile>,
) {
  const texts = new Map([...files].map(([path, { current }]) => [path, current]))
  let accepted = suggestions
  let stuck: UndoConflict[] = []
  const remove = async (group: readonly Suggestion[]): Promise<void> => {
    const remaining = accepted.filter((one) => !group.includes(one))
    const reverted = new Map<string, string | null>()
    for (const path of new Set(group.flatMap((one) => one.files.map((file) => file.path)))) {
      const notePath = normalizePath(path)
      const current = texts.get(notePath)
      // The edits did not change the file.
      if (current === undefined) continue
      const [after, restored] = [accepted, remaining].map((some) =>
        textWithEdits(path, files.get(notePath)?.before, some),
      )
      const result = await withoutEdits(differ, { after, restored, current })
      if ('text' in result) {
        reverted.set(notePath, result.text)
        continue
      }
      const middle = Math.ceil(group.length / 2)
      if (group.length === 1) stuck.push(...group.map(({ id }) => ({ proposal: id, path, line: result.line })))
      else for (const half of [group.slice(0, middle), group.slice(middle)]) await remove(half)
      return
    }
    accepted = remaining
    for (const [path, text] of reverted) texts.set(path, text)
  }
  // The last round undoes nothing, so that the lines of the conflicts are those of the final texts.
  for (let count = Infinity; accepted.length > 0 && accepted.length < count;) {
    count = accepted.length
    stuck = []
    await remove(accepted)
  }
  const writes = [...files].map(([path, { current }]) => ({ path, before: current, after: texts.get(path) ?? null }))
  return { texts: writes.filter(({ before, after }) => before !== after), stuck }
}

/** @returns the line of a later edit that is in the way */
async function withoutEdits(
  differ: Differ,
  texts: Record<'after' | 'restored', string | null | undefined> & { readonly current: string | null },
): Promise<{ readonly text: string | null } | { readonly line: number | null }> {
  const { after, restored, current } = texts
  if (current === restored) return { text: current }
  if (current === null) return { line: null }
  if (current === after && restored !== undefined) return { text: restored }
  if (typeof after !== 'string' || typeof restored !== 'string') return { line: 1 }
  return differ.revert({ after, current, restored })
}

/** Applies the edits of proposals to the text before them. @returns undefined if they do not fit its lines */
function textWithEdits(path: string, before: string | null | undefined, suggestions: readonly Suggestion[]) {
  const edits = suggestions.flatMap(({ files }) => files.flatMap((file) => (file.path === path ? file.edits : [])))
  if (before === undefined || edits.length === 0) return before
  if (before === null) return edits.flatMap(({ after }) => after).join('\n')
  const text = new TextLines(before)
  const isFitting = edits.every((edit) => edit.before.every((line, at) => line === text.lines[edit.line - 1 + at]))
  return isFitting ? text.apply(edits) : undefined
}

/** Writes files as one change set. @param undoes acceptance that it undoes @returns the change set, if there is one */
async function write(
  { workspace, now }: AcceptContext,
  state: StoredSuggestions,
  texts: Parameters<Workspace['runTransaction']>[1],
  suggestions: readonly Suggestion[],
  undoes?: number,
): Promise<number | undefined> {
  const ids = suggestions.map(({ id }) => id)
  const options = { kind: 'accept', detail: { proposals: ids } } as const
  const written =
    texts.length > 0 ? await workspace.runTransaction({}, texts, { cause: 'upkeep', undoes }, options) : undefined
  applyChange(state, new Set(ids), written?.change, undoes, now)
  return written?.change
}

/** An acceptance makes proposals accepted, its undo makes them open. */
function applyChange(
  state: StoredSuggestions,
  ids: ReadonlySet<string>,
  change: number | undefined,
  undoes: number | undefined,
  now: number,
): void {
  state.lastChange = change ?? state.lastChange
  state.proposals = state.proposals.map((one): Suggestion => {
    if (!ids.has(one.id)) return one
    if (undoes === undefined) return { ...one, state: 'accepted', stateAt: now, acceptance: change }
    return { ...one, state: 'open', stateAt: now, acceptance: undefined, stuck: undefined }
  })
}

function suggestionIdsOf(set: ReturnType<ChangeLog['setOf']>): ReadonlySet<string> {
  return new Set(detailSchema.parse(parseJson(set?.detail ?? '{}')).proposals)
}

async function planFor(
  { workspace, privacyOf, now }: AcceptContext,
  all: readonly Suggestion[],
  ids: readonly string[],
) {
  const requested = new Set(ids)
  const suggestions = all.filter((one) => requested.has(one.id) && isOpen(one, now))
  const notes = await loadNotes(workspace, suggestions)
  return { plan: planAcceptance(suggestions, notes, now, privacyOf), notes }
}

/**
 * @param files current files of all edits and evidence, by path; undefined for a missing file
 * @returns `skipped`: proposals that touch the lines of an accepted one; `withdrawn`: outdated ones; `edits` of the
 * accepted ones, by path; `files`, whose `before` is null for a new one
 */
export function planAcceptance(
  suggestions: readonly Suggestion[],
  files: ReadonlyMap<string, LoadedNote | undefined>,
  now: number,
  privacyOf: PrivacyOf,
) {
  const edits = new Map<string, LineEdit[]>()
  const context = {
    textOf: (path: string) => files.get(path)?.text,
    privacyOf,
    acceptedEdits: (path: string) => edits.get(path) ?? [],
  }
  const [accepted, skipped, withdrawn]: [Suggestion[], Suggestion[], Suggestion[]] = [[], [], []]
  const acceptedChanges = new Set<string>()
  const acceptedNeeds = new Set<string>()
  for (const suggestion of suggestions) {
    let current = suggestion
    for (const [path, file] of files)
      if (current.state !== 'withdrawn') current = updateSuggestion(current, path, file, now)
    if (current.state === 'withdrawn') {
      withdrawn.push(current)
      continue
    }
    const markedFiles = withPrivateMarks(current, context)
    current = { ...current, files: markedFiles ?? [] }
    const changedPlaces = changedPlacesOf(current)
    const neededPlaces = current.evidence
      .map(({ path, line }) => `${path}:${line}`)
      .filter((place) => !changedPlaces.has(place))
    const hasConflict =
      current.files.some(({ path, edits: fileEdits }) =>
        fileEdits.some((edit) => edits.get(path)?.some((other) => editsOverlap(edit, other))),
      ) ||
      neededPlaces.some((place) => acceptedChanges.has(place)) ||
      [...changedPlaces].some((place) => acceptedNeeds.has(place))
    // Only one proposal can create a file.
    const createsFileTwice = current.files.some(({ path, hash }) => hash === null && edits.has(path))
    if (!markedFiles || hasConflict || createsFileTwice) {
      skipped.push(suggestion)
      continue
    }
    accepted.push(current)
    for (const place of changedPlaces) acceptedChanges.add(place)
    for (const place of neededPlaces) acceptedNeeds.add(place)
    for (const { path, edits: fileEdits } of current.files) edits.set(path, [...(edits.get(path) ?? []), ...fileEdits])
  }
  const changedFiles = [...edits].map(([path, merged]) => {
    const file = files.get(path)
    const newText = merged.flatMap(({ after }) => after).join('\n')
    return file ? { path, before: file.text, after: file.lines.apply(merged) } : { path, before: null, after: newText }
  })
  return { accepted, skipped, withdrawn, edits, files: changedFiles.filter(({ before, after }) => before !== after) }
}

function changedPlacesOf({ files }: Suggestion): Set<string> {
  const edits = files.flatMap(({ path, edits }) => edits.map((edit) => ({ path, ...minimalEdit(edit) })))
  return new Set(
    edits.flatMap(({ path, from, to }) => Array.from({ length: to - from }, (_, at) => `${path}:${from + at + 1}`)),
  )
}
