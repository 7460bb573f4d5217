/** A write holds a lock, across all processes, from reading the file until every listener has run. */
import { attachmentType } from '#shared/util/attachments.ts'
import { readdir, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { redactPrivate, visibilityOf, type NoteVisibility } from '#shared/markdown/visibility.ts'
import { addedLines, withAddedPrivate, withVisibility } from '#shared/markdown/visibility-edit.ts'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { systemClock, type Clock, Differ, EventEmitter, type Subscribable, scheduleCleanup } from '#platform'
import type { LeftFile } from '#shared/contract/index.ts'
import type { FileChange } from '#shared/util/file-change.ts'
import { createFile, isWriteProtected, readText, type TextFile, fileStamp } from './text-files.ts'
import type { ChangeDraft, ChangeLog, FileTransition } from '../changes/change-log.ts'
import { planRevert, type RevertRequest } from '../changes/revert.ts'
import { recover } from '../transactions/recovery.ts'
import { batchDetailOf, reversedBatch, type Batch, type BatchDetail } from '../transactions/batch.ts'
import {
  assertNoLink,
  checkMove,
  movesPrivateNotes,
  moveToTrash,
  readTextOrNull,
  removeEmpty,
  runTransaction,
  type PrivatePathRules,
  type TransactionOptions,
  type TransactionTools,
} from '../transactions/transaction.ts'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import {
  assertWorkspaceExists,
  NoteWriter,
  type BegunChange,
  type Capture,
  type RememberedLines,
  type WorkspaceWrite,
  type WriteOrigin,
} from './workspace-writer.ts'
import {
  dailyLogPath,
  isIgnoredPath,
  localDate,
  longTermFile,
  projectContextFiles,
  defaultLayout,
  type Layout,
} from './layout.ts'
import { isHidden } from './file-names.ts'
import { locateAttachment, readPiece } from './attachments.ts'
import { KnownFiles } from './known-files.ts'
import { addLogEntry, addToSection, type EntryLines, findLogEntry, noteItem, sectionTitle } from './note-entries.ts'
import {
  normalizePath,
  findReadableFolder,
  resolveRealPath,
  resolveInside,
  resolveNewAttachment,
  resolveReadable,
  resolveRoots,
  resolveWritable,
  type Roots,
} from './paths.ts'
import { restoreLineEnds } from './line-ends.ts'
import { refuseUnreadable, walkMarkdown, walkNames, type WalkedFile, type Walk } from './walk.ts'

const maxRevertAttempts = 5

export interface WorkspaceOptions {
  readonly now?: Clock
  readonly differ?: Differ | undefined
  /** Without it, nothing can be undone, and a crash can leave a change of several files incomplete. */
  readonly log?: ChangeLog | undefined
  /** Rules from the settings that make paths private. Without them no path is private by rule. */
  readonly local?: PrivatePathRules | undefined
  /** By default, only marks in the text count. @param path workspace-relative */
  readonly privacyOf?: (path: string, text: string) => NoteVisibility
  readonly layout?: (() => Layout) | undefined
  /** Adds dates to the relative days of a remembered note, `YYYY-MM-DD`. */
  readonly dated?: (note: string, today: string) => string
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
  readonly #writer: NoteWriter
  readonly #layout: () => Layout
  readonly #dated: NonNullable<WorkspaceOptions['dated']>
  readonly #differ: Differ
  readonly #privacyOf: NonNullable<WorkspaceOptions['privacyOf']>
  readonly #transaction: TransactionTools
  #stopCleanup = () => {}

  constructor(roots: Roots, options: WorkspaceOptions = {}) {
    const { now = systemClock, differ = new Differ(), log } = options
    this.roots = roots
    this.#layout = options.layout ?? (() => defaultLayout)
    this.#dated = options.dated ?? ((note) => note)
    this.#writer = new NoteWriter(roots, now, log, options.onUnlocked)
    this.changes = this.#writer.changes
    this.#differ = differ
    this.#privacyOf = options.privacyOf ?? ((_path, text) => visibilityOf(text))
    this.#transaction = { roots, writer: this.#writer, listNotes: () => this.paths(), log, local: options.local }
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

  /** `list` skips symbolic links, to list each note once. @throws AppError as `list` */
  async skippedLinks(signal?: AbortSignal): Promise<string[]> {
    const { links } = await this.#walk(walkNames, signal)
    return links.filter((path) => !isHidden(basename(path))).sort()
  }

  #walk(walk: typeof walkNames, signal?: AbortSignal): Promise<Walk> {
    const { workspace, forbidden } = this.roots
    return walk(workspace, signal, forbidden).catch(refuseUnreadable(workspace))
  }

  /** Sorted; empty if the folder does not exist or cannot be read. @throws AppError as `resolveInside` */
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

  /** Returns true for files in extra folders and in memories that other agents share. */
  isReadOnly(path: string): boolean {
    return findReadableFolder(this.roots, path) !== undefined
  }

  /** True also for folders. @throws AppError as `resolveInside` */
  async exists(path: string): Promise<boolean> {
    const info = stat(await resolveInside(this.roots, path))
    return (await info.catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))) !== undefined
  }

  /** Lists a folder; nothing if there is none. @throws AppError as `resolveInside` and `list` */
  async listFolder(folder: string, signal?: AbortSignal): Promise<readonly WalkedFile[]> {
    await resolveInside(this.roots, folder)
    const prefix = `${normalizePath(folder)}/`
    return (await this.list(signal)).files.filter(({ path }) => path.startsWith(prefix))
  }

  /** @throws AppError as `NoteWriter.change` */
  async write(path: string, text: string, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.#writer.change(path, origin, () => text)
  }

  /**
   * Unchanged lines keep their line ends. Changes since the editor loaded the file are merged.
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
      const mine = base === undefined ? text : restoreLineEnds(base, text)
      const keepsBoth = onConflict === 'both'
      const result =
        current && base !== undefined
          ? await this.#differ.merge({ base, mine, theirs: current.text, keepsBoth })
          : undefined
      if (result === undefined) throw new AppError('file_changed', `${path} was changed in the meantime`, { path })
      saved = result
      merged = true
      return result
    })
    await this.known?.track(await this.realPath(path))
    return { write, text: saved, merged }
  }

  /** `rewrite` receives undefined if the file does not exist yet. @throws AppError as `write` */
  async edit(
    path: string,
    origin: WriteOrigin,
    rewrite: (text: string | undefined) => string | Promise<string>,
    begun?: BegunChange,
  ): Promise<WorkspaceWrite> {
    return this.#writer.change(path, origin, (current) => rewrite(current?.text), begun)
  }

  /** Creates notes of a begun change at the same time. @returns for each note an error as of `write`, or `file_exists` */
  async createNotes(notes: readonly { path: string; text: string }[], origin: WriteOrigin, begun: BegunChange) {
    const create = ({ path, text }: (typeof notes)[number]) =>
      this.#writer.rewrite(
        normalizePath(path),
        origin,
        (current) => {
          if (current === undefined) return text
          throw new AppError('file_exists', `${path} exists already`, { path })
        },
        begun,
      )
    return this.#writer.withLock(() => Promise.allSettled(notes.map(create)))
  }

  /** Begins a change as `ChangeLog.begin`. Its files are written with `createNotes` and `attach`. */
  async begin(draft: ChangeDraft, into?: number): Promise<number | undefined> {
    return this.#writer.withLock(async () => this.#transaction.log?.begin(draft, into))
  }

  /** Appends a dated entry to the daily log of `at`, marked private if `isPrivate`. @throws AppError as `write` */
  async remember(text: string, at: Date, origin: WriteOrigin, isPrivate = false): Promise<RememberedLines> {
    const path = dailyLogPath(localDate(at), this.layout)
    const note = this.#dated(text, localDate(at))
    return this.#addNote(path, note, origin, isPrivate, (current) => addLogEntry(current, note, at, true))
  }

  /** Creates the section at the end if it does not exist. @throws AppError `input_invalid` for its name; as `write` */
  async rememberIn(section: string, text: string, origin: WriteOrigin, isPrivate = false): Promise<RememberedLines> {
    const title = sectionTitle(section)
    const note = this.#dated(text, localDate(new Date(this.#writer.now())))
    return this.#addNote(longTermFile(this.layout), note, origin, isPrivate, (current = '') =>
      addToSection(current, title, noteItem(note)),
    )
  }

  async #addNote(
    path: string,
    note: string,
    origin: WriteOrigin,
    isPrivate: boolean,
    add: (current: string | undefined) => EntryLines & { readonly text: string },
  ): Promise<RememberedLines> {
    let lines: EntryLines = { startLine: 1, endLine: 1 }
    const write = await this.edit(path, origin, (current) => {
      const { text, ...added } = add(current)
      lines = added
      return isPrivate ? withAddedPrivate(current, text, true) : text
    })
    const saved = { path, ...lines, change: await this.describe(write) }
    this.#captures.emit({ ...saved, note, origin })
    return saved
  }

  /** Finds a note in the daily log, after a request that got no answer. */
  async findRememberedNote(given: string, at: Date) {
    const path = dailyLogPath(localDate(at), this.layout)
    if (!(await this.exists(path))) return undefined
    const lines = findLogEntry((await this.read(path)).text, this.#dated(given, localDate(at)), at)
    return lines && { path, ...lines }
  }

  /**
   * Separate from the write, which does not wait for the diff. Chats store the result, so private lines around a change
   * that is not private are left out.
   */
  async describe(write: WorkspaceWrite, signal?: AbortSignal): Promise<FileChange> {
    const { path, change } = write
    const [before, after] = [write.before ?? '', write.after ?? '']
    const [old, now] = [this.#privacyOf(path, before), this.#privacyOf(path, after)]
    const isPrivate = addedLines(before, after).some(([line]) => now.isFullyPrivate || now.privateLines.has(line))
    const shown = isPrivate
      ? { before, after }
      : { before: redactPrivate(before, old), after: redactPrivate(after, now) }
    const described = await this.#differ.describe({ path, ...shown }, signal)
    return { ...described, ...(change === undefined ? {} : { change }) }
  }

  /**
   * Reverts a change set or a part of it. A file that it created goes to the trash if no other text is left.
   * @returns `change` of the undo: undefined if nothing had to change, or the log could not store it; `notes`: number of
   * written files; `left`: files that could not be reverted; `trashed`: path of a removed file in the trash
   * @throws AppError `undo_conflict` if its lines were edited, as `planRevert`; `history_unavailable`
   */
  async revert(request: RevertRequest, origin: WriteOrigin, options?: TransactionOptions) {
    const { log } = this.#transaction
    if (!log) throw new AppError('undo_conflict', 'changes of this folder are not recorded', { path: '' })
    const roots = await resolveRoots(this.roots)
    const readText = (path: string) => readTextOrNull(roots, path)
    const refused: LeftFile[] = []
    for (let attempt = 1; ;) {
      const plan = await planRevert({ log, differ: this.#differ, readText }, request)
      const { change, move } = plan
      const detail = batchDetailOf(request.path === undefined ? change.detail : null)
      const texts = plan.texts.filter((text) => !refused.some(({ path }) => path === text.path))
      const left = [...plan.left, ...refused]
      if (!move && texts.length === 0) return { change: undefined, notes: 0, left, trashed: undefined }
      const undoes = { ...origin, undoes: request.change }
      try {
        const batch = { ...reversedBatch(detail), move }
        const isPart = request.path !== undefined || request.hunks !== undefined
        const result = await this.runTransaction(batch, texts, undoes, { detail: { isPart }, ...options })
        await this.removeEmpty(detail.made)
        return { change: result.change, notes: texts.length, left, trashed: result.trashed }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const path = texts.find((text) => text.path === error.data['path'])?.path
        const isProtected = error.code === 'file_protected' || (detail.replacement && error.code === 'move_failed')
        if (isProtected && path !== undefined && texts.length > 1) refused.push({ path, reason: 'refused' })
        else if (error.code !== 'file_changed' || attempt === maxRevertAttempts) throw error
        else attempt += 1
      }
    }
  }

  /** Changes no links to moved files. @param texts by their paths before the move @throws as `runTransaction` */
  async runTransaction(
    batch: Batch,
    texts: readonly FileTransition[],
    origin: WriteOrigin,
    options?: TransactionOptions,
  ) {
    const writes = texts.map((text) => ({ ...text, path: normalizePath(text.path) }))
    return this.#writer.withLock(async () => {
      const result = await runTransaction(this.#transaction, batch, writes, origin, options)
      if (batch.move) await this.known?.track(batch.move.to, batch.move.from)
      return result
    })
  }

  /** @throws AppError as `resolveInside` */
  async isProtected(path: string): Promise<boolean> {
    return isWriteProtected(await resolveInside(this.roots, normalizePath(path)))
  }

  /** Checks a move before it starts. @returns true if a rule makes a note that moves private @throws as `checkMove` */
  async checkMove(move: Move): Promise<boolean> {
    await checkMove(this.roots, move)
    return movesPrivateNotes(this.#transaction, move.from)
  }

  /** Decides interrupted changes, see `recover` in `recovery.ts`. */
  async recover(onBegin?: (batch: BatchDetail) => void) {
    return this.#writer.withLock(() => recover(this.#transaction, onBegin))
  }

  /** Moves a note to the trash folder. @returns its path there, and the write @throws AppError `file_not_found` */
  async remove(path: string, origin: WriteOrigin) {
    const file = normalizePath(path)
    return this.#writer.withLock(async () => {
      // The target of a link is a separate note and must not be moved.
      await assertNoLink(this.roots, file)
      const { target } = await resolveWritable(this.roots, file)
      const { text: before } = await readText(target, file)
      const removal = { path: file, before, after: null }
      const { change, trashed = '' } = await runTransaction(this.#transaction, {}, [removal], origin)
      return { trashed, write: this.#writer.createWrite(removal, origin, change) }
    })
  }

  /** @param fill writes the absolute path @throws AppError `attachment_unknown`, `file_exists`, `path_invalid` */
  async attach(path: string, fill: (file: string) => Promise<void>): Promise<void> {
    const { target, isAllowed } = await resolveNewAttachment(this.roots, path)
    await createFile(target, normalizePath(path), isAllowed, fill)
    await this.known?.track(path)
  }

  /** @param folders innermost first */
  async removeEmpty(folders: readonly string[]): Promise<void> {
    await this.#writer.withLock(() => removeEmpty(this.roots, folders))
  }

  /** Moves an attachment or a canvas to the trash. @throws AppError `attachment_unknown`, `file_not_found` */
  async detach(path: string): Promise<string> {
    const file = normalizePath(path)
    const target = isCanvas(file)
      ? (await resolveWritable(this.roots, file, 'move')).target
      : await locateAttachment(this.roots, file)
    return moveToTrash(this.roots, file, target, this.#writer.now())
  }

  /** Copies a file to `name 2.md` in the same folder, or to the next free number. @returns its path */
  async duplicate(path: string, origin: WriteOrigin): Promise<string> {
    const notePath = normalizePath(path)
    const { text } = await this.read(notePath)
    const [, stem = notePath, extension = ''] = /^(.*?)(?: \d+)?(\.[^./]+)$/.exec(notePath) ?? []
    const { local } = this.#transaction
    return this.#writer.withLock(async () => {
      let number = 2
      while (await this.exists(`${stem} ${number}${extension}`)) number += 1
      const copy = `${stem} ${number}${extension}`
      const needsMark = local?.covers(notePath) === true && !local.covers(copy)
      await this.#writer.rewrite(copy, origin, () => (needsMark ? withVisibility(text, true) : text))
      return copy
    })
  }

  startCleanup(onFault: (error: unknown) => void): void {
    this.#stopCleanup()
    const shouldEnter = (path: string) => !isIgnoredPath(path.split('/'))
    this.#stopCleanup = scheduleCleanup(this.roots.workspace, shouldEnter, onFault)
  }

  /** Returns the absolute path of a file, which need not exist. @throws AppError as `resolveInside` */
  async locate(path: string): Promise<string> {
    return resolveInside(this.roots, path)
  }

  /** Returns a string that changes with the file; undefined if there is none. @throws AppError as `resolveInside` */
  async stampOf(path: string): Promise<string | undefined> {
    return fileStamp(await this.locate(path))
  }

  async readAttachment(path: string, from: number) {
    return readPiece(this.roots, path, from)
  }

  /** For another program to open. @throws AppError as `locateNote` and `locateAttachment` */
  async locateToOpen(path: string): Promise<string> {
    return attachmentType(path) === undefined ? this.locateNote(path) : locateAttachment(this.roots, path)
  }

  /** @throws AppError as `resolveWritable` */
  async locateNote(path: string): Promise<string> {
    return (await resolveWritable(this.roots, path)).target
  }
}
