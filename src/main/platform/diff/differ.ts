import type { FileChange } from '#shared/util/file-change.ts'
import { WorkerHost } from '../workers/worker-host.ts'
import { changesOf, type LineEdit } from './compare-lines.ts'
import type { Described, DiffJobs, Merged } from './diff.worker.ts'
import { mergeBoth, mergeTexts } from './merge-texts.ts'
import { describeChange, takeBack } from './patch.ts'

/** Characters of the texts that are compared in place: some 10 ms at worst (test/stress/diff.ts). */
const maxInPlace = 8000
const usualIdleMs = 10_000

export interface DifferOptions {
  /** The worker's file; without one all texts are compared in place. */
  readonly entry?: URL | undefined
  /** The worker ends after so long without a request, ms. */
  readonly idleMs?: number
}

/** Compares short texts in place and long ones in a worker. What the work costs is bounded. */
export class Differ {
  readonly #worker: WorkerHost<DiffJobs> | undefined

  constructor({ entry, idleMs = usualIdleMs }: DifferOptions = {}) {
    if (entry) this.#worker = new WorkerHost({ entry, idleMs })
  }

  get isAwake(): boolean {
    return this.#worker?.isRunning ?? false
  }

  /**
   * What was changed. It never fails, for what is described is done: where the thread is lost, or the wait is given up,
   * everything between the first and the last change counts as changed.
   */
  async describe(change: Described, signal?: AbortSignal): Promise<FileChange> {
    const { path, before, after, isKept } = change
    const worker = this.#workerFor(before, after)
    if (!worker) return describeChange(path, before, after, { isKept })
    try {
      return await worker.run((client) => client.describe(change), signal)
    } catch {
      return describeChange(path, before, after, { isKept, steps: 0 })
    }
  }

  /**
   * A text without a change; undefined when the change's lines do not stand any more.
   * @throws the signal's reason
   */
  async takeBack(text: string, patch: string, signal?: AbortSignal): Promise<string | undefined> {
    const worker = this.#workerFor(text, patch)
    return worker ? worker.run((client) => client.takeBack({ text, patch }), signal) : takeBack(text, patch)
  }

  /**
   * Two changes of one text as one; undefined when they touch and it is not both sides' lines that are wanted.
   * @throws the signal's reason
   */
  async merge(texts: Merged, signal?: AbortSignal): Promise<string | undefined> {
    const { base, mine, theirs, keepsBoth } = texts
    const worker = this.#workerFor(base, mine, theirs)
    if (!worker) return (keepsBoth ? mergeBoth : mergeTexts)(base, mine, theirs)
    return worker.run((client) => client.merge(texts), signal)
  }

  /** Which lines of a text became which of another one; lines are what stands between `\n`. @throws the signal's reason */
  async changes(before: string, after: string, signal?: AbortSignal): Promise<readonly LineEdit[]> {
    const worker = this.#workerFor(before, after)
    return worker ? worker.run((client) => client.changes({ before, after }), signal) : changesOf(before, after)
  }

  /** What is being compared is described roughly, or fails. */
  async close(): Promise<void> {
    await this.#worker?.close()
  }

  /** Undefined where the texts are compared in place. */
  #workerFor(...texts: readonly string[]): WorkerHost<DiffJobs> | undefined {
    return texts.reduce((sum, text) => sum + text.length, 0) > maxInPlace ? this.#worker : undefined
  }
}
