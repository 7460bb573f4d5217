/**
 * One agent's folder: every read and write of its files goes through here. Whoever changes something does so alone, among
 * all processes, from reading the file to having told of the change; what was written can be described as a change, so
 * that whoever asked can show it and take it back. It is one file so that there is one place to look at for all of that.
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

/** A change that was made, and where the file lies in the trash that went by it. */
interface Undone {
  readonly write: WorkspaceWrite
  readonly trashed?: string
}

export interface WorkspaceOptions {
  readonly now?: Clock
  /** Compares texts; in place when left out. */
  readonly differ?: Differ | undefined
  /** Knows texts that were recorded; undefined while nothing is. */
  readonly history?: Texts['history'] | undefined
  /** A file in the state folder: what a change of several files is about while it is under way. */
  readonly journal?: string | undefined
  /** What the settings keep on this machine; nothing when left out. */
  readonly local?: LocalRules | undefined
  /** The vault's habits, as they are now. */
  readonly layout?: (() => Layout) | undefined
  /** Told when other processes cannot be kept from writing at the same time, and why. */
  readonly onUnlocked?: ((error: unknown) => void) | undefined
}

export class Workspace {
  readonly roots: Roots
  /** Whoever is told is told before whoever wrote; nobody else writes until a promise that a listener returns is kept. */
  readonly changes: Announcements<WorkspaceWrite>
  /** Notes that somebody had remembered. */
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

  /** What the vault's habits say of names. */
  get layout(): Layout {
    return this.#layout()
  }

  /** @throws AppError `folder_gone` where there is no folder any more */
  async assertThere(): Promise<void> {
    await assertThere(this.roots.workspace)
  }

  async list(signal?: AbortSignal): Promise<Walk> {
    return this.#walked(walkMarkdown, signal)
  }

  /** The same files by their paths alone, which is much less to ask of the disk. */
  async paths(signal?: AbortSignal): Promise<string[]> {
    return this.#walked(walkPaths, signal)
  }

  /** Links to other files and folders, which are passed over: a note is known by its own path alone. */
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

  /** What lies in a folder, by name, sorted; nothing where there is no such folder. */
  async names(folder: string): Promise<string[]> {
    try {
      return (await readdir(await resolveInside(this.roots, folder))).sort()
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return []
      throw error
    }
  }

  async read(path: string): Promise<TextFile> {
    const { target, isAllowed } = await resolveReadable(this.roots, path)
    return readText(target, path, isAllowed)
  }

  /** The path of the file that really stands behind one, whatever links lead there. @throws AppError as `resolveInside` */
  async realPath(path: string): Promise<string> {
    const { layout } = this
    return realPathOf(this.roots, path, [longTermFile(layout), ...projectContextFiles(layout)])
  }

  /** True for what can be read and never written: files of extra folders, and those that other agents share. */
  isReadOnly(path: string): boolean {
    return readableFolder(this.roots, path) !== undefined
  }

  /** True when something stands at `path`, whatever it is. */
  async exists(path: string): Promise<boolean> {
    try {
      await stat(await resolveInside(this.roots, path))
      return true
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false
      throw error
    }
  }

  /** Those files of `list` that lie below one folder; none where there is no such folder. @throws AppError as `resolveInside` */
  async listFolder(folder: string, signal?: AbortSignal): Promise<readonly FoundFile[]> {
    await resolveInside(this.roots, folder)
    const prefix = `${normalizeRequest(folder)}/`
    return (await this.list(signal)).files.filter(({ path }) => path.startsWith(prefix))
  }

  /** Replaces or creates the file with `text`. */
  async write(path: string, text: string, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.#edits.change(path, origin, () => text)
  }

