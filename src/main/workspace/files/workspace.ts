/**
 * Reads and writes the files of one agent's workspace. A write holds a lock, across all processes, from reading the
 * file until every listener has run.
 */
import { readdir, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import {
  systemClock,
  type Clock,
  Differ,
  invertPatch,
  EventEmitter,
  type Subscribable,
  cleanTemporaryFiles,
  scheduleCleanup,
} from '#platform'
import type { FileChange } from '#shared/util/file-change.ts'
import { isWriteProtected, createFile, readText, type TextFile } from './text-files.ts'
import {
  restoreFromTrash,
  moveAttachmentToTrash,
  moveToTrash,
  type TrashContext,
} from '../transactions/trash-operations.ts'
import { movesPrivateNotes, runPreservingPrivacy, type PrivatePathRules } from '../transactions/preserve-privacy.ts'
import { createReverter, type RevertSources } from '../transactions/create-reverter.ts'
import { recover, type RecoveryResult, type TransactionTools } from '../transactions/recovery.ts'
import { ChangeJournal, batchKind, type Batch, type BatchKind } from '../transactions/change-journal.ts'
import type { TextWrite } from '../transactions/settle-text.ts'
import {
  assertTargetFree,
  assertNoLink,
  assertNotInItself,
  assertSameKind,
  isFolderAt,
  removeEmpty,
  type TransactionOptions,
} from '../transactions/transaction.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import {
  assertWorkspaceExists,
  WorkspaceWriter,
  type Capture,
  type RememberedLines,
  type WorkspaceWrite,
  type WriteOrigin,
} from './workspace-writer.ts'
import { isIgnoredPath, longTermFile, projectContextFiles, defaultLayout, type Layout } from './layout.ts'
import { isHidden, isNote } from './file-names.ts'
import { KnownFiles } from './known-files.ts'
import { sectionTitle } from './add-to-section.ts'
import { removeNote } from './remove-note.ts'
import type { AddedNote } from '#shared/markdown/added-note.ts'
import { findNote, addToLog, addToMemorySection } from './remember.ts'
import {
  normalizeMove,
  normalizePath,
  findReadableFolder,
  resolveRealPath,
  resolveInside,
  resolveNewAttachment,
  resolveReadable,
  resolveWritable,
  type Roots,
} from './paths.ts'
import { restoreLineEnds } from './line-ends.ts'
import { refuseUnreadable, walkMarkdown, walkNames, type FoundFile, type Walk } from './walk.ts'

interface RevertedChange {
  readonly write: WorkspaceWrite
  readonly trashed?: string
}

export interface WorkspaceOptions {
  readonly now?: Clock
  /** Compares texts. Defaults to a new `Differ`. */
  readonly differ?: Differ | undefined
  /** Gives access to recorded texts; returns undefined while the history is off. */
  readonly history?: RevertSources['history'] | undefined
  /** Absolute path of the change journal. Without it, a crash can leave a change of several files incomplete. */
  readonly journal?: string | undefined
  /** Rules from the settings that make paths private. Without them no path is private by rule. */
  readonly local?: PrivatePathRules | undefined
  readonly layout?: (() => Layout) | undefined
  /** Absolute path of the list of `KnownFiles`; without it, all files are known. */
  readonly known?: string | undefined
  /** Called with the reason if the lock cannot keep other processes from writing. */
  readonly onUnlocked?: ((error: unknown) => void) | undefined
}

/** Paths are relative to the workspace, with forward slashes; returned ones too, unless a comment says absolute. */
export class Workspace {
  readonly roots: Roots
  /** Emits every write. Listeners run before the write resolves; the lock is released after their promises settle. */
  readonly changes: Subscribable<WorkspaceWrite>
  readonly known: KnownFiles | undefined
  readonly #captures = new EventEmitter<Capture>()
  readonly captures: Subscribable<Capture> = this.#captures
  readonly #writer: WorkspaceWriter
  readonly #layout: () => Layout
  readonly #local: PrivatePathRules | undefined
  readonly #revertSources: RevertSources
  readonly #trash: TrashContext
  readonly #transaction: TransactionTools
  #stopCleanup = () => {}

  constructor(roots: Roots, options: WorkspaceOptions = {}) {
    const { now = systemClock, differ = new Differ(), history = () => undefined, journal } = options
    this.roots = roots
    this.#layout = options.layout ?? (() => defaultLayout)
    this.#writer = new WorkspaceWriter(roots, now, options.onUnlocked)
    this.changes = this.#writer.changes
    this.#revertSources = { differ, history }
    this.#trash = { roots, writer: this.#writer, now }
    const listNotes = async () => (await this.list()).files.map(({ path }) => path)
    const changeJournal = journal === undefined ? undefined : new ChangeJournal(journal)
    this.#transaction = { roots, writer: this.#writer, listNotes, journal: changeJournal }
    this.#local = options.local
    this.known = options.known === undefined ? undefined : new KnownFiles(options.known, roots)
    this.changes.subscribe(({ path, from, before, after }) =>
      from === undefined && before === null && after !== null ? this.known?.track(path) : undefined,
    )
  }

