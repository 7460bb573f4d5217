import type {
  Suggestion,
  SuggestedFile,
  ReviewEstimate,
  ReviewOutcome,
  SavedMatch,
  SuggestionProgress,
} from '#shared/contract/index.ts'
import { suggestionRules } from '#shared/contract/suggestions.ts'
import { AppError } from '#shared/util/errors.ts'
import { EventEmitter, KeyedQueue, type Subscribable } from '#platform'
import { localDate, normalizePath, type Workspace } from '#workspace'
import { accept, preview, recoverSuggestions, undo, type AcceptContext } from './accept.ts'
import { openInbox, type StoredSuggestions, type SuggestionsWork } from './suggestion-store.ts'
import { withPrivateMarks, type PrivacyOf, TextLines } from './line-edits.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import type { Comparison } from './scan-notes.ts'
import { openReview, type ReviewOptions } from '../review/review.ts'
import {
  flagLine,
  isOpen,
  type Place,
  suggestionKey,
  pathsOf,
  suggestionOf,
  readNote,
  supersedingFinding,
  updateSuggestion,
} from './suggestion.ts'

const maxListedDone = 200

interface SuggestionServiceOptions
  extends Pick<ReviewOptions, 'folder' | 'workspace' | 'now' | 'privacyOf'>, Pick<AcceptContext, 'log' | 'differ'> {
  /** @throws the signal's reason */
  readonly scan: (
    signal: AbortSignal,
    onProgress: (progress: SuggestionProgress) => void,
  ) => Promise<readonly Suggestion[]>
  readonly compare: (saved: LinesOfFile, signal: AbortSignal) => Promise<readonly Comparison[]>
  readonly review: Pick<ReviewOptions, 'model' | 'budget' | 'prompts' | 'reviewInput'>
  readonly onDamaged: (copyPath: string) => void
}

export class SuggestionService {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #options: SuggestionServiceOptions
  readonly #inbox: ReturnType<typeof openInbox>
  readonly #review: ReturnType<typeof openReview>
  /** Only one scan or review runs at a time. */
  #activeRun:
    | { readonly controller: AbortController; readonly isReview: boolean; progress: SuggestionProgress }
    | undefined
  readonly #comparisons = new KeyedQueue()
  readonly #closing = new AbortController()

  constructor(options: SuggestionServiceOptions) {
    this.#options = options
    this.#inbox = openInbox(options.folder, options.onDamaged)
    const { folder, workspace, now, privacyOf, review } = options
    this.#review = openReview({ ...review, folder, workspace, now, privacyOf, add: (added) => this.add(added) })
  }

  async list() {
    const { lookedAt, proposals: suggestions } = await this.#read()
    const now = this.#now()
    const open = suggestions.filter((one) => isOpen(one, now)).sort(byRule)
    const done = suggestions.filter((one) => !isOpen(one, now)).sort((one, other) => other.stateAt - one.stateAt)
    return {
      open,
      done: done.slice(0, maxListedDone),
      progress: this.#activeRun?.progress ?? null,
      lookedAt,
      isReviewing: this.#activeRun?.isReview === true,
      review: await this.#review.last(),
    }
  }

  async count(): Promise<number> {
    const now = this.#now()
    return (await this.#read()).proposals.filter((one) => isOpen(one, now)).length
  }

  /** @returns the numbers of new and withdrawn proposals; null if it was stopped or another run is active */
  async scan(): Promise<{ added: number; withdrawn: number } | null> {
    return this.#exclusively(false, async (signal, onProgress) =>
      this.#addFindings(await this.#options.scan(signal, onProgress), true),
    )
  }

  /** @throws AppError `needs_model`, `provider_key_missing`, `unknown_model` */
  async estimate(signal?: AbortSignal): Promise<ReviewEstimate> {
    return this.#review.estimate(signal)
  }

  /** @returns null if a scan or review is running @throws AppError as the review's `run` */
  async review(): Promise<ReviewOutcome | null> {
    return this.#exclusively(true, (signal, onProgress) => this.#review.run(signal, onProgress))
  }

  stop(): void {
    this.#activeRun?.controller.abort()
  }

