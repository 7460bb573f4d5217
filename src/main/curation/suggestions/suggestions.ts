import type { Proposal, ReviewEstimate, ReviewOutcome, SavedMatch, UpkeepProgress } from '#shared/contract/index.ts'
import { upkeepRules } from '#shared/contract/upkeep.ts'
import { AppError } from '#shared/util/errors.ts'
import { EventEmitter, type Subscribable, type Clock, type Differ } from '#platform'
import { localDate, normalizePath, type Workspace } from '#workspace'
import { openAcceptances, type Acceptances } from './acceptances.ts'
import { accept, recoverAcceptance, preview, type AcceptContext } from './accept.ts'
import { flagLine } from './flag.ts'
import { Inbox, type InboxState, type InboxWork } from './inbox.ts'
import type { PrivacyOf } from './keep-private.ts'
import type { Comparison, SavedLines } from './scan-notes.ts'
import { runScan, type ScanOptions } from './scan-runner.ts'
import { Review, type ReviewOptions } from '../review/review.ts'
import { updateProposal, isOpen, keyOf, pathsOf, proposalOf, readNote } from './proposal.ts'
import { withEditedTexts, withSwappedSides } from './edit-proposal.ts'
import { recoverUndo, undo, type UndoResult } from './undo.ts'

const maxListedDone = 200
const progressIntervalMs = 200

export interface ProposalServiceOptions {
  readonly folder: string
  readonly workspace: Workspace
  readonly differ: Differ
  readonly now: Clock
  readonly privacyOf: PrivacyOf
  readonly scanOptions: () => Promise<ScanOptions>
  readonly compare: (saved: SavedLines, signal: AbortSignal) => Promise<Comparison | undefined>
  /** Options for reviews; undefined turns them off. */
  readonly review?: Pick<ReviewOptions, 'model' | 'budget' | 'prompts' | 'reviewInput'>
  readonly onDamaged: (copyPath: string) => void
}

/** Proposals for a memory: scans by rules, reviews by a model, the inbox, accepting and undoing. */
export class ProposalService {
  readonly #changes = new EventEmitter<{ readonly type: 'proposals' }>()
  /** Emits when proposals changed, or a scan started, progressed or ended. */
  readonly changes: Subscribable<{ readonly type: 'proposals' }> = this.#changes
  readonly #options: ProposalServiceOptions
  readonly #inbox: Inbox
  readonly #acceptances: Acceptances
  readonly #review: Review | undefined
  /** The running scan or review; only one runs at a time. */
  #activeRun: { readonly controller: AbortController; readonly isReview: boolean; progress: UpkeepProgress } | undefined
  /** The comparisons of saved notes, one after the other. */
  #comparison: Promise<unknown> = Promise.resolve()
  readonly #closing = new AbortController()
  /** Recovery of an interrupted acceptance, before the first read. */
  #recovery: Promise<unknown> | undefined

  constructor(options: ProposalServiceOptions) {
    this.#options = options
    this.#inbox = new Inbox(options.folder, options.onDamaged)
    this.#acceptances = openAcceptances(options.folder)
    const { folder, workspace, now, privacyOf, review } = options
    this.#review =
      review && new Review({ ...review, folder, workspace, now, privacyOf, add: (added) => this.add(added) })
  }

  /** Returns open proposals sorted by rule and place, and the latest closed ones. */
  async list() {
    const { lookedAt, proposals } = await this.#read()
    const now = this.#now()
    const open = proposals.filter((one) => isOpen(one, now)).sort(byRule)
    const done = proposals.filter((one) => !isOpen(one, now)).sort((one, other) => other.stateAt - one.stateAt)
    return {
      open,
      done: done.slice(0, maxListedDone),
      progress: this.#activeRun?.progress ?? null,
      lookedAt,
      isReviewing: this.#activeRun?.isReview === true,
      review: (await this.#review?.last()) ?? null,
    }
  }

  async count(): Promise<number> {
    const { proposals } = await this.#read()
    const now = this.#now()
    return proposals.filter((one) => isOpen(one, now)).length
  }

  /**
   * Scans all notes.
   * @returns the numbers of new and withdrawn proposals; null if it was stopped or another run is active
   */
  async scan(signal?: AbortSignal): Promise<{ added: number; withdrawn: number } | null> {
    return this.#exclusively(false, signal, async (combinedSignal, onProgress) => {
      try {
        const result = await runScan(await this.#options.scanOptions(), combinedSignal, onProgress)
        return await this.#addFindings(result.proposals, result.rules)
      } catch (error) {
        if (combinedSignal.aborted) return null
        throw error
      }
    })
  }

  /** Estimates a review by the model. @throws AppError `needs_model`, `provider_key_missing`, `unknown_model` */
  async estimate(signal?: AbortSignal): Promise<ReviewEstimate> {
    return this.#reviewer.estimate(signal ?? new AbortController().signal)
  }

  /**
   * Runs a review by the model, which adds proposals to the inbox.
   * @returns null if a scan or review is running
   * @throws AppError `needs_model`, `provider_key_missing`, and as models do
   */
  async review(by: 'user' | 'schedule', signal?: AbortSignal): Promise<ReviewOutcome | null> {
    const reviewer = this.#reviewer
    return this.#exclusively(true, signal, (combinedSignal, onProgress) => reviewer.run(by, combinedSignal, onProgress))
  }