  close(): void {
    this.#stopCleanup()
    this.#writer.close()
  }

  get layout(): Layout {
    return this.#layout()
  }

  /** @throws AppError `folder_gone` if the workspace folder does not exist */
  async assertExists(): Promise<void> {
    await assertWorkspaceExists(this.roots.workspace)
  }

  /** Lists the Markdown files. @throws AppError `folder_unreadable` */
  async list(signal?: AbortSignal): Promise<Walk> {
    return this.#walk(walkMarkdown, signal)
  }

  /** Returns the paths of the files of `list`. Much faster: it reads no sizes and times. @throws AppError as `list` */
  async paths(signal?: AbortSignal): Promise<string[]> {
    return (await this.#walk(walkNames, signal)).files.map(({ path }) => path)
  }

  /** Returns the paths of symbolic links that `list` skips, to list each note once. @throws AppError as `list` */
  async skippedLinks(signal?: AbortSignal): Promise<string[]> {
    const { links } = await this.#walk(walkNames, signal)
    return links.filter((path) => !isHidden(basename(path))).sort()
  }

  #walk(walk: typeof walkNames, signal?: AbortSignal): Promise<Walk> {
    const { workspace, forbidden } = this.roots
    return walk(workspace, signal, forbidden).catch(refuseUnreadable(workspace))
  }

