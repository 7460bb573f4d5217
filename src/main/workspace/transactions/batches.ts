import type { Moving, PastBatch } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { EventEmitter, type Subscribable } from '#platform'
import type { ChangeLog, FileTransition } from '../changes/change-log.ts'
import { isUndone } from '../changes/change-rows.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import { batchDetailOf, describeBatch, type Batch } from './batch.ts'
import type { TransactionOptions } from './transaction.ts'

/** Number of batches that `list` returns. The timeline contains the older ones too. */
const maxListedBatches = 20

type RunningBatch = Readonly<{ progress: Moving; abortController: AbortController }>

/** Changes of many notes, each with one undo. Moves and renamed tags show their progress and can be cancelled. */
export class Batches {
  readonly #changes = new EventEmitter<Moving | null>()
  /** Null when the running batch ends. */
  readonly progress: Subscribable<Moving | null> = this.#changes
  readonly #workspace: Workspace
  readonly #log: ChangeLog
  #running: RunningBatch | undefined

  constructor(workspace: Workspace, log: ChangeLog) {
    this.#workspace = workspace
    this.#log = log
  }

  get running(): Moving | null {
    return this.#running?.progress ?? null
  }

  /** Cancels the running batch and rolls it back. No effect once all notes are written. */
  cancel(): void {
    if (!this.#running) return
    const { progress, abortController } = this.#running
    if (progress.done === progress.total || progress.isCancelled) return
    abortController.abort()
    this.#setRunning({ progress: { ...progress, isCancelled: true }, abortController })
  }

  /** @returns the change set; null if the log could not store it @throws AppError as `Workspace.runTransaction` */
  async run(batch: Batch, texts: readonly FileTransition[], origin: WriteOrigin): Promise<number | null> {
    const result = await this.#withProgress(batch, (options) =>
      this.#workspace.runTransaction(batch, texts, origin, options),
    )
    return result.change ?? null
  }

  /** Returns the latest batches that were not undone. @throws AppError `history_unavailable` */
  list(): PastBatch[] {
    const sets = this.#log.listSets(['move', 'tag', 'replacement'], maxListedBatches)
    return sets.flatMap(({ id, at, detail, files }) => {
      const batch = batchDetailOf(detail)
      const described = describeBatch(batch)
      return described ? [{ change: id, at, ...described, count: batch.replacement?.count, notes: files }] : []
    })
  }

  /** A move or a renamed tag is undone completely or not at all. @throws AppError `undo_conflict` */
  async undo(change: number, origin: WriteOrigin) {
    if (this.#log.read(({ db }) => isUndone(db, change)))
      throw new AppError('undo_conflict', 'this change was already undone', { path: '' })
    const batch = batchDetailOf(this.#log.setOf(change)?.detail ?? null)
    return this.#withProgress(batch, (options) => this.#workspace.revert({ change }, origin, options))
  }

  async #withProgress<T>({ move, replacement }: Batch, work: (options: TransactionOptions) => Promise<T>): Promise<T> {
    const abortController = new AbortController()
    const { signal } = abortController
    const { from, to } = move ?? { from: '', to: '' }
    // The workspace writes one batch at a time, and only that one reports progress.
    const onProgress = (done: number, total: number) => {
      // This method handles a replacement only when it is undone.
      const isCancelled = signal.aborted || replacement !== undefined
      this.#setRunning({ progress: { from, to, done, total, isCancelled }, abortController })
    }
    try {
      return await work({ onProgress, signal })
    } finally {
      if (this.#running?.abortController === abortController) this.#setRunning(undefined)
    }
  }

  #setRunning(running: RunningBatch | undefined): void {
    this.#running = running
    this.#changes.emit(this.running)
  }
}
