import type { Proposal, ReviewEstimate, ReviewOutcome, UpkeepProgress } from '#shared/contract/index.ts'
import { upkeepRules } from '#shared/contract/upkeep.ts'
import { AppError } from '#shared/util/errors.ts'
import { Changes, type Announcements, type Clock, type Differ } from '#platform'
import { localDate, normalizeRequest, type Workspace } from '#workspace'
import { openAcceptances, type Acceptances } from './acceptances.ts'
import { accept, finish, preview, type Tools } from './accept.ts'
import { flagged } from './flag.ts'
import { Inbox, type InboxState } from './inbox.ts'
import type { LocalOf } from './keep-local.ts'
import { runLook, type LookOptions } from './scan-runner.ts'
import { Review, type ReviewOptions } from '../review/review.ts'
import { follow, isOpen, keyOf, proposalOf } from './proposal.ts'
import { readNote } from './read-notes.ts'
import { edited, turned } from './rewrite-note.ts'
import { undo, type Undone } from './undo.ts'

/** Told of those that are done with, newest first. */
const maxDoneShown = 200
/** How often the progress of a look is told, ms. */
const tellEveryMs = 200

export interface UpkeepOptions {
  /** Of the agent, below the state folder. */
  readonly folder: string
  readonly workspace: Workspace
  readonly differ: Differ
  readonly now: Clock
  /** What of a text stays on this machine, by its path, as the settings are now. */
  readonly localOf: LocalOf
  /** What a look needs to know besides, as things are now. */
  readonly look: () => Promise<LookOptions>
  /** What a review by a model needs; without it there is none. */
  readonly review?: Pick<ReviewOptions, 'model' | 'budget' | 'prompts' | 'candidates'>
  /** Told where a file went that could not be read. */
  readonly onDamaged: (aside: string) => void
}

/** There are other proposals, or a look began or ended; or it is further. */
export type UpkeepChange = { readonly type: 'proposals' } | ({ readonly type: 'progress' } & UpkeepProgress)

export class Upkeep {
  readonly changes: Announcements<UpkeepChange>
  readonly #changes = new Changes<UpkeepChange>()
  readonly #options: UpkeepOptions
  readonly #inbox: Inbox
  readonly #acceptances: Acceptances
  readonly #review: Review | undefined
  /** A look or a review, one at a time. */
  #work: { readonly stop: AbortController; readonly isReview: boolean; progress: UpkeepProgress } | undefined
  /** What was left half done is finished before the first reading. */
  #begun: Promise<unknown> | undefined

  constructor(options: UpkeepOptions) {
    this.changes = this.#changes
    this.#options = options
    this.#inbox = new Inbox(options.folder, options.onDamaged)
    this.#acceptances = openAcceptances(options.folder)
    const { folder, workspace, now, localOf, review } = options
    this.#review = review && new Review({ ...review, folder, workspace, now, localOf, add: (found) => this.add(found) })
  }

  /** Those that wait, first what people said, then by rule and place; and the latest of the others. */
  async list() {
    const { lookedAt, proposals } = await this.#read()
    const now = this.#now()
    const open = proposals.filter((one) => isOpen(one, now)).sort(byRule)
    const done = proposals.filter((one) => !isOpen(one, now)).sort((one, other) => other.stateAt - one.stateAt)
    return {
      open,
      done: done.slice(0, maxDoneShown),
      progress: this.#work?.progress ?? null,
      lookedAt,
      isReviewing: this.#work?.isReview === true,
      review: (await this.#review?.last()) ?? null,
    }
  }

  /** How many wait. */
  async count(): Promise<number> {
    const { proposals } = await this.#read()
    const now = this.#now()
    return proposals.filter((one) => isOpen(one, now)).length
  }

  /** @returns how many are new, and how many went; null when it was stopped, or one is under way */
  async look(signal?: AbortSignal): Promise<{ added: number; withdrawn: number } | null> {
    return this.#alone(false, signal, async (both, onProgress) => {
      try {
        const whole = await runLook(await this.#options.look(), both, onProgress)
        return await this.#takeOver(whole.proposals, whole.rules)
      } catch (error) {
        if (both.aborted) return null
        throw error
      }
    })
  }

  /** What a review by the model would take. @throws AppError `needs_model`, `provider_key_missing` */
  async estimate(signal?: AbortSignal): Promise<ReviewEstimate> {
    return this.#reviewer.estimate(signal ?? new AbortController().signal)
  }

  /**
   * Has the model go through memory; what it finds comes into the inbox.
   * @returns null where a look or a review is under way
   * @throws AppError `needs_model`, `provider_key_missing`, and as models do
   */
  async review(by: 'user' | 'schedule', signal?: AbortSignal): Promise<ReviewOutcome | null> {
    const reviewer = this.#reviewer
    return this.#alone(true, signal, (both, onProgress) => reviewer.run(by, both, onProgress))
  }