  /**
   * Returns the sorted names of a folder's entries; empty if the folder does not exist or cannot be read.
   * @throws AppError as `resolveInside`
   */
  async entryNames(folder: string): Promise<string[]> {
    const names = readdir(await resolveInside(this.roots, folder))
    return (await names.catch(onSystemError([], 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'))).sort()
  }

  /** Reads a note. @throws AppError as `resolveReadable` and `readText` */
  async read(path: string): Promise<TextFile> {
    const { target, isAllowed } = await resolveReadable(this.roots, path)
    return readText(target, path, isAllowed)
  }

  /** Returns the path of the file after links are resolved. @throws AppError as `resolveInside` */
  async realPath(path: string): Promise<string> {
    const { layout } = this
    return resolveRealPath(this.roots, path, [longTermFile(layout), ...projectContextFiles(layout)])
  }

  /** Returns true for paths in extra folders and in memories that other agents share: they can be read, not written. */
  isReadOnly(path: string): boolean {
    return findReadableFolder(this.roots, path) !== undefined
  }

  /** Returns true if a file or folder exists at `path`. @throws AppError as `resolveInside` */
  async exists(path: string): Promise<boolean> {
    const info = stat(await resolveInside(this.roots, path))
    return (await info.catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))) !== undefined
  }

  /**
   * Returns the files of `list` below a folder; empty if there is no such folder.
   * @throws AppError as `resolveInside` and `list`
   */
  async listFolder(folder: string, signal?: AbortSignal): Promise<readonly FoundFile[]> {
    await resolveInside(this.roots, folder)
    const prefix = `${normalizePath(folder)}/`
    return (await this.list(signal)).files.filter(({ path }) => path.startsWith(prefix))
  }

  /**
   * Replaces or creates the file with `text`.
   * @throws AppError as `resolveWritable`, `readText`, `assertReadable` and `writeText`; `file_protected`, `folder_gone`,
   * `file_busy`
   */
  async write(path: string, text: string, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.#writer.change(path, origin, () => text)
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
    const write = await this.#writer.change(path, { cause: 'user' }, async (current) => {
      if (current?.text === text) return text
      if ((current?.hash ?? null) === expected.hash) return current ? restoreLineEnds(current.text, text) : text
      if (current && expected.hash === null && expected.baseText === undefined)
        throw new AppError('file_exists', `${path} exists already`, { path })
      const { baseText: base, onConflict } = expected
      const result =
        current && base !== undefined
          ? await this.#revertSources.differ.merge({
              base,
              mine: restoreLineEnds(base, text),
              theirs: current.text,
              keepsBoth: onConflict === 'both',
            })
          : undefined
      if (result === undefined) throw new AppError('file_changed', `${path} was changed in the meantime`, { path })
      saved = result
      merged = true
      return result
    })
    await this.known?.track(await this.realPath(path))
    return { write, text: saved, merged }
  }

  /**
   * Rewrites the file under the lock. `rewrite` receives undefined if the file does not exist yet.
   * @throws AppError as `write`
   */
  async edit(
    path: string,
    origin: WriteOrigin,
    rewrite: (text: string | undefined) => string | Promise<string>,
  ): Promise<WorkspaceWrite> {
    return this.#writer.change(path, origin, (current) => rewrite(current?.text))
  }

  /**
   * Writes several notes atomically.
   * @throws AppError as `runTransaction`, `file_changed` if a note does not match its `before`; nothing is written then
   */
  async rewriteAll(texts: readonly Omit<TextWrite, 'newPath'>[], origin: WriteOrigin): Promise<void> {
    const writes = texts.map((text) => {
      const path = normalizePath(text.path)
      return { ...text, path, newPath: path }
    })
    await this.runTransaction({}, writes, origin)
  }

  /** Appends an entry to the daily log of `at`, marked private if `isPrivate`. @throws AppError as `write` */
  async remember(text: string, at: Date, origin: WriteOrigin, isPrivate = false): Promise<RememberedLines> {
    return this.#emitCapture(await addToLog(this, text, at, origin, isPrivate), text, origin)
  }

  /**
   * Finds a note in the daily log or a section, to check whether a request that got no answer was carried out.
   * @returns undefined if the note is not there
   */
  async findRememberedNote(
    text: string,
    at: Date,
    section?: string,
  ): Promise<Omit<RememberedLines, 'change' | 'note'> | undefined> {
    return findNote(this, text, at, section === undefined ? undefined : sectionTitle(section))
  }

  /**
   * Adds a note to a section of MEMORY.md. Creates the section at the end if it does not exist.
   * @throws AppError `input_invalid` for an empty or multi-line section name; as `write`
   */
  async rememberIn(section: string, text: string, origin: WriteOrigin): Promise<RememberedLines> {
    return this.#emitCapture(await addToMemorySection(this, sectionTitle(section), text, origin), text, origin)
  }

  #emitCapture(lines: RememberedLines, note: string, origin: WriteOrigin): RememberedLines {
    this.#captures.emit({ ...lines, note, origin })
    return lines
  }

  /** Compares the texts of a write line by line. Separate from the write, which does not wait for the diff. */
  async describe({ path, before, after }: WorkspaceWrite, signal?: AbortSignal): Promise<FileChange> {
    const isInHistory = this.#revertSources.history() !== undefined && isNote(path)
    return this.#revertSources.differ.describe({ path, before: before ?? '', after: after ?? '', isInHistory }, signal)
  }

  /**
   * Reverts a change, even if other lines have changed since. Moves the file to the trash if the change created it
   * and no other text is left.
   * @throws AppError `undo_conflict` if the lines of the change were edited, `history_off` if only the history has the
   * texts
   */
  async undo(path: string, patch: string, origin: WriteOrigin, signal?: AbortSignal): Promise<RevertedChange> {
    const notePath = normalizePath(path)
    // Load recorded texts before taking the lock, because the history may need the lock to record files.
    const revert = await createReverter(this.#revertSources, notePath, patch, signal)
    return this.#writer.withLock(async () => {
      let shouldKeepFile = true
      // The change created the file, and the file was deleted, so there is nothing to revert.
      if (!(await this.exists(notePath)) && (await revert('')) === '')
        return { write: this.#writer.createWrite(notePath, origin, null, null) }
      const rewrite = async (current = '') => {
        const restored = await revert(current)
        shouldKeepFile = restored !== '' || current === ''
        return shouldKeepFile ? restored : current
      }
      const write = await this.#writer.rewrite(notePath, origin, (current) => rewrite(current?.text))
      return shouldKeepFile ? { write } : moveToTrash(this.#trash, notePath, origin)
    })
  }

  /** Reapplies a change that `undo` reverted. @throws AppError as `undo` */
  async redo(path: string, patch: string, origin: WriteOrigin, signal?: AbortSignal): Promise<WorkspaceWrite> {
    const revert = await createReverter(this.#revertSources, path, invertPatch(patch), signal)
    return this.edit(path, origin, (current = '') => revert(current))
  }

  /**
   * Removes a note that `remember` or `rememberIn` added. Headings stay if other text is below them.
   * @throws AppError `undo_conflict` if the note was edited or removed since
   */
  async removeNote(path: string, note: AddedNote, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.edit(path, origin, (current = '') => {
      const textWithoutNote = removeNote(current, note)
      if (textWithoutNote !== undefined) return textWithoutNote
      const message = `the note is no longer in ${path} as it was written: it was edited or removed since`
      throw new AppError('undo_conflict', message, { path })
    })
  }

  /** Renames or moves a file or folder without changing links to it. @throws AppError as `runTransaction` */
  async move(from: string, to: string, origin: WriteOrigin): Promise<void> {
    await this.runTransaction({ move: { from, to } }, [], origin)
  }

  /** Moves a file or folder and writes notes as one atomic change. @throws AppError as `runTransaction` */
  async runTransaction(
    batch: Batch,
    texts: readonly TextWrite[],
    origin: WriteOrigin,
    options?: TransactionOptions,
  ): ReturnType<typeof runPreservingPrivacy> {
    return this.#writer.withLock(async () => {
      const result = await runPreservingPrivacy(this.#transaction, this.#local, batch, texts, origin, options)
      if (batch.move) await this.known?.track(batch.move.to, batch.move.from)
      return result
    })
  }

  /** Returns true if the file's permissions allow no one to write it. @throws AppError as `resolveInside` */
  async isProtected(path: string): Promise<boolean> {
    return isWriteProtected(await resolveInside(this.roots, normalizePath(path)))
  }

  /**
   * Checks a move before it starts.
   * @throws AppError `ending_kept`, `folder_in_itself`, `symbolic_link`, `file_exists`, and as `resolveInside`
   */
  async assertMovable(requestedMove: Move): Promise<void> {
    const move = normalizeMove(requestedMove)
    const isFolder = await isFolderAt(this.roots, move.from)
    if (isFolder) assertNotInItself(move)
    else {
      await assertNoLink(this.roots, move.from)
      assertSameKind(move)
    }
    await assertTargetFree(this.roots, move.to, isFolder)
  }

  async movesPrivateNotes(move: Move): Promise<boolean> {
    return movesPrivateNotes(this.#transaction, this.#local, move)
  }

  /**
   * Finishes a change of several files that a crash interrupted.
   * @param onBegin called before the work starts (it is slow in a large folder)
   * @returns undefined if no change is pending
   */
  async recover(onBegin?: (kind: BatchKind) => void): Promise<RecoveryResult | undefined> {
    const pending = await this.#transaction.journal?.read()
    if (!pending) return undefined
    const kind = batchKind(pending)
    if (kind) onBegin?.(kind)
    return this.#writer.withLock(() => recover(this.#transaction))
  }

  /**
   * Moves a file to the trash folder of the workspace.
   * @returns `trashed`, the path in the trash for `restore`, and the write
   * @throws AppError `file_not_found`
   */
  async remove(path: string, origin: WriteOrigin): Promise<Required<RevertedChange>> {
    return this.#writer.withLock(() => moveToTrash(this.#trash, normalizePath(path), origin))
  }

  /**
   * Creates an attachment or a canvas.
   * @param fill writes the file at the absolute path that it receives
   * @throws AppError `attachment_unknown`, `file_exists`, `path_invalid`, and what `fill` throws
   */
  async attach(path: string, fill: (file: string) => Promise<void>): Promise<void> {
    const { target, isAllowed } = await resolveNewAttachment(this.roots, path)
    await createFile(target, normalizePath(path), isAllowed, fill)
    await this.known?.track(path)
  }

  /** Removes the folders that are empty. @param folders innermost first */
  async removeEmpty(folders: readonly string[]): Promise<void> {
    await this.#writer.withLock(() => removeEmpty(this.roots, folders))
  }

  /**
   * Moves an attachment or a canvas to the trash folder.
   * @returns its path there
   * @throws AppError `attachment_unknown`, `file_not_found`
   */
  async detach(path: string): Promise<string> {
    return moveAttachmentToTrash(this.#trash, normalizePath(path))
  }

  /** Restores a file from the trash. @throws AppError `file_not_found`, `file_exists`, `path_outside_workspace` */
  async restore(trashed: string, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.#writer.withLock(() => restoreFromTrash(this.#trash, trashed, origin))
  }

  /** Copies a file to `name 2.md` in the same folder, or to the next free number. @returns its path */
  async duplicate(path: string, origin: WriteOrigin): Promise<string> {
    const notePath = normalizePath(path)
    const { text } = await this.read(notePath)
    const [, stem = notePath, extension = ''] = /^(.*?)(?: \d+)?(\.[^./]+)$/.exec(notePath) ?? []
    return this.#writer.withLock(async () => {
      let number = 2
      while (await this.exists(`${stem} ${number}${extension}`)) number += 1
      const copy = `${stem} ${number}${extension}`
      const needsMark = this.#local?.covers(notePath) === true && !this.#local.covers(copy)
      await this.#writer.rewrite(copy, origin, () => (needsMark ? withVisibility(text, true) : text))
      return copy
    })
  }

  /** Removes temporary files of interrupted writes in the background. @param onFault called if that fails */
  startCleanup(onFault: (error: unknown) => void): void {
    this.#stopCleanup()
    this.#stopCleanup = scheduleCleanup(
      () => cleanTemporaryFiles(this.roots.workspace, (path) => !isIgnoredPath(path.split('/'))),
      onFault,
    )
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
