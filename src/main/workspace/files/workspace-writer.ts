import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { originShape } from '#shared/contract/history.ts'
import { type Clock, EventEmitter, onAppError, type Subscribable, Mutex } from '#platform'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import type { FileChange } from '#shared/util/file-change.ts'
import {
  assertReadable,
  assertUnprotected,
  ConcurrentWriteError,
  hashText,
  readText,
  fileStamp,
  writeText,
  type TextFile,
} from './text-files.ts'
import type { AddedNote } from '#shared/markdown/added-note.ts'
import { normalizePath, resolveWritable, type Roots } from './paths.ts'

/** The cause of a write. `session` and `turn` (the message that the agent answers) are set for writes by agents. */
export const originSchema = z.object({ ...originShape, isUndo: z.boolean().optional() })
export type WriteOrigin = Readonly<z.infer<typeof originSchema>>

/** A write of one file, moves and deletions included. Paths are relative to the workspace. */
export interface WorkspaceWrite {
  readonly path: string
  readonly origin: WriteOrigin
  /** SHA-256 of `after`, hex. */
  readonly hash: string
  readonly from?: string
  /** Texts before and after; null if the file did not exist then. */
  readonly before: string | null
  readonly after: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface RememberedLines {
  readonly path: string
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  readonly change: FileChange
  readonly note: AddedNote
}

export interface Capture extends Omit<RememberedLines, 'note'> {
  readonly note: string
  readonly origin: WriteOrigin
}

/** Limit if another program keeps writing the same file. */
const maxAttempts = 20

type Rewrite = (current: TextFile | undefined) => string | Promise<string>

/** Runs all writes of a workspace one at a time, across processes, and notifies listeners of each. */
export class WorkspaceWriter {
  readonly #changes = new EventEmitter<WorkspaceWrite>()
  readonly changes: Subscribable<WorkspaceWrite> = this.#changes
  readonly #roots: Roots
  readonly #now: Clock
  readonly #mutex: Mutex

  /** @param onUnlocked called with the reason if the lock cannot keep other processes out */
  constructor(roots: Roots, now: Clock, onUnlocked: ((error: unknown) => void) | undefined) {
    this.#roots = roots
    this.#now = now
    this.#mutex = new Mutex(roots.workspace, onUnlocked)
  }

  /** Takes the lock and rewrites a file. @throws AppError as `rewrite` and `withLock` */
  async change(path: string, origin: WriteOrigin, rewrite: Rewrite): Promise<WorkspaceWrite> {
    return this.withLock(() => this.rewrite(normalizePath(path), origin, rewrite))
  }

  /**
   * Rewrites a file. The caller must hold the lock (`withLock`).
   * @throws AppError as `resolveWritable`, `readText`, `assertReadable` and `writeText`; `file_protected`
   */
  async rewrite(notePath: string, origin: WriteOrigin, rewrite: Rewrite): Promise<WorkspaceWrite> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { target, isAllowed } = await resolveWritable(this.#roots, notePath)
        const stamp = await fileStamp(target)
        const current = await readText(target, notePath, isAllowed).catch(onAppError('file_not_found'))
        const text = await rewrite(current)
        assertReadable(text, notePath)
        const before = current?.text ?? null
        if (before === text) return this.createWrite(notePath, origin, before, text)
        await assertUnprotected(target, notePath)
        await writeText(target, text, notePath, isAllowed, stamp)
        const write = this.createWrite(notePath, origin, before, text)
        await this.notify(write)
        return write
      } catch (error) {
        if (!(error instanceof ConcurrentWriteError) || attempt === maxAttempts) throw error
      }
    }
  }

  /** Builds the event for a change. `before` and `after` are null if the file did not exist then. */
  createWrite(path: string, origin: WriteOrigin, before: string | null, after: string | null): WorkspaceWrite {
    return { path, origin, hash: hashText(after ?? ''), before, after, at: this.#now().getTime() }
  }

  /** Notifies listeners and waits for them. The caller must hold the lock (`withLock`). */
  async notify(write: WorkspaceWrite): Promise<void> {
    await this.#changes.emitAsync(write)
  }

  /**
   * Notifies listeners of the writes of one change. Each listener handles several writes at the same time. The caller
   * must hold the lock.
   */
  async notifyAll(writes: readonly WorkspaceWrite[]): Promise<void> {
    await this.#changes.emitAllAsync(writes)
  }

  /**
   * Runs `work` under the lock.
   * @throws AppError `folder_gone` if the workspace folder does not exist, so that no write recreates it; `file_busy`
   */
  async withLock<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run(async () => {
      const { workspace } = this.#roots
      await assertWorkspaceExists(workspace)
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'write_failed') throw error
        // The message names only the path inside the workspace.
        throw new AppError(error.code, `${error.message} (workspace: ${workspace})`, error.data, { cause: error })
      }
    })
  }

  close(): void {
    this.#mutex.close()
  }
}

/**
 * Checks that the workspace folder exists, so that a moved folder is not mistaken for an empty one.
 * @throws AppError `folder_gone`
 */
export async function assertWorkspaceExists(workspace: string): Promise<void> {
  const info = await stat(workspace).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
  if (info?.isDirectory()) return
  const message = `${workspace} is not there: put the folder back, or choose its new location in the settings`
  throw new AppError('folder_gone', message, { path: workspace })
}
