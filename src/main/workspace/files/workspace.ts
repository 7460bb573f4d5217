/**
 * Reads and writes the files of one agent's workspace. A write holds a lock, across all processes, from reading the
 * file until every listener has run.
 */
import { readdir, stat } from 'node:fs/promises'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { systemClock, type Clock, Differ, reversed, Changes, type Announcements, tidyLater } from '#platform'
import type { FileChange } from '#shared/util/file-change.ts'
import { isWriteProtected, placeFile, readText, type TextFile } from './text-files.ts'
import { bringBack, detach, discard, tidyWorkspace, type Trash } from '../transactions/discard.ts'
import { isKeptLocal, runKeepingLocal, type LocalRules } from '../transactions/keep-local.ts'
import { restorer, type Texts } from '../transactions/restorer.ts'
import { recover, type Recovered, type TransactionTools } from '../transactions/recovery.ts'
import { ChangeJournal, kindOf, type Batch, type BatchKind } from '../transactions/change-journal.ts'
import type { TextWrite } from '../transactions/settle-text.ts'
import {
  assertFree,
  assertNoLink,
  assertNotInItself,
  assertSameKind,
  isFolderAt,
  removeEmpty,
  type TransactionWatch,
} from '../transactions/transaction.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { Edits, type Capture, type RememberedLines, type WorkspaceWrite, type WriteOrigin } from './workspace-edits.ts'
import { assertThere } from './workspace-exists.ts'
import { longTermFile, projectContextFiles, usualLayout, type Layout } from './layout.ts'
import { isNote } from './file-names.ts'
import { sectionTitle } from './add-to-section.ts'
import { withoutNote } from './remove-note.ts'
import type { AddedNote } from '#shared/markdown/added-note.ts'
import { findNote, noteInLog, noteInSection } from './remember.ts'
import {
  normalizeRequest,
  readableFolder,
  realPathOf,
  resolveInside,
  resolveNewAttachment,
  resolveReadable,
  resolveWritable,
  type Roots,
} from './paths.ts'
import { withEndsOf } from './line-ends.ts'
import { walkLinks, walkMarkdown, walkPaths, type FoundFile, type Walk } from './walk.ts'

/** A change and, if it removed the file, the path of the file in the trash. */
interface Undone {
  readonly write: WorkspaceWrite
  readonly trashed?: string
}

export interface WorkspaceOptions {
  readonly now?: Clock
  /** Compares texts. Defaults to a new `Differ`. */
  readonly differ?: Differ | undefined
  /** Gives access to recorded texts; returns undefined while the history is off. */
  readonly history?: Texts['history'] | undefined
  /**
   * Path of the journal for changes of several files, in the state folder. Without it a crash can leave a change half
   * done.
   */
  readonly journal?: string | undefined
  /** Rules from the settings that keep paths local. Without them no path is local by rule. */
  readonly local?: LocalRules | undefined
  /** Returns the current layout of the vault. */
  readonly layout?: (() => Layout) | undefined
  /** Called with the reason if the lock cannot keep other processes from writing. */
  readonly onUnlocked?: ((error: unknown) => void) | undefined
}

export class Workspace {
  readonly roots: Roots
  /** Emits every write. Listeners run before the write resolves; the lock is released after their promises settle. */
  readonly changes: Announcements<WorkspaceWrite>
  /** Emits each note that `remember` or `rememberIn` adds. */
  readonly captures: Announcements<Capture>
  readonly #captures = new Changes<Capture>()
  readonly #edits: Edits
  readonly #layout: () => Layout
  readonly #local: LocalRules | undefined
  readonly #texts: Texts
  readonly #trash: Trash
  readonly #transaction: TransactionTools
  #endTidying = () => {}

  constructor(
    roots: Roots,
    {
      now = systemClock,
      differ = new Differ(),
      history = () => undefined,
      layout = () => usualLayout,
      onUnlocked,
      journal,
      local,
    }: WorkspaceOptions = {},
  ) {
    this.roots = roots
    this.#layout = layout
    this.#edits = new Edits(roots, now, onUnlocked)
    this.changes = this.#edits.changes
    this.captures = this.#captures
    this.#texts = { differ, history }
    this.#trash = { roots, edits: this.#edits, now }
    const notes = async () => (await this.list()).files.map(({ path }) => path)
    const kept = journal === undefined ? undefined : new ChangeJournal(journal)
    this.#transaction = { roots, edits: this.#edits, notes, journal: kept }
    this.#local = local
  }

  close(): void {
    this.#endTidying()
    this.#edits.close()
  }

  get layout(): Layout {
    return this.#layout()
  }

  /** @throws AppError `folder_gone` if the workspace folder does not exist */
  async assertThere(): Promise<void> {
    await assertThere(this.roots.workspace)
  }

