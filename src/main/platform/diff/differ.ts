import type { FileChange } from '#shared/util/file-change.ts'
import { WorkerHost } from '../workers/worker-host.ts'
import { compareTexts, type LineEdit } from './compare-lines.ts'
import type { DescribeTask, DiffJobs, MergeTask } from './diff.worker.ts'
import { mergeKeepingBoth, mergeTexts } from './merge-texts.ts'
import { describeChange, revertPatch } from './patch.ts'

/** UTF-16 code units. Shorter texts are compared on this thread, in at most 10 ms (test/stress/diff.ts). */
const maxMainThreadLength = 8000
const defaultIdleMs = 10_000

export interface DifferOptions {
  /** Worker file; without it all texts are compared on this thread. */
  readonly entry?: URL | undefined
  readonly idleMs?: number
}

/** Compares short texts on this thread and long ones in a worker, with bounded work. */
export class Differ {
  readonly #worker: WorkerHost<DiffJobs> | undefined

  constructor({ entry, idleMs = defaultIdleMs }: DifferOptions = {}) {
    if (entry) this.#worker = new WorkerHost({ entry, idleMs })
  }

  get isWorkerRunning(): boolean {
    return this.#worker?.isRunning ?? false
  }

  /**
   * Describes a change. Never rejects, because the change is already written: if the worker dies or `signal` is
   * aborted, everything between the first and the last difference counts as changed.
   */
  async describe(change: DescribeTask, signal?: AbortSignal): Promise<FileChange> {
    const { path, before, after, isInHistory } = change
    const worker = this.#workerFor(before, after)
    if (!worker) return describeChange(path, before, after, { isInHistory })
    try {
      return await worker.run((client) => client.describe(change), signal)
    } catch {
      return describeChange(path, before, after, { isInHistory, steps: 0 })
    }
  }

  /** Reverts a patch in a text. @returns undefined if the changed lines no longer exist @throws the signal's reason */
  async revertPatch(text: string, patch: string, signal?: AbortSignal): Promise<string | undefined> {
    const worker = this.#workerFor(text, patch)
    return worker ? worker.run((client) => client.revertText({ text, patch }), signal) : revertPatch(text, patch)
  }

  /**
   * Merges two changes of one text.
   * @returns undefined if they overlap and `keepsBoth` is false
   * @throws the signal's reason
   */
  async merge(texts: MergeTask, signal?: AbortSignal): Promise<string | undefined> {
    const { base, mine, theirs, keepsBoth } = texts
    const worker = this.#workerFor(base, mine, theirs)
    if (!worker) return (keepsBoth ? mergeKeepingBoth : mergeTexts)(base, mine, theirs)
    return worker.run((client) => client.merge(texts), signal)
  }

  /** Returns the changed lines between two texts, as `compareTexts`. @throws the signal's reason */
  async changedLines(before: string, after: string, signal?: AbortSignal): Promise<readonly LineEdit[]> {
    const worker = this.#workerFor(before, after)
    return worker ? worker.run((client) => client.changedLines({ before, after }), signal) : compareTexts(before, after)
  }

  /** Ends the worker. Pending `describe` calls return a coarse result; other calls reject. */
  async close(): Promise<void> {
    await this.#worker?.close()
  }

  #workerFor(...texts: readonly string[]): WorkerHost<DiffJobs> | undefined {
    return texts.reduce((sum, text) => sum + text.length, 0) > maxMainThreadLength ? this.#worker : undefined
  }
}