  stop(): void {
    this.#work?.stop.abort()
  }

  /**
   * Proposals of somebody else than the look.
   * @returns how many are new
   */
  async add(proposals: readonly Proposal[]): Promise<number> {
    return (await this.#takeOver(proposals, new Set())).added
  }

  /** One proposal of somebody else. @returns the one that waits for the same; undefined where that was refused before */
  async propose(proposal: Proposal): Promise<string | undefined> {
    const key = keyOf(proposal)
    return this.#change(async (state) => {
      const known = state.proposals.find(
        (one) => one.state !== 'accepted' && one.state !== 'withdrawn' && keyOf(one) === key,
      )
      if (known) return { state, value: known.state === 'refused' ? undefined : known.id }
      return { state: { ...state, proposals: [...state.proposals, proposal] }, value: proposal.id }
    })
  }

  /** Somebody says that a line is wrong or outdated. @returns the proposal @throws AppError `edit_no_match`, `write_refused` */
  async flag(path: string, line: number, fault: 'wrong' | 'outdated', query?: string): Promise<string> {
    const { workspace, now, localOf } = this.#options
    const shown = normalizeRequest(path)
    if (workspace.isReadOnly(shown)) throw new AppError('write_refused', `${shown} cannot be written`, { path: shown })
    const file = await workspace.read(shown)
    const at = now()
    const found = flagged(shown, file.text, line, fault, localDate(at))
    const detail = { ...found.detail, ...(query === undefined ? {} : { query }) }
    const by = { author: { kind: 'user' as const }, at: at.getTime() }
    const proposal = proposalOf({ ...found, detail }, by, () => file, localOf)
    const key = keyOf(proposal)
    return this.#change(async (state) => {
      const known = state.proposals.find((one) => isOpen(one, at.getTime()) && keyOf(one) === key)
      if (known) return { state, value: known.id }
      return { state: { ...state, proposals: [...state.proposals, proposal] }, value: proposal.id }
    })
  }

  /** Does what they say, as one change. */
  async accept(ids: readonly string[]) {
    return this.#change((state) => accept(this.#tools, state, ids))
  }

  /** What accepting them would do. */
  async preview(ids: readonly string[]) {
    return preview(this.#tools, await this.#read(), ids)
  }

  /** The other of two lines is struck. @throws AppError `plan_outdated` */
  async turn(id: string): Promise<void> {
    const { workspace, now, localOf } = this.#options
    await this.#rewrite(id, (proposal) => turned(workspace, proposal, localDate(now()), localOf))
  }

  /** Takes back what of an acceptance can be. @throws AppError `undo_conflict` where it was already; nothing is done then */
  async undo(acceptance: string): Promise<Undone> {
    const { differ } = this.#options
    return this.#change((state) => undo({ ...this.#tools, differ }, state, acceptance))
  }

  /** @throws AppError `plan_outdated` for one that does not wait any more, `input_invalid` for another number of edits */
  async edit(id: string, after: readonly (readonly string[])[]): Promise<void> {
    await this.#rewrite(id, (proposal) => edited(this.#options.workspace, proposal, after))
  }

  refuse(ids: readonly string[]): Promise<void> {
    return this.#setState(ids, (one) => ({ ...one, state: 'refused', stateAt: this.#now() }))
  }

  snooze(ids: readonly string[], until: number): Promise<void> {
    return this.#setState(ids, (one) => ({ ...one, state: 'snoozed', stateAt: this.#now(), until }))
  }

  /** Those that were refused or put off wait again. */
  async reopen(ids: readonly string[]): Promise<void> {
    const asked = new Set(ids)
    await this.#change(async (state) => ({
      state: withChanged(state, asked, (one) =>
        one.state === 'refused' || one.state === 'snoozed' ? { ...one, state: 'open', stateAt: this.#now() } : one,
      ),
      value: undefined,
    }))
  }

  /** Files have changed, whoever changed them. */
  async touch(paths: readonly string[]): Promise<void> {
    const { proposals } = await this.#read()
    const now = this.#now()
    const concerned = new Set(
      proposals
        .filter((one) => one.state === 'open' || one.state === 'snoozed')
        .flatMap(({ files, evidence }) => [...files, ...evidence].map(({ path }) => path))
        .filter((path) => paths.includes(path)),
    )
    if (concerned.size === 0) return
    await this.#change(async (state) => {
      let current = state.proposals
      for (const path of concerned) {
        const file = await readNote(this.#options.workspace, path)
        current = current.map((one) =>
          one.state === 'open' || one.state === 'snoozed' ? follow(one, path, file, now) : one,
        )
      }
      const isSame = current.every((one, at) => one === state.proposals[at])
      return { state: isSame ? state : { ...state, proposals: current }, value: undefined }
    })
  }

  close(): void {
    this.stop()
    this.#review?.close()
    this.#inbox.close()
  }

  get #reviewer(): Review {
    if (this.#review) return this.#review
    throw new AppError('needs_model', 'no model can be asked here', {})
  }

  async #alone<T>(
    isReview: boolean,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal, onProgress: (progress: UpkeepProgress) => void) => Promise<T>,
  ): Promise<T | null> {
    if (this.#work) return null
    const stop = new AbortController()
    const current = { stop, isReview, progress: { done: 0, total: 0 } }
    this.#work = current
    this.#changes.announce({ type: 'proposals' })
    let told = performance.now()
    try {
      return await work(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal, (progress) => {
        current.progress = progress
        if (performance.now() - told < tellEveryMs) return
        told = performance.now()
        this.#changes.announce({ type: 'proposals' })
      })
    } finally {
      this.#work = undefined
      this.#changes.announce({ type: 'proposals' })
    }
  }

  /** @param whole rules that were gone through to the end: what they did not find again has no reason any more */
  async #takeOver(found: readonly Proposal[], whole: ReadonlySet<Proposal['rule']>) {
    const now = this.#now()
    return this.#change(async (state) => {
      const keys = new Map(found.map((one) => [keyOf(one), one]))
      const known = new Set<string>()
      let withdrawn = 0
      const proposals = state.proposals.map((one): Proposal => {
        const key = keyOf(one)
        const waits = one.state === 'open' || one.state === 'snoozed'
        // What changed nothing when it was accepted was looked at: that is enough.
        if (waits || one.state === 'refused' || (one.state === 'accepted' && one.files.length === 0)) known.add(key)
        if (!waits || one.author.kind !== 'rule' || !whole.has(one.rule) || keys.has(key)) return one
        withdrawn += 1
        return { ...one, state: 'withdrawn', stateAt: now, gone: 'reason' }
      })
      const added = [...keys].flatMap(([key, one]) => (known.has(key) ? [] : [one]))
      return {
        state: { lookedAt: whole.size > 0 ? now : state.lookedAt, proposals: [...proposals, ...added] },
        value: { added: added.length, withdrawn },
      }
    })
  }

  async #rewrite(id: string, change: (proposal: Proposal) => Promise<Proposal>): Promise<void> {
    await this.#change(async (state) => {
      const proposal = state.proposals.find((one) => one.id === id && isOpen(one, this.#now()))
      if (!proposal) throw new AppError('plan_outdated', 'this proposal does not wait any more', {})
      const changed = await change(proposal)
      return { state: withChanged(state, new Set([id]), () => changed), value: undefined }
    })
  }

  #setState(ids: readonly string[], change: (one: Proposal) => Proposal): Promise<void> {
    const asked = new Set(ids)
    const now = this.#now()
    return this.#change(async (state) => ({
      state: withChanged(state, asked, (one) => (isOpen(one, now) ? change(one) : one)),
      value: undefined,
    }))
  }

  async #read(): Promise<InboxState> {
    this.#begun ??= this.#inbox.change(async (state) => this.#finish(state))
    await this.#begun
    return this.#inbox.read()
  }

  async #change<T>(
    work: (state: InboxState) => Promise<{ readonly state: InboxState; readonly value: T }>,
  ): Promise<T> {
    const value = await this.#inbox.change(async (state) => work((await this.#finish(state)).state))
    this.#changes.announce({ type: 'proposals' })
    return value
  }

  /** What a crash, here or in another process, left half done. */
  #finish(state: InboxState) {
    return finish(this.#tools, state)
  }

  get #tools(): Tools {
    const { workspace, localOf } = this.#options
    return { workspace, localOf, acceptances: this.#acceptances, now: this.#now() }
  }

  #now(): number {
    return this.#options.now().getTime()
  }
}

function withChanged(state: InboxState, ids: ReadonlySet<string>, change: (one: Proposal) => Proposal): InboxState {
  return { ...state, proposals: state.proposals.map((one) => (ids.has(one.id) ? change(one) : one)) }
}

function byRule(one: Proposal, other: Proposal): number {
  const [a, b] = [one.evidence[0], other.evidence[0]]
  return (
    upkeepRules.indexOf(one.rule) - upkeepRules.indexOf(other.rule) ||
    (a?.path ?? '').localeCompare(b?.path ?? '') ||
    (a?.line ?? 0) - (b?.line ?? 0)
  )
}