  stop(): void {
    this.#activeRun?.controller.abort()
  }

  /** Adds proposals that do not come from a scan. @returns the number of new ones */
  async add(proposals: readonly Proposal[]): Promise<number> {
    return (await this.#addFindings(proposals, new Set())).added
  }

  /** Adds one proposal. @returns its id or the id of an equal open one; undefined if an equal one was rejected */
  async propose(proposal: Proposal): Promise<string | undefined> {
    const isCurrent = ({ state }: Proposal) => state !== 'accepted' && state !== 'withdrawn'
    const added = await this.#addOnce(proposal, isCurrent)
    return added.state === 'refused' ? undefined : added.id
  }

  /**
   * Compares a note that was just saved with all others. Adds a proposal if it replaces a line.
   * @returns that line or the repeated one; undefined if the note states something new, or the proposal was rejected
   */
  async compare({ path, startLine, endLine }: SavedLines): Promise<SavedMatch | undefined> {
    const { signal } = this.#closing
    const lines = { path, startLine, endLine }
    const comparison = this.#comparison.then(() => this.#options.compare(lines, signal))
    this.#comparison = comparison.catch(() => undefined)
    try {
      const match = await comparison
      if (!match) return undefined
      const { proposal, ...place } = match
      if (!proposal) return place
      const id = this.#options.workspace.isReadOnly(place.path) ? undefined : await this.propose(proposal)
      return id === undefined ? undefined : { ...place, proposal: id }
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }

  /**
   * Adds the user's report of a wrong or outdated line (1-based).
   * @returns the id of the proposal
   * @throws AppError `edit_no_match`, `write_refused`, and as `Workspace.read`
   */
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
    const proposal = proposalOf({ ...finding, detail }, origin, () => file, privacyOf)
    return (await this.#addOnce(proposal, (other) => isOpen(other, at.getTime()))).id
  }

  /** Accepts open proposals as one change. @throws AppError `file_changed`, and as `Workspace.rewriteAll` */
  async accept(ids: readonly string[]) {
    return this.#change((state) => accept(this.#context, state, ids))
  }

  async preview(ids: readonly string[]) {
    return preview(this.#context, await this.#read(), ids)
  }

  /** Strikes the other line of a contradiction. @throws AppError `plan_outdated` */
  async swapSides(id: string): Promise<void> {
    const { workspace, now, privacyOf } = this.#options
    await this.#rewrite(id, (proposal) => withSwappedSides(workspace, proposal, localDate(now()), privacyOf))
  }

  /** Undoes as much of an acceptance as possible. @throws AppError `undo_conflict` if it was undone or is too old */
  async undo(acceptance: string): Promise<UndoResult> {
    return this.#change(async (state, save) => {
      try {
        return await undo(this.#context, state, acceptance, save)
      } catch (error) {
        await save(state)
        throw error
      }
    })
  }

  /** @throws AppError `plan_outdated` if the proposal is closed, `input_invalid` for a wrong number of texts */
  async edit(id: string, after: readonly (readonly string[])[]): Promise<void> {
    await this.#rewrite(id, (proposal) => withEditedTexts(this.#options.workspace, proposal, after))
  }

  /** Rejects open proposals; ignores other ids. */
  refuse(ids: readonly string[]): Promise<void> {
    return this.#setState(ids, isOpen, { state: 'refused' })
  }

  /** @param until ms since the epoch */
  snooze(ids: readonly string[], until: number): Promise<void> {
    return this.#setState(ids, isOpen, { state: 'snoozed', until })
  }

  reopen(ids: readonly string[]): Promise<void> {
    return this.#setState(ids, ({ state }) => state === 'refused' || state === 'snoozed', { state: 'open' })
  }

  /** Updates open and snoozed proposals after files changed. @param paths workspace-relative */
  async filesChanged(paths: readonly string[]): Promise<void> {
    const { proposals } = await this.#read()
    const now = this.#now()
    const affectedPaths = new Set(
      proposals
        .filter(isPending)
        .flatMap(pathsOf)
        .filter((path) => paths.includes(path)),
    )
    if (affectedPaths.size === 0) return
    await this.#change(async (state) => {
      let current = state.proposals
      for (const path of affectedPaths) {
        const file = await readNote(this.#options.workspace, path)
        current = current.map((one) => (isPending(one) ? updateProposal(one, path, file, now) : one))
      }
      const isSame = current.every((one, index) => one === state.proposals[index])
      return { state: isSame ? state : { ...state, proposals: current }, value: undefined }
    })
  }

  close(): void {
    this.stop()
    this.#closing.abort()
    this.#review?.close()
    this.#inbox.close()
  }

  get #reviewer(): Review {
    if (this.#review) return this.#review
    throw new AppError('needs_model', 'no model is available for reviews', {})
  }

  async #exclusively<T>(
    isReview: boolean,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal, onProgress: (progress: UpkeepProgress) => void) => Promise<T>,
  ): Promise<T | null> {
    if (this.#activeRun) return null
    const controller = new AbortController()
    const activeRun = { controller, isReview, progress: { done: 0, total: 0 } }
    this.#activeRun = activeRun
    this.#changes.emit({ type: 'proposals' })
    let lastEmitAt = performance.now()
    try {
      return await work(signal ? AbortSignal.any([signal, controller.signal]) : controller.signal, (progress) => {
        activeRun.progress = progress
        if (performance.now() - lastEmitAt < progressIntervalMs) return
        lastEmitAt = performance.now()
        this.#changes.emit({ type: 'proposals' })
      })
    } finally {
      this.#activeRun = undefined
      this.#changes.emit({ type: 'proposals' })
    }
  }

  /** Adds new proposals. Withdraws pending ones that are not in `found` if their rule is in `completedRules`. */
  async #addFindings(found: readonly Proposal[], completedRules: ReadonlySet<Proposal['rule']>) {
    const now = this.#now()
    return this.#change(async (state) => {
      const foundByKey = new Map(found.map((one) => [keyOf(one), one]))
      const stored = new Set<string>()
      let withdrawn = 0
      const proposals = state.proposals.map((one): Proposal => {
        const key = keyOf(one)
        // An accepted proposal without edits only informed the user and must not return.
        if (isPending(one) || one.state === 'refused' || (one.state === 'accepted' && one.files.length === 0))
          stored.add(key)
        const isConfirmed = one.author.kind !== 'rule' || !completedRules.has(one.rule) || foundByKey.has(key)
        if (!isPending(one) || isConfirmed) return one
        withdrawn += 1
        return { ...one, state: 'withdrawn', stateAt: now, gone: 'reason' }
      })
      const added = [...foundByKey].flatMap(([key, one]) => (stored.has(key) ? [] : [one]))
      return {
        state: { lookedAt: completedRules.size > 0 ? now : state.lookedAt, proposals: [...proposals, ...added] },
        value: { added: added.length, withdrawn },
      }
    })
  }

  async #rewrite(id: string, change: (proposal: Proposal) => Promise<Proposal>): Promise<void> {
    await this.#change(async (state) => {
      const proposal = state.proposals.find((one) => one.id === id && isOpen(one, this.#now()))
      if (!proposal) throw new AppError('plan_outdated', 'this suggestion is no longer open', {})
      const changed = await change(proposal)
      return { state: updateProposals(state, new Set([id]), () => changed), value: undefined }
    })
  }

  #setState(
    ids: readonly string[],
    isAffected: (one: Proposal, now: number) => boolean,
    change: Partial<Proposal>,
  ): Promise<void> {
    const requestedIds = new Set(ids)
    const now = this.#now()
    return this.#change(async (state) => ({
      state: updateProposals(state, requestedIds, (one) =>
        isAffected(one, now) ? { ...one, ...change, stateAt: now } : one,
      ),
      value: undefined,
    }))
  }

  /** @returns the equal proposal for which `isCurrent` is true, or else the new one */
  #addOnce(proposal: Proposal, isCurrent: (other: Proposal) => boolean): Promise<Proposal> {
    const key = keyOf(proposal)
    return this.#change(async (state) => {
      const existing = state.proposals.find((other) => isCurrent(other) && keyOf(other) === key)
      if (existing) return { state, value: existing }
      return { state: { ...state, proposals: [...state.proposals, proposal] }, value: proposal }
    })
  }

  async #read(): Promise<InboxState> {
    this.#recovery ??= this.#inbox.change(async (state) => ({ state: await this.#recover(state), value: undefined }))
    await this.#recovery
    return this.#inbox.read()
  }

  async #change<T>(work: InboxWork<T>): Promise<T> {
    const value = await this.#inbox.change(async (before, save) => {
      const state = await this.#recover(before)
      // Stored first, so that a crash or an error of `work` cannot lose what recovery found.
      if (state !== before) await save(state)
      return work(state, save)
    })
    this.#changes.emit({ type: 'proposals' })
    return value
  }

  async #recover(before: InboxState): Promise<InboxState> {
    return recoverUndo(this.#context, await recoverAcceptance(this.#context, before))
  }

  get #context(): AcceptContext {
    const { workspace, differ, privacyOf } = this.#options
    return { workspace, differ, privacyOf, acceptances: this.#acceptances, now: this.#now() }
  }

  #now(): number {
    return this.#options.now().getTime()
  }
}

function updateProposals(state: InboxState, ids: ReadonlySet<string>, change: (one: Proposal) => Proposal): InboxState {
  return { ...state, proposals: state.proposals.map((one) => (ids.has(one.id) ? change(one) : one)) }
}

const isPending = ({ state }: Proposal) => state === 'open' || state === 'snoozed'

function byRule(one: Proposal, other: Proposal): number {
  const [a, b] = [one.evidence[0], other.evidence[0]]
  return (
    upkeepRules.indexOf(one.rule) - upkeepRules.indexOf(other.rule) ||
    (a?.path ?? '').localeCompare(b?.path ?? '') ||
    (a?.line ?? 0) - (b?.line ?? 0)
  )
}
