import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { LeftFile, Moving, PastBatch } from '#shared/contract/index.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { AppError } from '#shared/util/errors.ts'
import { EventEmitter, type Subscribable, type Clock, type Differ, inBatches } from '#platform'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import { assertNotOwnFolder } from '../links/own-folder.ts'
import { batchSchema, batchKind, batchNames, type Batch } from './change-journal.ts'
import type { TextWrite } from './settle-text.ts'
import type { TransactionOptions } from './transaction.ts'
import { UndoStore } from './undo-store.ts'

/** Number of batches that can be undone. The history contains the older ones too. */
const maxUndoableBatches = 20
const concurrency = 16

const fileSchema = z.object({ path: z.string(), newPath: z.string(), before: z.string(), after: z.string() })

const undoSchema = batchSchema.extend({
  /** Milliseconds since the epoch. */
  at: z.number(),
  files: z.array(fileSchema),
  /** Folders that the batch created, innermost first. */
  made: z.array(z.string()),
})
type StoredUndo = z.infer<typeof undoSchema>

/** Stored format of earlier versions: a move or a renamed tag. */
const earlierMoveSchema = undoSchema
  .omit({ files: true })
  .extend({ rewrites: z.array(fileSchema) })
  .transform(({ rewrites, ...otherFields }): StoredUndo => ({ ...otherFields, files: rewrites }))

/** Stored format of earlier versions: a replacement. */
const earlierReplacementSchema = z
  .object({
    at: z.number(),
    text: z.string(),
    replacement: z.string(),
    count: z.number(),
    files: z.array(fileSchema.omit({ newPath: true })),
  })
  .transform(({ at, files, ...replacement }): StoredUndo => ({
    at,
    replacement,
    files: files.map((file) => ({ ...file, newPath: file.path })),
    made: [],
  }))

export interface BatchesOptions {
  readonly workspace: Workspace
  readonly differ: Differ
  readonly now: Clock
  readonly folder: string
}

interface WriteOptions extends TransactionOptions {
  /** Collects notes that cannot be written; the others are written. Without it, one such note fails the batch. */
  readonly skipped?: LeftFile[] | undefined
}

interface RunningBatch extends Moving {
  readonly abortController: AbortController
}

export class Batches {
  readonly #changes = new EventEmitter<Moving | null>()
  /** Emits the progress of the running batch, and null when it ends. */
  readonly progress: Subscribable<Moving | null> = this.#changes
  readonly #options: BatchesOptions
  readonly #store: UndoStore<StoredUndo>
  /** Undo information that could not be stored; lost when the app quits. */
  readonly #unstored = new Map<string, StoredUndo>()
  #queue: Promise<unknown> = Promise.resolve()
  #runningBatch: RunningBatch | undefined

  constructor(options: BatchesOptions) {
    this.#options = options
    const schema = z.union([undoSchema, earlierMoveSchema, earlierReplacementSchema])
    this.#store = new UndoStore({ folder: options.folder, limit: maxUndoableBatches, schema })
  }

