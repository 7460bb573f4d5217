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

/** On whose account a file is written: for agents with the conversation, and the message being answered. */
export interface WriteOrigin {
  readonly cause: Cause
  readonly session?: string | undefined
  readonly turn?: string | undefined
  /** The other program that had it written. */
  readonly client?: string | undefined
  /** Where some of it comes from that is trusted less than the user. */
  readonly sources?: readonly string[] | undefined
  /** What was there before stands again: a change was taken back, or an older version. */
  readonly isUndo?: boolean | undefined
}

export interface WorkspaceWrite {
  readonly path: string
  readonly origin: WriteOrigin
  readonly hash: string
  /** Where the file was before, when it was moved. */
  readonly from?: string
  /** The texts; null where there was, or is, no file. */
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
  /** What it takes to take the note out again. */
  readonly note: AddedNote
}

export interface Capture extends Omit<RememberedLines, 'note'> {
  readonly note: string
  readonly origin: WriteOrigin
}

/** Another program may be at work on the same file; it does not save this often in a row. */
const maxTries = 20

type Rewrite = (current: TextFile | undefined) => string | Promise<string>

export class Edits {
  readonly changes: Announcements<WorkspaceWrite>
  readonly #changes = new Changes<WorkspaceWrite>()
  readonly #roots: Roots
  readonly #now: Clock
  readonly #alone: Exclusive

  /** @param onUnlocked told when other processes cannot be kept from writing at the same time, and why */
  constructor(roots: Roots, now: Clock, onUnlocked: ((error: unknown) => void) | undefined) {
    this.changes = this.#changes
    this.#roots = roots
    this.#now = now
    this.#alone = new Exclusive(roots.workspace, onUnlocked)
  }

  /** Rewrites a file by a function of what it is now. */
  async change(path: string, origin: WriteOrigin, rewrite: Rewrite): Promise<WorkspaceWrite> {
    return this.run(() => this.rewrite(normalizeRequest(path), origin, rewrite))
  }

  /** Only within `run`. */
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

  /** What is told of a change that was made. @param before, after the texts; null where there was, or is, no file */
  writeOf(path: string, origin: WriteOrigin, before: string | null, after: string | null): WorkspaceWrite {
    return { path, origin, hash: hashText(after ?? ''), before, after, at: this.#now().getTime() }
  }

  /** Only within `run`: nobody else writes until all have heard. */
  async tell(write: WorkspaceWrite): Promise<void> {
    await this.#changes.settle(write)
  }

  /** The same of the parts of one change. */
  async tellAll(writes: readonly WorkspaceWrite[]): Promise<void> {
    await this.#changes.settleAll(writes)
  }

  /** Does something alone. @throws AppError `folder_gone` rather than making a workspace that was moved away anew */
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
