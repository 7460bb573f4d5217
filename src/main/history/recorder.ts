/**
 * Records changes as they come, a few at a time: neighbouring ones of one origin make one commit, so that a thousand quick
 * writes cost a few. What was changed behind our back is recorded as such: before a write of ours is, when somebody tells
 * of a file, and at the start.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createTwoFilesPatch } from 'diff'
import { AppError } from '../../shared/errors.ts'
import { readText, resolveInside, walkMarkdown, type WriteOrigin as Origin } from '../workspace/index.ts'
import { blame } from './blame.ts'
import { blobId } from './blob-id.ts'
import type { CommitRecord, FileRecord } from './change.ts'
import { Journal } from './journal.ts'
import { releaseLock, takeLock } from './lock.ts'
import { Repository, type FileStep } from './repository.ts'

/** Changes that follow each other this closely are recorded together, ms … */
const gatherMs = 150
/** … but none waits longer than this, ms. */
const mostGatherMs = 1000
const journalDelayMs = 100
/** Larger texts have no lines worth telling apart. */
const mostBlamed = 2_000_000

export interface Change extends FileStep {
  readonly origin: Origin
  readonly at: number
}

export interface RecorderSettings {
  readonly gitdir: string
  readonly workspace: string
  readonly forbidden: readonly string[]
  /** Days that are kept; null for all. */
  readonly keepDays: number | null
  /** Looks at every file for what changed while nobody looked; not when the recorder only slept. */
  readonly isStart: boolean
  /** The folder of the journal: it knows where changes come from that were not told. */
  readonly journalFolder: string
}

export interface Recorded {
  readonly paths: readonly string[]
  /** Changes that were told and are not recorded yet. */
  readonly waiting: number
}

export interface BlamedLine extends Origin {
  readonly commit: string
  readonly at: number
}

export interface TimelineRequest {
  readonly path?: string | undefined
  /** Only what is older than this commit. */
  readonly before?: string | undefined
  readonly since?: number | undefined
  readonly causes?: readonly string[] | undefined
  readonly limit: number
}

export class Recorder {
  readonly #settings: RecorderSettings
  readonly #onRecorded: (event: Recorded) => void
  readonly #repository: Promise<Repository>
  #waiting: Change[] = []
  #timer: NodeJS.Timeout | undefined
  #waitingSince = 0
  /** Another process records. */
  #isPassive = false
  #work: Promise<void>

  constructor(settings: RecorderSettings, onRecorded: (event: Recorded) => void) {
    this.#settings = settings
    this.#onRecorded = onRecorded
    this.#repository = Repository.open(settings.gitdir, settings.workspace)
    this.#work = this.#open()
  }

  /** True when another process records. */
  async isPassive(): Promise<boolean> {
    await this.#work
    return this.#isPassive
  }