  /**
   * Saves what an editor holds; lines that it did not touch keep their ends. If the file is no longer what the editor started from, the two changes are merged
   * when they do not touch.
   * @throws AppError `file_changed` when they do; nothing is written then
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
      if (result === undefined)
        throw new AppError('file_changed', `${path} was changed by somebody else meanwhile`, { path })
      saved = result
      merged = true
      return result
    })
    return { write, text: saved, merged }
  }

  /** Rewrites the file by a function of its text; `undefined` means that there is none yet. */
  async edit(
    path: string,
    origin: WriteOrigin,
    rewrite: (text: string | undefined) => string | Promise<string>,
  ): Promise<WorkspaceWrite> {
    return this.#edits.change(path, origin, (current) => rewrite(current?.text))
  }

  /**
   * Writes several notes, all or none, that must say what they are told to.
   * @throws AppError `file_changed`, as `runTransaction`; nothing is done then
   */
  async rewriteAll(texts: readonly Omit<TextWrite, 'newPath'>[], origin: WriteOrigin): Promise<void> {
    const at = texts.map((text) => ({ ...text, path: normalizeRequest(text.path) }))
    await this.change(
      {},
      at.map((text) => ({ ...text, newPath: text.path })),
      origin,
    )
  }

  /** Appends an entry `## HH:MM - Title` to the log of the day. */
  async remember(text: string, at: Date, origin: WriteOrigin): Promise<RememberedLines> {
    return this.#remembered(await noteInLog(this, text, at, origin), text, origin)
  }

  /** Where a note stands in the log of the day, or a section, for one who asked another to write it and got no answer. */
  async findRemembered(
    text: string,
    at: Date,
    section?: string,
  ): Promise<Omit<RememberedLines, 'change' | 'note'> | undefined> {
    return findNote(this, text, at, section === undefined ? undefined : sectionTitle(section))
  }

  /** Adds a note to a section of MEMORY.md; the section is made at the end when there is none of that name. */
  async rememberIn(section: string, text: string, origin: WriteOrigin): Promise<RememberedLines> {
    return this.#remembered(await noteInSection(this, sectionTitle(section), text, origin), text, origin)
  }