  /** Progress of the running batch; null if none runs. */
  get running(): Moving | null {
    if (!this.#runningBatch) return null
    const { abortController: _abortController, ...progress } = this.#runningBatch
    return progress
  }

  /** Cancels the running batch and rolls it back. No effect once all notes are written. */
  cancel(): void {
    const runningBatch = this.#runningBatch
    if (!runningBatch || runningBatch.done === runningBatch.total || runningBatch.isCancelled) return
    runningBatch.abortController.abort()
    this.#setRunning({ ...runningBatch, isCancelled: true })
  }

  /**
   * Writes a batch and stores its undo information. The user sees the progress and can cancel.
   * @returns the id for `undo`
   * @throws AppError as `Workspace.runTransaction`; nothing is changed then
   */
  async run(batch: Batch, texts: readonly TextWrite[], origin: WriteOrigin): Promise<string> {
    const written = await this.#writeWithProgress(batch, texts, origin)
    return this.storeUndo(batch, written.texts, written.made)
  }

  /**
   * Writes a batch without undo information.
   * @returns the texts that were written, and folders that were created
   * @throws AppError as `Workspace.runTransaction`
   */
  async write(batch: Batch, texts: readonly TextWrite[], origin: WriteOrigin, options: WriteOptions = {}) {
    const { skipped, ...transactionOptions } = options
    for (let remaining = texts; ;) {
      // Every note was skipped, so there is nothing to write.
      if (skipped && remaining.length === 0) return { texts: [], made: [] }
      try {
        return await this.#options.workspace.runTransaction(batch, remaining, origin, transactionOptions)
      } catch (error) {
        const path = error instanceof AppError ? error.data['path'] : undefined
        const otherTexts = remaining.filter((text) => text.path !== path)
        const canSkip = skipped && !transactionOptions.signal?.aborted && typeof path === 'string'
        if (!canSkip || otherTexts.length === remaining.length) throw error
        skipped.push(toLeftFile(path, error))
        remaining = otherTexts
      }
    }
  }

  /**
   * Stores undo information.
   * @param made folders that the batch created, innermost first
   * @returns the id for `undo`
   */
  async storeUndo(batch: Batch, texts: readonly TextWrite[], made: readonly string[]): Promise<string> {
    const id = randomUUID()
    const files = texts.flatMap(({ path, newPath, before, after }) =>
      before === null ? [] : [{ path, newPath, before, after }],
    )
    const storedUndo = { ...batch, at: this.#options.now().getTime(), files, made: [...made] }
    try {
      await this.#store.put(id, storedUndo)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#unstored.set(id, storedUndo)
    }
    return id
  }

  async list(): Promise<PastBatch[]> {
    return (await this.#store.all()).flatMap(([undo, { at, files, made: _made, ...batch }]) => {
      const kind = batchKind(batch)
      const { count } = batch.replacement ?? {}
      return kind ? [{ undo, at, kind, ...batchNames(batch), count, notes: files.length }] : []
    })
  }

  /**
   * Undoes a batch, even if other lines have changed since. Notes of a replacement whose lines have changed are
   * returned in `left`; a move or a renamed tag is undone completely or not at all.
   * @throws AppError `undo_conflict` if lines have changed or the batch was already undone; nothing is changed then
   */
  async undo(id: string, origin: WriteOrigin): Promise<{ notes: number; left: LeftFile[] }> {
    const storedUndo = (await this.#store.get(id)) ?? this.#unstored.get(id)
    if (!storedUndo)
      throw new AppError('undo_conflict', 'this change was already undone, or is too old to undo', { path: '' })
    const { move, tag, replacement, files, made } = storedUndo
    const left: LeftFile[] | undefined = replacement && []
    const restored = await inBatches(files, concurrency, (file) => this.#revertFile(file, left))
    const batch = {
      move: move && reverseMove(move),
      tag: tag && reverseMove(tag),
      replacement: replacement && { ...replacement, text: replacement.replacement, replacement: replacement.text },
    }
    const { texts } = await this.#writeWithProgress(batch, restored.flat(), origin, left)
    await this.#store.drop(id)
    this.#unstored.delete(id)
    await this.#options.workspace.removeEmpty(made)
    return { notes: texts.length, left: left ?? [] }
  }

  /** @param left receives the file if it cannot be restored; if undefined, the error is thrown */
  async #revertFile(file: StoredUndo['files'][number], left: LeftFile[] | undefined): Promise<TextWrite[]> {
    const { path, newPath, before, after } = file
    const { workspace, differ } = this.#options
    try {
      const { text } = await workspace.read(newPath)
      const mergeInput = { base: after, mine: text, theirs: before, keepsBoth: false }
      const restored = text === after ? before : await differ.merge(mergeInput)
      if (restored !== undefined) return [{ path: newPath, newPath: path, before: text, after: restored }]
      const message = `${newPath} has changed since; the change cannot be undone automatically`
      throw new AppError('undo_conflict', message, { path: newPath })
    } catch (error) {
      if (!left) throw error
      left.push(toLeftFile(newPath, error))
      return []
    }
  }

  /** Runs batches one at a time, so that `cancel` stops the batch whose progress is shown. */
  async #writeWithProgress(batch: Batch, texts: readonly TextWrite[], origin: WriteOrigin, skipped?: LeftFile[]) {
    if (batch.move) assertNotOwnFolder(this.#options.workspace.layout.own, batch.move)
    const result = this.#queue.then(async () => {
      const abortController = new AbortController()
      const { from, to } = batch.move ?? { from: '', to: '' }
      // This method handles a replacement only when it is undone.
      const isRollback = () => abortController.signal.aborted || batch.replacement !== undefined
      const onProgress = (written: number, total: number) =>
        this.#setRunning({ from, to, done: written, total, isCancelled: isRollback(), abortController })
      try {
        return await this.write(batch, texts, origin, { onProgress, signal: abortController.signal, skipped })
      } finally {
        this.#setRunning(undefined)
      }
    })
    this.#queue = result.catch(() => undefined)
    return result
  }

  #setRunning(runningBatch: RunningBatch | undefined): void {
    this.#runningBatch = runningBatch
    this.#changes.emit(this.running)
  }
}

/** Maps an expected error to the reason why a file was skipped. @throws any other error */
export function toLeftFile(path: string, error: unknown): LeftFile {
  if (!(error instanceof AppError)) throw error
  const isChanged = ['file_changed', 'file_not_found', 'undo_conflict'].includes(error.code)
  return { path, reason: isChanged ? 'changed' : 'refused' }
}

function reverseMove({ from, to }: Move): Move {
  return { from: to, to: from }
}
