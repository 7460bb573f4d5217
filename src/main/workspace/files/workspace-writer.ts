import { stat } from 'node:fs/promises'
import type { Cause } from '#shared/contract/index.ts'
import { type Clock, EventEmitter, type Subscribable, Mutex } from '#platform'
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
  type PathCheck,
  type TextFile,
} from './text-files.ts'
import type { AddedNote } from '#shared/markdown/added-note.ts'
import { normalizePath, resolveWritable, type Roots } from './paths.ts'

/** The cause of a write. `session` and `turn` (the message that the agent answers) are set for writes by agents. */
export interface WriteOrigin {
  readonly cause: Cause
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly client?: string | undefined
  /** Sources of the text that are less trusted than the user. */
  readonly sources?: readonly string[] | undefined
  readonly isUndo?: boolean | undefined
}

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
        return await this.#rewriteOnce(notePath, origin, rewrite)
      } catch (error) {
        if (!(error instanceof ConcurrentWriteError) || attempt === maxAttempts) throw error
      }
    }
  }

  async #rewriteOnce(notePath: string, origin: WriteOrigin, rewrite: Rewrite): Promise<WorkspaceWrite> {
    const { target, isAllowed } = await resolveWritable(this.#roots, notePath)
    const stamp = await fileStamp(target)
    const current = await readTextIfExists(target, notePath, isAllowed)
    const text = await rewrite(current)
    assertReadable(text, notePath)
    if (current?.text !== text) {
      await assertUnprotected(target, notePath)
      await writeText(target, text, notePath, isAllowed, stamp)
    }
    const write = this.createWrite(notePath, origin, current?.text ?? null, text)
    if (current?.text !== text) await this.notify(write)
    return write
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
        throw withWorkspacePath(error, workspace)
      }
    })
  }

  close(): void {
    this.#mutex.close()
  }
}

async function readTextIfExists(
  target: string,
  shownPath: string,
  isAllowed: PathCheck,
): Promise<TextFile | undefined> {
  try {
    return await readText(target, shownPath, isAllowed)
  } catch (error) {
    if (error instanceof AppError && error.code === 'file_not_found') return undefined
    throw error
  }
}

/**
 * Checks that the workspace folder exists, so that a moved folder is not mistaken for an empty one.
 * @throws AppError `folder_gone`
 */
export async function assertWorkspaceExists(workspace: string): Promise<void> {
  if (await isFolder(workspace)) return
  const message = `${workspace} is not there: put the folder back, or choose its new location in the settings`
  throw new AppError('folder_gone', message, { path: workspace })
}

/**
 * Adds the workspace's path to a `write_failed` error, which names only the path inside the workspace. Returns other
 * errors as they are.
 */
function withWorkspacePath(error: unknown, workspace: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'write_failed') return error
  return new AppError(error.code, `${error.message} (workspace: ${workspace})`, error.data, { cause: error })
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
  return info?.isDirectory() ?? false
}