  #remembered(lines: RememberedLines, note: string, origin: WriteOrigin): RememberedLines {
    this.#captures.announce({ ...lines, note, origin })
    return lines
  }

  /** What a write changed, in lines. Whoever wants to know asks for it: a write itself waits for no comparison. */
  async describe({ path, before, after }: WorkspaceWrite, signal?: AbortSignal): Promise<FileChange> {
    const isKept = this.#texts.history() !== undefined && isNote(path)
    return this.#texts.differ.describe({ path, before: before ?? '', after: after ?? '', isKept }, signal)
  }

  /**
   * Takes a change back where its lines still stand, also when other lines were changed since. A file of which nothing
   * is left by that was made by the change: it goes into the trash, as any file that somebody deletes.
   * @throws AppError `undo_conflict` when they do not; `history_off` when the history alone would know what was there
   */
  async undo(path: string, patch: string, origin: WriteOrigin, signal?: AbortSignal): Promise<Undone> {
    const shown = normalizeRequest(path)
    // Before anybody is kept from writing: the history, which knows the texts, may wait for its own turn to look at files.
    const restore = await restorer(this.#texts, shown, patch, signal)
    return this.#edits.run(async () => {
      let isLeft = true
      // Where somebody deleted the file that the change had made, nothing stands of it.
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

  /**
   * Does a change again that was taken back.
   * @throws AppError as `undo`
   */
  async redo(path: string, patch: string, origin: WriteOrigin, signal?: AbortSignal): Promise<WorkspaceWrite> {
    const restore = await restorer(this.#texts, path, reversed(patch), signal)
    return this.edit(path, origin, (current = '') => restore(current))
  }

  /** Takes out a note that was remembered; headings stay where something stands under them. @throws AppError `undo_conflict` */
  async takeOut(path: string, note: AddedNote, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.edit(path, origin, (current = '') => {
      const rest = withoutNote(current, note)
      if (rest !== undefined) return rest
      const message = `the note does not stand in ${path} any more as it was written: it was changed or taken out since`
      throw new AppError('undo_conflict', message, { path })
    })
  }

  /** Gives a file another name or place. @throws AppError `file_not_found`, `file_exists` */
  async move(from: string, to: string, origin: WriteOrigin): Promise<void> {
    await this.change({ move: { from, to } }, [], origin)
  }

  /** A change of several files: its move, and its texts, all of them or nothing. @throws as `runTransaction` */
  async change(
    batch: Batch,
    texts: readonly TextWrite[],
    origin: WriteOrigin,
    watch?: TransactionWatch,
  ): ReturnType<typeof runKeepingLocal> {
    return this.#edits.run(() => runKeepingLocal(this.#transaction, this.#local, batch, texts, origin, watch))
  }

  /** Whether a file's permissions let nobody change it. */
  async isProtected(path: string): Promise<boolean> {
    return isWriteProtected(await resolveInside(this.roots, normalizeRequest(path)))
  }

  /** What can be told before a move is tried. @throws AppError `ending_kept`, `folder_in_itself`, `symbolic_link`, `file_exists`, and as `resolveInside` */
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

  /** Whether anything of it stays on this machine that the settings name by its place. */
  async isKeptLocal(move: Move): Promise<boolean> {
    return isKeptLocal(this.#transaction, this.#local, move)
  }

  /**
   * Finishes a change of several files that a crash interrupted; undefined where there is none.
   * @param onBegin told what it is: in a large folder it takes a while
   */
  async recover(onBegin?: (kind: BatchKind) => void): Promise<Recovered | undefined> {
    const pending = await this.#transaction.journal?.read()
    if (!pending) return undefined
    const kind = kindOf(pending)
    if (kind) onBegin?.(kind)
    return this.#edits.run(() => recover(this.#transaction))
  }

  /**
   * Puts a file into the trash folder of the workspace.
   * @returns what it takes to bring it back, and the change
   * @throws AppError `file_not_found`
   */
  async remove(path: string, origin: WriteOrigin): Promise<Required<Undone>> {
    return this.#edits.run(() => discard(this.#trash, normalizeRequest(path), origin))
  }

  /**
   * Puts a file that is shown in notes where there is none: a picture, a PDF, a recording, a canvas.
   * @param fill writes the file that it is given the name of
   * @throws AppError `attachment_unknown`, `file_exists`, `path_invalid`, and what `fill` throws
   */
  async attach(path: string, fill: (file: string) => Promise<void>): Promise<void> {
    const { target, isAllowed } = await resolveNewAttachment(this.roots, path)
    await placeFile(target, normalizeRequest(path), isAllowed, fill)
  }

  /** Takes away folders in which nothing lies. @param folders the innermost first */
  async removeEmpty(folders: readonly string[]): Promise<void> {
    await this.#edits.run(() => removeEmpty(this.roots, folders))
  }

  /** Puts such a file into the trash folder. @returns its path there @throws AppError `attachment_unknown`, `file_not_found` */
  async detach(path: string): Promise<string> {
    return detach(this.#trash, normalizeRequest(path))
  }

  /**
   * Brings a file back from the trash.
   * @throws AppError `file_not_found`, `file_exists`, `path_outside_workspace`
   */
  async restore(trashed: string, origin: WriteOrigin): Promise<WorkspaceWrite> {
    return this.#edits.run(() => bringBack(this.#trash, trashed, origin))
  }

  /** A copy beside the file, as `name 2.md`. @returns its path */
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

  /** Cleans up what writes that were killed left behind, beside all else, until it is done or the workspace is closed. */
  tidy(onFault: (error: unknown) => void): void {
    this.#endTidying()
    this.#endTidying = tidyLater(() => tidyWorkspace(this.#trash), onFault)
  }

  /** Where a file lies on the disk. @throws AppError `path_outside_workspace`, `path_hidden` */
  async locate(path: string): Promise<string> {
    return resolveInside(this.roots, path)
  }

  /** The same for a file that another program is to open: what that would run is refused. @throws AppError also `write_refused` */
  async locateNote(path: string): Promise<string> {
    return (await resolveWritable(this.roots, path)).target
  }
}