  /** Lists the Markdown files. @throws AppError `folder_unreadable` */
  async list(signal?: AbortSignal): Promise<Walk> {
    return this.#walked(walkMarkdown, signal)
  }

  /** Returns the paths of the files of `list`. Much faster: it reads no sizes and times. @throws AppError as `list` */
  async paths(signal?: AbortSignal): Promise<string[]> {
    return this.#walked(walkPaths, signal)
  }

  /** Returns the paths of symbolic links that `list` skips: a note has only its own path. @throws AppError as `list` */
  async links(signal?: AbortSignal): Promise<string[]> {
    return this.#walked(walkLinks, signal)
  }

  async #walked<T>(
    walk: (root: string, signal: AbortSignal | undefined, forbidden: readonly string[]) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      return await walk(this.roots.workspace, signal, this.roots.forbidden)
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR')) {
        throw new AppError(
          'folder_unreadable',
          `${this.roots.workspace} cannot be read`,
          { path: this.roots.workspace },
          { cause: error },
        )
      }
      throw error
    }
  }

  /**
   * Returns the sorted names of a folder's entries; empty if the folder does not exist or cannot be read.
   * @throws AppError as `resolveInside`
   */
  async names(folder: string): Promise<string[]> {
    try {
      return (await readdir(await resolveInside(this.roots, folder))).sort()
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return []
      throw error
    }
  }

  /** Reads a note. @throws AppError as `resolveReadable` and `readText` */
  async read(path: string): Promise<TextFile> {
    const { target, isAllowed } = await resolveReadable(this.roots, path)
    return readText(target, path, isAllowed)
  }

  /** Returns the path of the file after links are resolved. @throws AppError as `resolveInside` */
  async realPath(path: string): Promise<string> {
    const { layout } = this
    return realPathOf(this.roots, path, [longTermFile(layout), ...projectContextFiles(layout)])
  }

  /** Returns true for paths in extra folders and in memories that other agents share: they can be read, not written. */
  isReadOnly(path: string): boolean {
    return readableFolder(this.roots, path) !== undefined
  }

  /** Returns true if a file or folder exists at `path`. @throws AppError as `resolveInside` */
  async exists(path: string): Promise<boolean> {
    try {
      await stat(await resolveInside(this.roots, path))
      return true
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false
      throw error
    }
  }

  /**
   * Returns the files of `list` below a folder; empty if there is no such folder.
   * @throws AppError as `resolveInside` and `list`
   */
  async listFolder(folder: string, signal?: AbortSignal): Promise<readonly FoundFile[]> {
    await resolveInside(this.roots, folder)
    const prefix = `${normalizeRequest(folder)}/`
    return (await this.list(signal)).files.filter(({ path }) => path.startsWith(prefix))
  }

  /**
   * Replaces or creates the file with `text`.
   * @throws AppError as `resolveWritable`, `readText`, `assertReadable` and `writeText`; `file_protected`, `folder_gone`,
   * `file_busy`
   */
  async write(path: string, text: string, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.#edits.change(path, origin, () => text)
  }

  /**
   * Saves the text of an editor. Unchanged lines keep their line ends. If the file has changed since the editor loaded
   * it, both changes are merged.
   * @param expected the file as the editor loaded it: its hash (null if it did not exist) and text
   * @throws AppError `file_changed` if the changes overlap, `file_exists`; nothing is written then
   */
  async save(
    path: string,
    text: string,
    expected: {
      readonly hash: string | null
      readonly baseText?: string | undefined
      readonly onConflict?: 'fail' | 'both' | undefined
    },
  ): Promise<{ write: WorkspaceWrite; text: string; merged: boolean }> {
    let saved = text
    let merged = false
    const write = await this.#edits.change(path, { cause: 'user' }, async (current) => {
      if (current?.text === text) return text
      if ((current?.hash ?? null) === expected.hash) return current ? withEndsOf(current.text, text) : text
      if (current && expected.hash === null && expected.baseText === undefined)
        throw new AppError('file_exists', `${path} exists already`, { path })
      const { baseText: base, onConflict } = expected
      const result =
        current && base !== undefined
          ? await this.#texts.differ.merge({
              base,
              mine: withEndsOf(base, text),
              theirs: current.text,
              keepsBoth: onConflict === 'both',
            })
          : undefined
      if (result === undefined) throw new AppError('file_changed', `${path} was changed in the meantime`, { path })
      saved = result
      merged = true
      return result
    })
    return { write, text: saved, merged }
  }

  /**
   * Rewrites the file under the lock. `rewrite` gets undefined if the file does not exist yet.
   * @throws AppError as `write`
   */
  async edit(
    path: string,
    origin: WriteOrigin,
    rewrite: (text: string | undefined) => string | Promise<string>,
  ): Promise<WorkspaceWrite> {
    return this.#edits.change(path, origin, (current) => rewrite(current?.text))
  }

  /**
   * Writes several notes atomically.
   * @throws AppError as `runTransaction`, `file_changed` if a note does not match its `before`; nothing is written then
   */
  async rewriteAll(texts: readonly Omit<TextWrite, 'newPath'>[], origin: WriteOrigin): Promise<void> {
    const at = texts.map((text) => ({ ...text, path: normalizeRequest(text.path) }))
    await this.change(
      {},
      at.map((text) => ({ ...text, newPath: text.path })),
      origin,
    )
  }

  /** Appends an entry `## HH:MM - Title` to the daily log. */
  async remember(text: string, at: Date, origin: WriteOrigin): Promise<RememberedLines> {
    return this.#remembered(await noteInLog(this, text, at, origin), text, origin)
  }

  /**
   * Finds a note in the daily log or a section, to check whether a request that got no answer was carried out.
   * @returns undefined if the note is not there
   */
  async findRemembered(
    text: string,
    at: Date,
    section?: string,
  ): Promise<Omit<RememberedLines, 'change' | 'note'> | undefined> {
    return findNote(this, text, at, section === undefined ? undefined : sectionTitle(section))
  }

  /**
   * Adds a note to a section of MEMORY.md. Creates the section at the end if it does not exist.
   * @throws AppError `input_invalid` for an empty or multi-line section name
   */
  async rememberIn(section: string, text: string, origin: WriteOrigin): Promise<RememberedLines> {
    return this.#remembered(await noteInSection(this, sectionTitle(section), text, origin), text, origin)
  }

  #remembered(lines: RememberedLines, note: string, origin: WriteOrigin): RememberedLines {
    this.#captures.announce({ ...lines, note, origin })
    return lines
  }

  /** Compares the texts of a write line by line. A separate call, so that writes do not wait for the diff. */
  async describe({ path, before, after }: WorkspaceWrite, signal?: AbortSignal): Promise<FileChange> {
    const isKept = this.#texts.history() !== undefined && isNote(path)
    return this.#texts.differ.describe({ path, before: before ?? '', after: after ?? '', isKept }, signal)
  }

  /**
   * Reverts a change, even if other lines have changed since. Moves the file to the trash if the change created it
   * and no other text is left.
   * @throws AppError `undo_conflict` if the lines of the change were edited, `history_off` if only the history has the
   * texts
   */
  async undo(path: string, patch: string, origin: WriteOrigin, signal?: AbortSignal): Promise<Undone> {
    const shown = normalizeRequest(path)
    // Load recorded texts before taking the lock: the history may need the lock to record files.
    const restore = await restorer(this.#texts, shown, patch, signal)
    return this.#edits.run(async () => {
      let isLeft = true
      // The change created the file and the file is deleted: there is nothing to revert.
      if (!(await this.exists(shown)) && (await restore('')) === '')
        return { write: this.#edits.writeOf(shown, origin, null, null) }
      const rewrite = async (current = '') => {
        const restored = await restore(current)
        isLeft = restored !== '' || current === ''
        return isLeft ? restored : current
      }
      const write = await this.#edits.rewrite(shown, origin, (current) => rewrite(current?.text))
      return isLeft ? { write } : discard(this.#trash, shown, origin)
    })
  }

  /** Reapplies a change that `undo` reverted. @throws AppError as `undo` */
  async redo(path: string, patch: string, origin: WriteOrigin, signal?: AbortSignal): Promise<WorkspaceWrite> {
    const restore = await restorer(this.#texts, path, reversed(patch), signal)
    return this.edit(path, origin, (current = '') => restore(current))
  }

  /**
   * Removes a note that `remember` or `rememberIn` added. Headings stay if other text is below them.
   * @throws AppError `undo_conflict` if the note was edited or removed since
   */
  async takeOut(path: string, note: AddedNote, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.edit(path, origin, (current = '') => {
      const rest = withoutNote(current, note)
      if (rest !== undefined) return rest
      const message = `the note is no longer in ${path} as it was written: it was edited or removed since`
      throw new AppError('undo_conflict', message, { path })
    })
  }

  /** Renames or moves a file or folder without changing links to it. @throws AppError as `runTransaction` */
  async move(from: string, to: string, origin: WriteOrigin): Promise<void> {
    await this.change({ move: { from, to } }, [], origin)
  }

  /** Moves a file or folder and writes notes as one atomic change. @throws AppError as `runTransaction` */
  async change(
    batch: Batch,
    texts: readonly TextWrite[],
    origin: WriteOrigin,
    watch?: TransactionWatch,
  ): ReturnType<typeof runKeepingLocal> {
    return this.#edits.run(() => runKeepingLocal(this.#transaction, this.#local, batch, texts, origin, watch))
  }

  /** Returns true if the file's permissions allow no one to write it. @throws AppError as `resolveInside` */
  async isProtected(path: string): Promise<boolean> {
    return isWriteProtected(await resolveInside(this.roots, normalizeRequest(path)))
  }

  /**
   * Checks a move before it starts.
   * @throws AppError `ending_kept`, `folder_in_itself`, `symbolic_link`, `file_exists`, and as `resolveInside`
   */
  async assertMovable(asked: Move): Promise<void> {
    const move = { from: normalizeRequest(asked.from), to: normalizeRequest(asked.to) }
    const isFolder = await isFolderAt(this.roots, move.from)
    if (isFolder) assertNotInItself(move)
    else {
      await assertNoLink(this.roots, move.from)
      assertSameKind(move)
    }
    await assertFree(this.roots, move.to, isFolder)
  }

  /** Returns true if a rule in the settings keeps any of the moved notes local. */
  async isKeptLocal(move: Move): Promise<boolean> {
    return isKeptLocal(this.#transaction, this.#local, move)
  }

  /**
   * Finishes a change of several files that a crash interrupted.
   * @param onBegin called before the work starts (it is slow in a large folder)
   * @returns undefined if no change is pending
   */
  async recover(onBegin?: (kind: BatchKind) => void): Promise<Recovered | undefined> {
    const pending = await this.#transaction.journal?.read()
    if (!pending) return undefined
    const kind = kindOf(pending)
    if (kind) onBegin?.(kind)
    return this.#edits.run(() => recover(this.#transaction))
  }

  /**
   * Moves a file to the trash folder of the workspace.
   * @returns the path in the trash, for `restore`, and the write
   * @throws AppError `file_not_found`
   */
  async remove(path: string, origin: WriteOrigin): Promise<Required<Undone>> {
    return this.#edits.run(() => discard(this.#trash, normalizeRequest(path), origin))
  }

  /**
   * Creates an attachment or a canvas.
   * @param fill writes the file at the path it gets
   * @throws AppError `attachment_unknown`, `file_exists`, `path_invalid`, and what `fill` throws
   */
  async attach(path: string, fill: (file: string) => Promise<void>): Promise<void> {
    const { target, isAllowed } = await resolveNewAttachment(this.roots, path)
    await placeFile(target, normalizeRequest(path), isAllowed, fill)
  }

  /** Removes those of the folders that are empty. @param folders the innermost first */
  async removeEmpty(folders: readonly string[]): Promise<void> {
    await this.#edits.run(() => removeEmpty(this.roots, folders))
  }

  /**
   * Moves an attachment or a canvas to the trash folder.
   * @returns its path there
   * @throws AppError `attachment_unknown`, `file_not_found`
   */
  async detach(path: string): Promise<string> {
    return detach(this.#trash, normalizeRequest(path))
  }

  /**
   * Moves a file from the trash back to its path.
   * @throws AppError `file_not_found`, `file_exists`, `path_outside_workspace`
   */
  async restore(trashed: string, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.#edits.run(() => bringBack(this.#trash, trashed, origin))
  }

  /** Copies a file to `name 2.md` in the same folder, or to the next free number. @returns the path of the copy */
  async duplicate(path: string, origin: WriteOrigin): Promise<string> {
    const shown = normalizeRequest(path)
    const { text } = await this.read(shown)
    const [, stem = shown, extension = ''] = /^(.*?)(?: \d+)?(\.[^./]+)$/.exec(shown) ?? []
    return this.#edits.run(async () => {
      let number = 2
      while (await this.exists(`${stem} ${number}${extension}`)) number += 1
      const copy = `${stem} ${number}${extension}`
      const isKept = this.#local?.covers(shown) === true && !this.#local.covers(copy)
      await this.#edits.rewrite(copy, origin, () => (isKept ? withVisibility(text, true) : text))
      return copy
    })
  }

  /**
   * Starts removing temporary files of killed writes in the background. `close` stops it.
   * @param onFault called if that fails
   */
  tidy(onFault: (error: unknown) => void): void {
    this.#endTidying()
    this.#endTidying = tidyLater(() => tidyWorkspace(this.#trash), onFault)
  }

  /** Returns the absolute path of a file, which need not exist. @throws AppError as `resolveInside` */
  async locate(path: string): Promise<string> {
    return resolveInside(this.roots, path)
  }

  /**
   * Returns the absolute path of a note for another program to open.
   * @throws AppError as `resolveWritable`, `write_refused` for a file that could be run
   */
  async locateNote(path: string): Promise<string> {
    return (await resolveWritable(this.roots, path)).target
  }
}