  async add(suggestions: readonly Suggestion[]): Promise<number> {
    return (await this.#addFindings(suggestions, false)).added
  }

  /** Adds one proposal. @returns its id or the id of an equal open one; undefined if an equal one was rejected */
  async propose(suggestion: Suggestion): Promise<string | undefined> {
    const isCurrent = ({ state }: Suggestion) => state !== 'accepted' && state !== 'withdrawn'
    const added = await this.#addOnce(suggestion, isCurrent)
    return added.state === 'refused' ? undefined : added.id
  }

  /** Returns the lines that a saved note repeats or may replace, without those that the user wants to keep. */
  async compare({ path, startLine, endLine }: LinesOfFile): Promise<SavedMatch[]> {
    const { signal } = this.#closing
    try {
      const found = await this.#comparisons.run('', () => this.#options.compare({ path, startLine, endLine }, signal))
      const matches: SavedMatch[] = []
      for (const { proposal: suggestion, ...match } of found) {
        if (!suggestion) matches.push(match)
        else if (!this.#options.workspace.isReadOnly(match.path)) {
          const id = await this.propose(suggestion)
          if (id !== undefined) matches.push({ ...match, proposal: id })
        }
      }
      return matches
    } catch (error) {
      if (signal.aborted) return []
      throw error
    }
  }

  /** @param line 1-based @returns the id of the proposal @throws AppError `edit_no_match`, `write_refused` */
  async flag(path: string, line: number, fault: 'wrong' | 'outdated', query?: string): Promise<string> {
    const { workspace, now, privacyOf } = this.#options
    const notePath = normalizePath(path)
    if (workspace.isReadOnly(notePath))
      throw new AppError('write_refused', `${notePath} cannot be written`, { path: notePath })
    const file = await workspace.read(notePath)
    const at = now()
    const finding = flagLine(notePath, file.text, line, fault, localDate(at))
    const detail = { ...finding.detail, ...(query === undefined ? {} : { query }) }
    const origin = { author: { kind: 'user' as const }, at: at.getTime() }
    const suggestion = suggestionOf({ ...finding, detail }, origin, () => file, privacyOf)
    return (await this.#addOnce(suggestion, (other) => isOpen(other, at.getTime()))).id
  }

  /**
   * Proposes to strike a line that a saved one replaces. Lines are 1-based.
   * @returns the id of the proposal or of an equal open one; undefined if an equal one was rejected
   * @throws AppError `edit_no_match` if a line has no text, and as `Workspace.read`
   */
  async replace(
    old: Omit<Place, 'raw'>,
    saved: Omit<Place, 'raw'>,
    author: Suggestion['author'],
  ): Promise<string | undefined> {
    const { workspace, now, privacyOf } = this.#options
    const loaded = [old, saved].map(async ({ path }) => [path, await readNote(workspace, path)] as const)
    const notes = new Map(await Promise.all(loaded))
    const placeOf = ({ path, line }: Omit<Place, 'raw'>): Place => {
      const raw = notes.get(path)?.lines.lines[line - 1] ?? ''
      if (raw.trim() !== '' && !raw.startsWith('#')) return { path, line, raw }
      throw new AppError('edit_no_match', `${path} has no note in line ${line}`, { path })
    }
    const finding = supersedingFinding(placeOf(old), placeOf(saved), localDate(now()), 'supersedes')
    return this.propose(suggestionOf(finding, { author, at: now().getTime() }, (path) => notes.get(path), privacyOf))
  }

  /** Accepts open proposals as one change. @throws AppError `file_changed`, and as `Workspace.runTransaction` */
  async accept(ids: readonly string[]) {
    return this.#change((state, save) => accept(this.#context, state, ids, save))
  }

  async preview(ids: readonly string[]) {
    return preview(this.#context, await this.#read(), ids)
  }

  /** Strikes the other line of a contradiction. @throws AppError `plan_outdated` */
  async swapSides(id: string): Promise<void> {
    const { workspace, now, privacyOf } = this.#options
    await this.#rewrite(id, (suggestion) => withSwappedSides(workspace, suggestion, localDate(now()), privacyOf))
  }

  /** Undoes as much as possible. @throws AppError `undo_conflict` if it was undone or is too old */
  async undo(acceptance: number) {
    return this.#change((state) => undo(this.#context, state, acceptance))
  }

  /** @throws AppError `plan_outdated` if the proposal is closed, `input_invalid` for a wrong number of texts */
  async edit(id: string, after: readonly (readonly string[])[]): Promise<void> {
    await this.#rewrite(id, (suggestion) => withEditedTexts(this.#options.workspace, suggestion, after))
  }

  /** Ignores the ids of closed proposals, as `snooze` and `reopen` do. */
  refuse(ids: readonly string[]): Promise<void> {
    return this.#setState(ids, isOpen, { state: 'refused' })
  }

  /** @param until ms since the epoch */
  snooze(ids: readonly string[], until: number): Promise<void> {
    return this.#setState(ids, isOpen, { state: 'snoozed', until })
  }

  reopen(ids: readonly string[]): Promise<void> {
    const canReopen = ({ state, files }: Suggestion) =>
      state === 'refused' || state === 'snoozed' || (state === 'accepted' && files.length === 0)
    return this.#setState(ids, canReopen, { state: 'open', acceptance: undefined })
  }

  async filesChanged(paths: readonly string[]): Promise<void> {
    const { proposals: suggestions } = await this.#read()
    const now = this.#now()
    const affectedPaths = new Set(suggestions.filter(isPending).flatMap(pathsOf)).intersection(new Set(paths))
    if (affectedPaths.size === 0) return
    await this.#change(async (state) => {
      for (const path of affectedPaths) {
        const file = await readNote(this.#options.workspace, path)
        state.proposals = state.proposals.map((one) => (isPending(one) ? updateSuggestion(one, path, file, now) : one))
      }
    })
  }

  close(): void {
    this.stop()
    this.#closing.abort()
  }

  /** @returns null if another run is active, or if it was stopped and did not return */
  async #exclusively<T>(
    isReview: boolean,
    work: (signal: AbortSignal, onProgress: (progress: SuggestionProgress) => void) => Promise<T>,
  ): Promise<T | null> {
    if (this.#activeRun) return null
    const controller = new AbortController()
    const activeRun = { controller, isReview, progress: { done: 0, total: 0 } }
    this.#activeRun = activeRun
    this.#changes.emit()
    try {
      return await work(controller.signal, (progress) => {
        activeRun.progress = progress
        this.#changes.emit()
      })
    } catch (error) {
      if (controller.signal.aborted) return null
      throw error
    } finally {
      this.#activeRun = undefined
      this.#changes.emit()
    }
  }

  /** Adds new proposals. After a scan, withdraws pending ones of its rules that it has not found. */
  async #addFindings(found: readonly Suggestion[], isScan: boolean) {
    const now = this.#now()
    return this.#change(async (state) => {
      const foundByKey = new Map(found.map((one) => [suggestionKey(one), one]))
      const stored = new Set<string>()
      let withdrawn = 0
      const suggestions = state.proposals.map((one): Suggestion => {
        const key = suggestionKey(one)
        // An accepted proposal without edits only informed the user and must not return.
        if (isPending(one) || one.state === 'refused' || (one.state === 'accepted' && one.files.length === 0))
          stored.add(key)
        // Only the comparison of a saved note finds lines that it supersedes.
        const isFromScan = one.author.kind === 'rule' && one.rule !== 'supersedes'
        if (!isScan || !isFromScan || !isPending(one) || foundByKey.has(key)) return one
        withdrawn += 1
        return { ...one, state: 'withdrawn', stateAt: now, gone: 'reason' }
      })
      const added = [...foundByKey].flatMap(([key, one]) => (stored.has(key) ? [] : [one]))
      if (isScan) state.lookedAt = now
      state.proposals = [...suggestions, ...added]
      return { added: added.length, withdrawn }
    })
  }

  async #rewrite(id: string, change: (suggestion: Suggestion) => Promise<Suggestion>): Promise<void> {
    await this.#change(async (state) => {
      const suggestion = state.proposals.find((one) => one.id === id && isOpen(one, this.#now()))
      if (!suggestion) throw new AppError('plan_outdated', 'this suggestion is no longer open', {})
      const changed = await change(suggestion)
      state.proposals = state.proposals.map((one) => (one === suggestion ? changed : one))
    })
  }

  #setState(
    ids: readonly string[],
    isAffected: (one: Suggestion, now: number) => boolean,
    change: Partial<Suggestion>,
  ): Promise<void> {
    const requestedIds = new Set(ids)
    const now = this.#now()
    return this.#change(async (state) => {
      state.proposals = state.proposals.map((one) =>
        requestedIds.has(one.id) && isAffected(one, now) ? { ...one, ...change, stateAt: now } : one,
      )
    })
  }

  /** @returns the equal proposal for which `isCurrent` is true, or else the new one */
  #addOnce(suggestion: Suggestion, isCurrent: (other: Suggestion) => boolean): Promise<Suggestion> {
    const key = suggestionKey(suggestion)
    return this.#change(async (state) => {
      const existing = state.proposals.find((other) => isCurrent(other) && suggestionKey(other) === key)
      if (!existing) state.proposals = [...state.proposals, suggestion]
      return existing ?? suggestion
    })
  }

  #read(): Promise<StoredSuggestions> {
    return this.#withInbox(async (state) => state)
  }

  async #change<T>(work: SuggestionsWork<T>): Promise<T> {
    const value = await this.#withInbox(work)
    this.#changes.emit()
    return value
  }

  #withInbox<T>(work: SuggestionsWork<T>): Promise<T> {
    return this.#inbox(async (state, save) => {
      await recoverSuggestions(this.#context, state)
      return work(state, save)
    })
  }

  get #context(): AcceptContext {
    const { workspace, log, differ, privacyOf } = this.#options
    return { workspace, log, differ, privacyOf, now: this.#now() }
  }

  #now(): number {
    return this.#options.now().getTime()
  }
}

