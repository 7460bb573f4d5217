import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { LeftFile, Moving, PastBatch } from '#shared/contract/index.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { AppError } from '#shared/util/errors.ts'
import { Changes, type Announcements, type Clock, type Differ, inBatches } from '#platform'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-edits.ts'
import { assertNotOwn } from '../links/attachment-folder.ts'
import { batchSchema, kindOf, namesOf, type Batch } from './change-journal.ts'
import type { TextWrite } from './settle-text.ts'
import type { TransactionWatch } from './transaction.ts'
import { UndoStore } from './undo-store.ts'

/** Older changes stand in the history. */
const maxKept = 20
/** Files that are read at the same time. */
const atOnce = 16

const fileSchema = z.object({ path: z.string(), newPath: z.string(), before: z.string(), after: z.string() })

const undoSchema = batchSchema.extend({
  /** Milliseconds since the epoch. */
  at: z.number(),
  files: z.array(fileSchema),
  /** Folders that were made for it, the innermost first. */
  made: z.array(z.string()),
})
type Undo = z.infer<typeof undoSchema>

/** A move or a tag's other name, as earlier versions kept it. */
const earlierMoveSchema = undoSchema
  .omit({ files: true })
  .extend({ rewrites: z.array(fileSchema) })
  .transform(({ rewrites, ...rest }): Undo => ({ ...rest, files: rewrites }))

