import type { Cause } from '#shared/contract/index.ts'
import { type Clock, Changes, type Announcements, Exclusive } from '#platform'
import { AppError } from '#shared/util/errors.ts'
import type { FileChange } from '#shared/util/file-change.ts'
import {
  assertReadable,
  assertUnprotected,
  ChangedMeanwhile,
  hashText,
  readText,
  stateOf,
  writeText,
  type TextFile,
} from './text-files.ts'
import type { AddedNote } from '#shared/markdown/added-note.ts'
import { normalizeRequest, resolveWritable, type Roots } from './paths.ts'
import { assertThere, withFolder } from './workspace-exists.ts'

/** The cause of a write. `session` and `turn` (the message being answered) are set for writes by agents. */
export interface WriteOrigin {
  readonly cause: Cause
  readonly session?: string | undefined
  readonly turn?: string | undefined
  /** The connected program that requested the write. */
  readonly client?: string | undefined
  /** Sources of the text that are less trusted than the user. */
  readonly sources?: readonly string[] | undefined
  /** True if the write restores an earlier text: an undo or an older version. */
  readonly isUndo?: boolean | undefined
}

export interface WorkspaceWrite {
  readonly path: string
  readonly origin: WriteOrigin
  /** SHA-256 of `after`, hex. */
  readonly hash: string
  /** The previous path, if the file was moved. */
  readonly from?: string
  /** Texts; null if there was, or is, no file. */
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
  /** Describes the added lines, so that they can be removed again. */
  readonly note: AddedNote
}

export interface Capture extends Omit<RememberedLines, 'note'> {
  readonly note: string
  readonly origin: WriteOrigin
}

/** Retries if another program keeps writing the same file. */
const maxTries = 20

type Rewrite = (current: TextFile | undefined) => string | Promise<string>

/** Runs all writes of a workspace one at a time, across processes, and notifies listeners of each. */
export class Edits {
  readonly changes: Announcements<WorkspaceWrite>
  readonly #changes = new Changes<WorkspaceWrite>()
  readonly #roots: Roots
  readonly #now: Clock
  readonly #alone: Exclusive

  /** @param onUnlocked called with the reason if the lock cannot keep other processes out */
  constructor(roots: Roots, now: Clock, onUnlocked: ((error: unknown) => void) | undefined) {
    this.changes = this.#changes
    this.#roots = roots
    this.#now = now
    this.#alone = new Exclusive(roots.workspace, onUnlocked)
  }

  /** Takes the lock and rewrites a file. @throws AppError as `rewrite` and `run` */
  async change(path: string, origin: WriteOrigin, rewrite: Rewrite): Promise<WorkspaceWrite> {
    return this.run(() => this.rewrite(normalizeRequest(path), origin, rewrite))
  }

  /**
   * Rewrites a file. The caller must hold the lock (`run`).
   * @throws AppError as `resolveWritable`, `readText`, `assertReadable` and `writeText`; `file_protected`
   */
  async rewrite(shown: string, origin: WriteOrigin, rewrite: Rewrite): Promise<WorkspaceWrite> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#rewriteOnce(shown, origin, rewrite)
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile) || tries === maxTries) throw error
      }
    }
  }

  async #rewriteOnce(shown: string, origin: WriteOrigin, rewrite: Rewrite): Promise<WorkspaceWrite> {
    const { target, isAllowed } = await resolveWritable(this.#roots, shown)
    const known = await stateOf(target)
    const current = await readIfThere(target, shown, isAllowed)
    const text = await rewrite(current)
    assertReadable(text, shown)
    if (current?.text !== text) {
      await assertUnprotected(target, shown)
      await writeText(target, text, shown, isAllowed, known)
    }
    const write = this.writeOf(shown, origin, current?.text ?? null, text)
    if (current?.text !== text) await this.tell(write)
    return write
  }

  /** Builds the event for a change. @param before, after texts; null if there was, or is, no file */
  writeOf(path: string, origin: WriteOrigin, before: string | null, after: string | null): WorkspaceWrite {
    return { path, origin, hash: hashText(after ?? ''), before, after, at: this.#now().getTime() }
  }

  /** Notifies listeners and waits for them. The caller must hold the lock (`run`). */
  async tell(write: WorkspaceWrite): Promise<void> {
    await this.#changes.settle(write)
  }

  /**
   * Notifies listeners of the parts of one change, each listener of several parts at a time. The caller must hold the
   * lock.
   */
  async tellAll(writes: readonly WorkspaceWrite[]): Promise<void> {
    await this.#changes.settleAll(writes)
  }

  /**
   * Runs `work` under the lock.
   * @throws AppError `folder_gone` if the workspace folder does not exist, so that no write recreates it; `file_busy`
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone.run(async () => {
      const { workspace } = this.#roots
      await assertThere(workspace)
      try {
        return await work()
      } catch (error) {
        throw withFolder(error, workspace)
      }
    })
  }

  close(): void {
    this.#alone.close()
  }
}

async function readIfThere(
  target: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
): Promise<TextFile | undefined> {
  try {
    return await readText(target, shownAs, isAllowed)
  } catch (error) {
    if (error instanceof AppError && error.code === 'file_not_found') return undefined
    throw error
  }
}