const isPending = ({ state }: Suggestion) => state === 'open' || state === 'snoozed'

function byRule(one: Suggestion, other: Suggestion): number {
  const [a, b] = [one.evidence[0], other.evidence[0]]
  return (
    suggestionRules.indexOf(one.rule) - suggestionRules.indexOf(other.rule) ||
    (a?.path ?? '').localeCompare(b?.path ?? '') ||
    (a?.line ?? 0) - (b?.line ?? 0)
  )
}

/** @throws AppError `input_invalid` for a wrong number of texts, `file_changed`, and as `Workspace.read` */
async function withEditedTexts(workspace: Workspace, suggestion: Suggestion, after: readonly (readonly string[])[]) {
  const count = suggestion.files.reduce((sum, { edits }) => sum + edits.length, 0)
  if (after.length !== count) throw new AppError('input_invalid', `${count} texts are required`, { field: 'after' })
  const texts = [...after]
  const files: SuggestedFile[] = []
  for (const { path, hash, edits } of suggestion.files) {
    const changedEdits = edits.map((edit) => ({ ...edit, after: [...(texts.shift() ?? [])] }))
    const file = hash === null ? undefined : await workspace.read(path)
    const isCurrent = file?.hash === hash || hash === null
    if (!isCurrent) throw new AppError('file_changed', `${path} was changed by another program`, { path })
    files.push({ path, hash, edits: changedEdits, patch: new TextLines(file?.text ?? '').patch(path, changedEdits) })
  }
  return { ...suggestion, files }
}

