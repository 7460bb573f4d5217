import { stat } from 'node:fs/promises'
import { type Clock, BatchEmitter, Mutex, type Subscribable } from '#platform'
import { AppError, onAppError, onSystemError, retryIf } from '#shared/util/errors.ts'
import type { FileChange } from '#shared/util/file-change.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import {
  assertReadable,
  assertUnprotected,
  ConcurrentWriteError,
  fileStamp,
  hashText,
  readText,
  type TextFile,
  writeText,
} from './text-files.ts'
import type { ChangeLog, FileTransition } from '../changes/change-log.ts'
import type { WriteOrigin } from '../changes/change-rows.ts'
import { normalizePath, resolveWritable, type Roots } from './paths.ts'

export type { WriteOrigin }

/** A write of one file, moves and deletions included. Paths are relative to the workspace. */
export interface WorkspaceWrite extends FileTransition {
  readonly origin: WriteOrigin
  /** SHA-256 of `after`, hex. */
  readonly hash: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Id of the change set; undefined if nothing changed or the log could not store it. */
  readonly change?: number | undefined
}

export interface RememberedLines extends LinesOfFile {
  readonly change: FileChange
}

export interface Capture extends RememberedLines {
  readonly note: string
  readonly origin: WriteOrigin
}

const maxAttempts = 20
const isConcurrentWrite = (error: unknown) => error instanceof ConcurrentWriteError

/** The caller ends the change set, which contains the file already; undefined if the log could not store it. */
export type BegunChange = Pick<WorkspaceWrite, 'change'>

type Rewrite = (current: TextFile | undefined) => string | Promise<string>

export class NoteWriter {
  readonly #changes = new BatchEmitter<WorkspaceWrite>()
  readonly changes: Subscribable<WorkspaceWrite> = this.#changes
  readonly #roots: Roots
  readonly #now: Clock
  readonly #mutex: Mutex
  readonly #log: ChangeLog | undefined

  /** @param onUnlocked called with the reason if the lock cannot keep other processes out */
  constructor(
    roots: Roots,
    now: Clock,
    log: ChangeLog | undefined,
    onUnlocked: ((error: unknown) => void) | undefined,
  ) {
    this.#roots = roots
    this.#now = now
    this.#log = log
    this.#mutex = new Mutex(roots.workspace, onUnlocked)
  }

  /** @throws AppError as `rewrite` and `withLock` */
  async change(path: string, origin: WriteOrigin, rewrite: Rewrite, begun?: BegunChange): Promise<WorkspaceWrite> {
    return this.withLock(() => this.rewrite(normalizePath(path), origin, rewrite, begun))
  }

  /** Rewrites a note. The caller must hold the lock. @throws AppError as `resolveWritable`, `readText`, `writeText`; `file_protected` */
  async rewrite(notePath: string, origin: WriteOrigin, rewrite: Rewrite, begun?: BegunChange): Promise<WorkspaceWrite> {
    return retryIf(isConcurrentWrite, maxAttempts, async () => {
      const { target, isAllowed } = await resolveWritable(this.#roots, notePath)
      const stamp = await fileStamp(target)
      const current = await readText(target, notePath, isAllowed).catch(onAppError('file_not_found'))
      const text = await rewrite(current)
      assertReadable(text, notePath)
      const before = current?.text ?? null
      const file = { path: notePath, before, after: text }
      if (before === text) return this.createWrite(file, origin)
      await assertUnprotected(target, notePath)
      const change = begun ? begun.change : await this.#log?.begin({ origin, at: this.now(), files: [file] })
      try {
        await writeText(target, text, notePath, isAllowed, stamp)
      } catch (error) {
        if (!begun) this.#log?.cancel(change)
        throw error
      }
      if (!begun) this.#log?.done(change, new Map([[notePath, (await fileStamp(target)) ?? '']]))
      await this.notify([file], origin, change)
      return this.createWrite(file, origin, change)
    })
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#now().getTime()
  }

  /** Waits for the listeners, each of which handles several writes at the same time. The caller must hold the lock. */
  async notify(files: readonly FileTransition[], origin: WriteOrigin, change: number | undefined): Promise<void> {
    await this.#changes.emitAllAsync(files.map((file) => this.createWrite(file, origin, change)))
  }

  createWrite({ path, from, before, after }: FileTransition, origin: WriteOrigin, change?: number): WorkspaceWrite {
    return { path, from, origin, hash: hashText(after ?? ''), before, after, at: this.now(), change }
  }

  /** @throws AppError `folder_gone`, so that no write recreates the workspace folder; `file_busy` */
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

/** A moved folder must not be mistaken for an empty one. @throws AppError `folder_gone` */
export async function assertWorkspaceExists(workspace: string): Promise<void> {
  const info = await stat(workspace).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
  if (info?.isDirectory()) return
  const message = `${workspace} is not there: put the folder back, or choose its new location in the settings`
  throw new AppError('folder_gone', message, { path: workspace })
}
