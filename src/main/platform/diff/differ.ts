import type { FileChange } from '#shared/util/file-change.ts'
import { type WorkerClient, WorkerHost } from '../workers/worker-host.ts'
import { mergeKeepingBoth, mergeTexts, revertInText } from './merge-texts.ts'
import { describeChange, withoutHunks } from './patch.ts'

/** UTF-16 code units. Shorter texts are compared on this thread, in at most 10 ms. */
const maxMainThreadLength = 8000
const defaultIdleMs = 10_000

type Texts<Name extends string> = { readonly [Part in Name]: string }
type Merge = Texts<'base' | 'mine' | 'theirs'> & { readonly keepsBoth: boolean }

export const diffJobs = {
  describe: async ({ path, before, after }: Texts<'path' | 'before' | 'after'>) => describeChange(path, before, after),
  revert: async ({ after, current, restored }: Texts<'after' | 'current' | 'restored'>) =>
    revertInText(after, current, restored),
  withoutHunks: async ({ before, after, hunks }: Texts<'before' | 'after'> & { readonly hunks: readonly number[] }) =>
    withoutHunks(before, after, hunks),
  merge: async ({ base, mine, theirs, keepsBoth }: Merge) =>
    (keepsBoth ? mergeKeepingBoth : mergeTexts)(base, mine, theirs),
}
type Jobs = WorkerClient<typeof diffJobs>
type Task<Name extends keyof Jobs> = Parameters<Jobs[Name]>[0]

/** Compares short texts on this thread and long ones in a worker, with bounded work. */
export class Differ {
  readonly #worker: WorkerHost<typeof diffJobs> | undefined

  constructor({ entry, idleMs = defaultIdleMs }: { readonly entry?: URL; readonly idleMs?: number } = {}) {
    if (entry) this.#worker = new WorkerHost({ entry, idleMs })
  }

  /**
   * Describes a change. Never rejects, because the change is already written: if the worker dies or `signal` is
   * aborted, everything between the first and the last difference counts as changed.
   */
  async describe(change: Task<'describe'>, signal?: AbortSignal): Promise<FileChange> {
    const { path, before, after } = change
    try {
      return await this.#run([before, after], (jobs) => jobs.describe(change), signal)
    } catch {
      return describeChange(path, before, after, 0)
    }
  }

  async revert(task: Task<'revert'>): ReturnType<Jobs['revert']> {
    return this.#run(Object.values(task), (jobs) => jobs.revert(task))
  }

  async withoutHunks(task: Task<'withoutHunks'>): Promise<string> {
    return this.#run([task.before, task.after], (jobs) => jobs.withoutHunks(task))
  }

  /** @returns undefined if the changes overlap and `keepsBoth` is false @throws the signal's reason */
  async merge(texts: Task<'merge'>, signal?: AbortSignal): Promise<string | undefined> {
    return this.#run([texts.base, texts.mine, texts.theirs], (jobs) => jobs.merge(texts), signal)
  }

  /** Ends the worker. Pending `describe` calls return a coarse result; other calls reject. */
  async close(): Promise<void> {
    await this.#worker?.close()
  }

  #run<T>(texts: readonly string[], work: (jobs: Jobs) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const isLong = texts.reduce((sum, text) => sum + text.length, 0) > maxMainThreadLength
    return isLong && this.#worker ? this.#worker.run(work, signal) : work(diffJobs)
  }
}