  record(change: Change): void {
    this.#waiting.push(change)
    const now = performance.now()
    if (this.#waiting.length === 1) this.#waitingSince = now
    clearTimeout(this.#timer)
    const rest = this.#waitingSince + mostGatherMs - now
    this.#timer = setTimeout(() => void this.#flush(), Math.min(gatherMs, Math.max(0, rest)))
  }

  /** Files that somebody changed; what is ours is recorded already, or waits before this. */
  async look(paths: readonly string[]): Promise<void> {
    await this.#flush()
    await this.#enqueue(() => this.#recordFound(paths))
  }

  /** Changes, newest first, each with the one file of it that is meant. */
  async timeline({
    path,
    before,
    since,
    causes,
    limit,
  }: TimelineRequest): Promise<(CommitRecord & { file: FileRecord })[]> {
    const log = await this.#log()
    const found: (CommitRecord & { file: FileRecord })[] = []
    let name = path
    let isPast = before === undefined
    for (const record of log) {
      if (found.length >= limit || (since !== undefined && record.at < since)) break
      const wasPast = isPast
      isPast ||= record.commit === before
      for (const file of record.files) {
        if (name !== undefined && file.path !== name) continue
        if (wasPast && (causes === undefined || causes.includes(record.cause))) found.push({ ...record, file })
        if (name !== undefined && file.from !== undefined) name = file.from
      }
    }
    return found
  }

  /** A change as a unified diff, and the file's text before and after it. */
  async diff(commit: string, path: string): Promise<{ patch: string; before: string | null; after: string | null }> {
    const repository = await this.#repository
    const file = (await this.#log())
      .find((record) => record.commit === commit)
      ?.files.find((known) => known.path === path)
    if (!file) throw new AppError('file_not_found', `${path} has no change ${commit}`, { path })
    const before = file.before === null ? null : await repository.text(file.before)
    const after = file.after === null ? null : await repository.text(file.after)
    const patch = createTwoFilesPatch(path, path, before ?? '', after ?? '', undefined, undefined, { context: 2 })
    return { patch, before, after }
  }

  /** For each line of the newest recorded text, the change that brought it. */
  async blame(path: string): Promise<BlamedLine[]> {
    const repository = await this.#repository
    const changes = await this.timeline({ path, limit: Number.MAX_SAFE_INTEGER })
    const versions: { id: BlamedLine; text: string }[] = []
    for (const { commit, at, cause, session, turn, file } of changes.reverse()) {
      const text = file.after === null ? '' : await repository.text(file.after)
      if (text.length > mostBlamed) return []
      versions.push({ id: { commit, at, cause, session, turn }, text })
    }
    return blame(versions)
  }

  /** Waits until all that was told so far is recorded. */
  async settle(): Promise<void> {
    await this.#flush()
    await this.#work
  }

  async close(): Promise<void> {
    await this.settle()
    if (!this.#isPassive) await releaseLock(this.#lock)
  }

  get #lock(): string {
    return `${this.#settings.gitdir}.lock`
  }

  async #log(): Promise<readonly CommitRecord[]> {
    await this.settle()
    if (this.#isPassive) return (await Repository.open(this.#settings.gitdir, this.#settings.workspace)).log()
    return (await this.#repository).log()
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#enqueue(() => this.#recordWaiting())
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }

  async #recordWaiting(): Promise<void> {
    const changes = this.#waiting
    this.#waiting = []
    const repository = await this.#repository
    let group: Change[] = []
    for (const change of changes) {
      const last = group.at(-1)
      if (last && !isSameOrigin(last.origin, change.origin)) {
        await this.#commitGroup(repository, group)
        group = []
      }
      group.push(change)
    }
    await this.#commitGroup(repository, group)
  }

  async #commitGroup(repository: Repository, told: readonly Change[]): Promise<void> {
    const group = notYetRecorded(repository, told)
    const [first] = group
    const last = group.at(-1)
    if (!first || !last) return
    await this.#commit({ cause: 'outside' }, await this.#unseenBefore(repository, group), first.at)
    await this.#commit(first.origin, collapse(group), last.at)
  }

  async #commit(origin: Origin, steps: readonly FileStep[], at: number): Promise<void> {
    if (steps.length === 0 || this.#isPassive) return
    const record = await (await this.#repository).commit(origin, steps, at)
    if (record) this.#onRecorded({ paths: record.files.map(({ path }) => path), waiting: this.#waiting.length })
  }

  /** Records what changed while the app was closed. */
  async #open(): Promise<void> {
    const { workspace, forbidden, keepDays, isStart } = this.#settings
    const repository = await this.#repository
    this.#isPassive = !(await takeLock(this.#lock))
    if (!isStart) return
    const { files } = await walkMarkdown(workspace, undefined, forbidden)
    const recorded = [...repository.files()].map(([path]) => path)
    await this.#recordFound(new Set([...files.map(({ path }) => path), ...recorded]))
    if (keepDays !== null && !this.#isPassive) await repository.forgetBefore(Date.now() - keepDays * 86_400_000)
  }

  /** Records files as they are now; what the journal knows of keeps its origin, all else came from outside. */
  async #recordFound(paths: Iterable<string>): Promise<void> {
    const repository = await this.#repository
    const steps: FileStep[] = []
    for (const path of paths) {
      const step = await this.#stepTo(repository, path, await this.#readFile(path))
      if (step) steps.push(step)
    }
    if (steps.length === 0) return
    // A write of ours is in the journal a moment after it is on the disk.
    await sleep(journalDelayMs)
    const journal = await new Journal(this.#settings.journalFolder).read()
    const known = new Map(journal.map((entry) => [`${entry.path}\n${entry.hash}`, entry.origin]))
    const outside: FileStep[] = []
    for (const step of steps) {
      const origin = step.after === null ? undefined : known.get(`${step.path}\n${blobId(step.after)}`)
      if (origin) await this.#commit(origin, [step], Date.now())
      else outside.push(step)
    }
    await this.#commit({ cause: 'outside' }, outside, Date.now())
  }

  /** Files that were something else before the group than what is recorded: somebody changed them in between. */
  async #unseenBefore(repository: Repository, group: readonly Change[]): Promise<FileStep[]> {
    const seen = new Set<string>()
    const steps: FileStep[] = []
    for (const { path, from = path, before } of group) {
      if (seen.has(from)) continue
      seen.add(from)
      seen.add(path)
      const step = await this.#stepTo(repository, from, before)
      if (step) steps.push(step)
    }
    return steps
  }

  /** From what is recorded of a file to what it is now; undefined when that is the same. */
  async #stepTo(repository: Repository, path: string, now: string | null | undefined): Promise<FileStep | undefined> {
    if (now === undefined) return undefined
    const recorded = repository.idAt(path)
    if ((now === null ? undefined : blobId(now)) === recorded) return undefined
    return { path, before: recorded === undefined ? null : await repository.text(recorded), after: now }
  }

  /** Null when there is no such file; undefined when it is none that has a history: not text, too large, not ours. */
  async #readFile(path: string): Promise<string | null | undefined> {
    const { workspace, forbidden } = this.#settings
    try {
      return (await readText(await resolveInside({ workspace, forbidden }, path), path)).text
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return error.code === 'file_not_found' ? null : undefined
    }
  }
}

/** A look can be quicker than the one who tells: what leads to the recorded state is recorded. */
function notYetRecorded(repository: Repository, group: readonly Change[]): readonly Change[] {
  const recordedUpTo = new Map<string, number>()
  for (const [index, { path, from, after }] of group.entries()) {
    if (from === undefined && (after === null ? undefined : blobId(after)) === repository.idAt(path))
      recordedUpTo.set(path, index)
  }
  return group.filter(({ path }, index) => index > (recordedUpTo.get(path) ?? -1))
}

/** One step a file: from its first state to its last. */
function collapse(group: readonly Change[]): FileStep[] {
  const steps = new Map<string, FileStep>()
  for (const { path, from, before, after } of group) {
    const earlier = steps.get(from ?? path)
    steps.delete(from ?? path)
    const origin = earlier?.from ?? from
    steps.set(path, {
      path,
      ...(origin === undefined ? {} : { from: origin }),
      before: earlier?.before ?? before,
      after,
    })
  }
  return [...steps.values()]
}

function isSameOrigin(one: Origin, other: Origin): boolean {
  return one.cause === other.cause && one.session === other.session && one.turn === other.turn
}