/** A replacement, as earlier versions kept it. */
const earlierReplacementSchema = z
  .object({
    at: z.number(),
    text: z.string(),
    replacement: z.string(),
    count: z.number(),
    files: z.array(fileSchema.omit({ newPath: true })),
  })
  .transform(({ at, files, ...replacement }): Undo => ({
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

interface WriteOptions extends TransactionWatch {
  /** Gets notes that cannot be written, and the others are; without it one of them keeps all from being written. */
  readonly left?: LeftFile[] | undefined
}

interface UnderWay extends Moving {
  readonly stop: AbortController
}

export class Batches {
  /** A batch is further than it was, or none is under way any more. */
  readonly changes: Announcements<Moving | null>
  readonly #changes = new Changes<Moving | null>()
  readonly #options: BatchesOptions
  readonly #store: UndoStore<Undo>
  /** What the disk did not take can be undone for as long as the app runs. */
  readonly #unkept = new Map<string, Undo>()
  #queue: Promise<unknown> = Promise.resolve()
  #underWay: UnderWay | undefined

  constructor(options: BatchesOptions) {
    this.changes = this.#changes
    this.#options = options
    const schema = z.union([undoSchema, earlierMoveSchema, earlierReplacementSchema])
    this.#store = new UndoStore({ folder: options.folder, most: maxKept, schema })
  }

  /** The batch that is under way; null for none. */
  get moving(): Moving | null {
    if (!this.#underWay) return null
    const { stop: _stop, ...moving } = this.#underWay
    return moving
  }

  /** Takes back what is under way; nothing where all of it is written. */
  cancel(): void {
    const underWay = this.#underWay
    if (!underWay || underWay.done === underWay.total || underWay.isCancelled) return
    underWay.stop.abort()
    this.#tell({ ...underWay, isCancelled: true })
  }

  /**
   * Writes a batch and keeps what undoes it; the user sees how far it is, and can cancel it.
   * @returns the id of its undo
   * @throws AppError as `Workspace.change`; nothing is done then
   */
  async run(batch: Batch, texts: readonly TextWrite[], origin: WriteOrigin): Promise<string> {
    const done = await this.#writeShown(batch, texts, origin)
    return this.keep(batch, done.texts, done.made)
  }

  /**
   * Writes a batch.
   * @returns what was written, and folders that were made for it
   * @throws AppError as `Workspace.change`
   */
  async write(batch: Batch, texts: readonly TextWrite[], origin: WriteOrigin, options: WriteOptions = {}) {
    const { left, ...watch } = options
    for (let rest = texts; ;) {
      // Without a text nothing is left of a batch that leaves notes.
      if (left && rest.length === 0) return { texts: [], made: [] }
      try {
        return await this.#options.workspace.change(batch, rest, origin, watch)
      } catch (error) {
        const path = error instanceof AppError ? error.data['path'] : undefined
        const others = rest.filter((text) => text.path !== path)
        if (!left || watch.signal?.aborted || typeof path !== 'string' || others.length === rest.length) throw error
        left.push(leftBy(path, error))
        rest = others
      }
    }
  }

  /** @returns the id of the undo */
  async keep(batch: Batch, texts: readonly TextWrite[], made: readonly string[]): Promise<string> {
    const undo = randomUUID()
    const files = texts.flatMap(({ path, newPath, before, after }) =>
      before === null ? [] : [{ path, newPath, before, after }],
    )
    const one = { ...batch, at: this.#options.now().getTime(), files, made: [...made] }
    try {
      await this.#store.put(undo, one)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#unkept.set(undo, one)
    }
    return undo
  }

  /** Those that can be undone, latest first. */
  async list(): Promise<PastBatch[]> {
    return (await this.#store.all()).flatMap(([undo, { at, files, made: _made, ...batch }]) => {
      const kind = kindOf(batch)
      const { count } = batch.replacement ?? {}
      return kind ? [{ undo, at, kind, ...namesOf(batch), count, notes: files.length }] : []
    })
  }

  /**
   * Takes a batch back, also where other lines were changed since. A note of a replacement whose lines were changed is
   * left and named; a move and a tag's other name go back as a whole.
   * @throws AppError `undo_conflict` where they cannot, or were taken back already; nothing is done then
   */
  async undo(undo: string, origin: WriteOrigin): Promise<{ notes: number; left: LeftFile[] }> {
    const done = (await this.#store.get(undo)) ?? this.#unkept.get(undo)
    if (!done) throw new AppError('undo_conflict', 'this was taken back already, or was long ago', { path: '' })
    const { move, tag, replacement, files, made } = done
    const left = replacement && []
    const restored = await inBatches(files, atOnce, (file) => this.#restored(file, left))
    const batch = {
      move: move && turned(move),
      tag: tag && turned(tag),
      replacement: replacement && { ...replacement, text: replacement.replacement, replacement: replacement.text },
    }
    const { texts } = await this.#writeShown(batch, restored.flat(), origin, left)
    await this.#store.drop(undo)
    this.#unkept.delete(undo)
    await this.#options.workspace.removeEmpty(made)
    return { notes: texts.length, left: left ?? [] }
  }

  /** @param left gets the file where it cannot be restored */
  async #restored(file: Undo['files'][number], left: LeftFile[] | undefined): Promise<TextWrite[]> {
    const { path, newPath, before, after } = file
    const { workspace, differ } = this.#options
    try {
      const { text } = await workspace.read(newPath)
      const merge = { base: after, mine: text, theirs: before, keepsBoth: false }
      const restored = text === after ? before : await differ.merge(merge)
      if (restored !== undefined) return [{ path: newPath, newPath: path, before: text, after: restored }]
      const message = `${newPath} was changed since; the change cannot be taken back by itself`
      throw new AppError('undo_conflict', message, { path: newPath })
    } catch (error) {
      if (!left) throw error
      left.push(leftBy(newPath, error))
      return []
    }
  }

  /** One after another: who cancels means the one that is seen. */
  async #writeShown(batch: Batch, texts: readonly TextWrite[], origin: WriteOrigin, left?: LeftFile[]) {
    if (batch.move) assertNotOwn(this.#options.workspace.layout.own, batch.move)
    const done = this.#queue.then(async () => {
      const stop = new AbortController()
      const { from, to } = batch.move ?? { from: '', to: '' }
      // A replacement comes here to be taken back.
      const isGoingBack = () => stop.signal.aborted || batch.replacement !== undefined
      const onProgress = (written: number, total: number) =>
        this.#tell({ from, to, done: written, total, isCancelled: isGoingBack(), stop })
      try {
        return await this.write(batch, texts, origin, { onProgress, signal: stop.signal, left })
      } finally {
        this.#tell(undefined)
      }
    })
    this.#queue = done.catch(() => undefined)
    return done
  }

  #tell(underWay: UnderWay | undefined): void {
    this.#underWay = underWay
    this.#changes.announce(this.moving)
  }
}

/** What an expected failure says of a file. @throws any other failure */
export function leftBy(path: string, error: unknown): LeftFile {
  if (!(error instanceof AppError)) throw error
  const isChanged = ['file_changed', 'file_not_found', 'undo_conflict'].includes(error.code)
  return { path, reason: isChanged ? 'changed' : 'refused' }
}

function turned({ from, to }: Move): Move {
  return { from: to, to: from }
}