/** Strikes the other line of a contradiction. @param today `YYYY-MM-DD` @throws AppError `plan_outdated` */
async function withSwappedSides(workspace: Workspace, suggestion: Suggestion, today: string, privacyOf: PrivacyOf) {
  const [firstSide, secondSide] = suggestion.evidence
  const { rule } = suggestion
  const outdated = secondSide && (await locate(workspace, secondSide))
  const current = firstSide && (await locate(workspace, firstSide))
  if ((rule !== 'contradiction' && rule !== 'supersedes') || !outdated || !current)
    throw new AppError('plan_outdated', 'its lines have changed', {})
  const finding = supersedingFinding(outdated, current, today, rule)
  const textOf = (path: string) => [outdated, current].find((side) => side.path === path)?.text
  const edits = (withPrivateMarks(finding, { textOf, privacyOf }) ?? finding.files).flatMap((file) => file.edits)
  return {
    ...suggestion,
    evidence: [...finding.evidence],
    files: [{ path: outdated.path, hash: outdated.hash, edits, patch: outdated.lines.patch(outdated.path, edits) }],
    detail: { ...suggestion.detail, day: today },
  }
}

async function locate(workspace: Workspace, { path, line, text }: Suggestion['evidence'][number]) {
  const file = await readNote(workspace, path)
  const lineNumber = file?.lines.findTrimmed(text, line, true)
  const raw = lineNumber === undefined ? undefined : file?.lines.lines[lineNumber - 1]
  if (!file || lineNumber === undefined || raw === undefined) return undefined
  return { ...file, path, line: lineNumber, raw }
}
