/**
 * One agent's folder: every read and write of its files goes through here. Whoever changes something does so alone, among
 * all processes, from reading the file to having told of the change; what was written can be described as a change, so
 * that whoever asked can show it and take it back.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, isSystemError } from '../../shared/errors.ts'
import type { Cause } from '../../shared/contract/index.ts'
import { parseLargeChange } from '../../shared/large-change.ts'
import type { FileChange } from '../../shared/messages.ts'
import { blobId, Differ } from '../diff/index.ts'
import { Changes, type Announcements } from '../changes.ts'
import { Exclusive, tidyFolder } from '../files/index.ts'
import { addLogEntry, findLogEntry, type PlacedEntry } from './daily-log.ts'
import {
  assertReadable,
  ChangedMeanwhile,
  hashText,
  moveFile,
  readText,
  stateOf,
  writeText,
  type TextFile,
} from './files.ts'
import { earlierLeftOvers } from './left-overs.ts'
import { dailyLogPath, isIgnoredFolder, localDate, longTermFile, trashFolder } from './layout.ts'
import { isNote } from './names.ts'
import { addToSection, noteItem } from './sections.ts'
import {
  normalizeRequest,
  readableFolder,
  resolveInside,
  resolveReadable,
  resolveTrash,
  resolveWritable,
  type Roots,
} from './paths.ts'
import { walkMarkdown, type FoundFile, type Walk } from './walk.ts'

const dayMs = 86_400_000

/** On whose account a file is written (M26): for agents with the conversation, and the message being answered. */
export interface WriteOrigin {
  readonly cause: Cause
  readonly session?: string | undefined
  readonly turn?: string | undefined
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
}

export interface Capture extends RememberedLines {
  readonly note: string
  readonly origin: WriteOrigin
}

/** Another program may be at work on the same file; it does not save this often in a row. */
const maxTries = 20

type Rewrite = (current: TextFile | undefined) => string | Promise<string>

export interface WorkspaceOptions {
  /** Compares texts; in place when left out. */
  readonly differ?: Differ | undefined
  /** A text that the history has kept, by Git's id of it. Left out where there is no history. */
  readonly keptText?: ((id: string) => Promise<string | undefined>) | undefined
  /** Told when other processes cannot be kept from writing at the same time, and why. */
  readonly onUnlocked?: ((error: unknown) => void) | undefined
}

export class Workspace {
  readonly roots: Roots
  /** Whoever is told is told before whoever wrote; nobody else writes until a promise that a listener returns is kept. */
  readonly changes: Announcements<WorkspaceWrite>
  readonly #changes = new Changes<WorkspaceWrite>()
  /** Notes that somebody had remembered. */
  readonly captures: Announcements<Capture>
  readonly #captures = new Changes<Capture>()
  readonly #alone: Exclusive
  readonly #differ: Differ
  readonly #keptText: WorkspaceOptions['keptText']

  constructor(roots: Roots, { differ = new Differ(), keptText, onUnlocked }: WorkspaceOptions = {}) {
    this.roots = roots
    this.changes = this.#changes
    this.captures = this.#captures
    this.#alone = new Exclusive(roots.workspace, onUnlocked)
    this.#differ = differ
    this.#keptText = keptText
  }

  close(): void {
    this.#alone.close()
  }

  async list(signal?: AbortSignal): Promise<Walk> {
    try {
      return await walkMarkdown(this.roots.workspace, signal, this.roots.forbidden)
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
    return this.#change(path, origin, () => text)
  }

  /**
   * Saves what an editor holds. If the file is no longer what the editor started from, the two changes are merged
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
    const write = await this.#change(path, { cause: 'user' }, async (current) => {
      if ((current?.hash ?? null) === expected.hash || current?.text === text) return text
      if (current && expected.hash === null && expected.baseText === undefined)
        throw new AppError('file_exists', `${path} exists already`, { path })
      const { baseText: base, onConflict } = expected
      const result =
        current && base !== undefined
          ? await this.#differ.merge({ base, mine: text, theirs: current.text, keepsBoth: onConflict === 'both' })
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
    return this.#change(path, origin, (current) => rewrite(current?.text))
  }

  /** Appends an entry `## HH:MM - Title` to the log of the day (M4). */
  async remember(text: string, at: Date, origin: WriteOrigin): Promise<RememberedLines> {
    const path = dailyLogPath(localDate(at))
    let place: PlacedEntry = { startLine: 1, endLine: 1 }
    const write = await this.edit(path, origin, (current) => {
      const added = addLogEntry(current, text, at)
      place = { startLine: added.startLine, endLine: added.endLine }
      return added.text
    })
    return this.#remembered({ path, ...place, change: await this.describe(write) }, text, origin)
  }

  /**
   * Looks whether a note stands in the log of the day, for one who asked another to write it and got no answer.
   */
  async findRemembered(text: string, at: Date): Promise<Omit<RememberedLines, 'change'> | undefined> {
    const path = dailyLogPath(localDate(at))
    const place = (await this.exists(path)) && findLogEntry((await this.read(path)).text, text, at)
    return place ? { path, ...place } : undefined
  }

  /** Adds a note to a section of MEMORY.md (M5); the section is made at the end when there is none of that name. */
  async rememberIn(section: string, text: string, origin: WriteOrigin): Promise<RememberedLines> {
    const path = longTermFile
    let startLine = 1
    const note = noteItem(text)
    const write = await this.edit(path, origin, (current = '') => {
      const placed = addToSection(current, section, note)
      startLine = placed.startLine
      return placed.text
    })
    const endLine = startLine + note.split('\n').length - 1
    return this.#remembered({ path, startLine, endLine, change: await this.describe(write) }, text, origin)
  }

  #remembered(lines: RememberedLines, note: string, origin: WriteOrigin): RememberedLines {
    this.#captures.announce({ ...lines, note, origin })
    return lines
  }

  /** What a write changed, in lines. Whoever wants to know asks for it: a write itself waits for no comparison. */
  async describe({ path, before, after }: WorkspaceWrite, signal?: AbortSignal): Promise<FileChange> {
    const isKept = this.#keptText !== undefined && isNote(path)
    return this.#differ.describe({ path, before: before ?? '', after: after ?? '', isKept }, signal)
  }

  /**
   * Takes a change back where its lines still stand, also when other lines were changed since.
   * @throws AppError `undo_conflict` when they do not; `history_off` when the history alone would know what was there
   */
  async undo(path: string, patch: string, origin: WriteOrigin, signal?: AbortSignal): Promise<WorkspaceWrite> {
    const conflict = () =>
      new AppError('undo_conflict', `${path} was changed since; the change cannot be taken back by itself`, { path })
    const large = parseLargeChange(patch)
    const [before, after] = large ? await Promise.all([this.#kept(large.before), this.#kept(large.after)]) : []
    if (large && (before === undefined || after === undefined)) throw conflict()
    return this.edit(path, origin, async (current = '') => {
      if (current === after && before !== undefined) return before
      const restored =
        before === undefined || after === undefined
          ? await this.#differ.takeBack(current, patch, signal)
          : await this.#differ.merge({ base: after, mine: current, theirs: before, keepsBoth: false }, signal)
      if (restored === undefined) throw conflict()
      return restored
    })
  }

  /**
   * Gives a file another name or place.
   * @throws AppError `file_not_found`, `file_exists`
   */
  async move(from: string, to: string, origin: WriteOrigin): Promise<WorkspaceWrite> {
    const path = normalizeRequest(to)
    return this.#run(async () => {
      const { target: source } = await resolveWritable(this.roots, from)
      const { target, isAllowed } = await resolveWritable(this.roots, to)
      if (source === target) throw new AppError('file_exists', `${path} exists already`, { path })
      const file = await readText(source, from)
      await moveFile(source, target, path, isAllowed)
      const write = {
        path,
        from: normalizeRequest(from),
        origin,
        hash: file.hash,
        before: file.text,
        after: file.text,
        at: Date.now(),
      }
      await this.#changes.settle(write)
      return write
    })
  }

  /**
   * Puts a file into the trash folder of the workspace.
   * @returns what it takes to bring it back, and the change
   * @throws AppError `file_not_found`
   */
  async remove(path: string, origin: WriteOrigin): Promise<{ trashed: string; write: WorkspaceWrite }> {
    const shown = normalizeRequest(path)
    return this.#run(async () => {
      const { target } = await resolveWritable(this.roots, path)
      const file = await readText(target, shown)
      const trashed = `${trashFolder}/${Date.now()}/${shown}`
      const grave = await resolveTrash(this.roots, trashed)
      await moveFile(target, grave.target, trashed, grave.isAllowed)
      const write = {
        path: shown,
        origin,
        hash: hashText(''),
        before: file.text,
        after: null,
        at: Date.now(),
      }
      await this.#changes.settle(write)
      return { trashed, write }
    })
  }

  /**
   * Brings a file back from the trash.
   * @throws AppError `file_not_found`, `file_exists`, `path_outside_workspace`
   */
  async restore(trashed: string, origin: WriteOrigin): Promise<WorkspaceWrite> {
    const shown = new RegExp(`^\\${trashFolder}/\\d+/(.+)$`).exec(normalizeRequest(trashed))?.[1]
    if (shown === undefined) throw new AppError('file_not_found', `${trashed} is not in the trash`, { path: trashed })
    return this.#run(async () => {
      const { target: source } = await resolveTrash(this.roots, trashed)
      const { target, isAllowed } = await resolveWritable(this.roots, shown)
      const file = await readText(source, shown)
      await moveFile(source, target, shown, isAllowed)
      const write = {
        path: shown,
        origin,
        hash: file.hash,
        before: null,
        after: file.text,
        at: Date.now(),
      }
      await this.#changes.settle(write)
      return write
    })
  }

  /** A copy beside the file, as `name 2.md`. @returns its path */
  async duplicate(path: string, origin: WriteOrigin): Promise<string> {
    const shown = normalizeRequest(path)
    const { text } = await this.read(shown)
    const [, stem = shown, extension = ''] = /^(.*?)(?: \d+)?(\.[^./]+)$/.exec(shown) ?? []
    return this.#run(async () => {
      let number = 2
      while (await this.exists(`${stem} ${number}${extension}`)) number += 1
      const copy = `${stem} ${number}${extension}`
      await this.#rewrite(copy, origin, () => text)
      return copy
    })
  }

  /**
   * Cleans up what writes that were killed left behind. Whatever is not surely ours goes into the trash, and only when
   * nothing has touched it for a day.
   */
  async tidy(): Promise<void> {
    const { workspace } = this.roots
    const paths = await tidyFolder(workspace, (name) => !isIgnoredFolder(name))
    const found = earlierLeftOvers(paths)
    if (found.length === 0) return
    await this.#run(async () => {
      for (const path of found) {
        const file = join(workspace, path)
        if (Date.now() - (await stat(file)).mtimeMs < dayMs) continue
        const trashed = `${trashFolder}/${Date.now()}/${path}`
        const grave = await resolveTrash(this.roots, trashed)
        await moveFile(file, grave.target, trashed, grave.isAllowed)
      }
    })
  }

  /** Where a file lies on the disk. @throws AppError `path_outside_workspace`, `path_hidden` */
  async locate(path: string): Promise<string> {
    return resolveInside(this.roots, path)
  }

  /** The same for a file that another program is to open: what that would run is refused. @throws AppError also `write_refused` */
  async locateNote(path: string): Promise<string> {
    return (await resolveWritable(this.roots, path)).target
  }

  async #change(
    path: string,
    origin: WriteOrigin,
    rewrite: (current: TextFile | undefined) => string | Promise<string>,
  ): Promise<WorkspaceWrite> {
    return this.#run(() => this.#rewrite(normalizeRequest(path), origin, rewrite))
  }

  /** Only within `#run`. */
  async #rewrite(shown: string, origin: WriteOrigin, rewrite: Rewrite): Promise<WorkspaceWrite> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#rewriteOnce(shown, origin, rewrite)
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile) || tries === maxTries) throw error
      }
    }
  }

  async #rewriteOnce(shown: string, origin: WriteOrigin, rewrite: Rewrite): Promise<WorkspaceWrite> {
    const { target, isAllowed } = await resolveWritable(this.roots, shown)
    const known = await stateOf(target)
    const current = await readIfThere(target, shown, isAllowed)
    const text = await rewrite(current)
    assertReadable(text, shown)
    if (current?.text !== text) await writeText(target, text, shown, isAllowed, known)
    const write = {
      path: shown,
      origin,
      hash: hashText(text),
      before: current?.text ?? null,
      after: text,
      at: Date.now(),
    }
    if (current?.text !== text) await this.#changes.settle(write)
    return write
  }

  /** The history does not record that there was nothing. */
  async #kept(id: string): Promise<string | undefined> {
    if (id === blobId('')) return ''
    if (!this.#keptText) throw new AppError('history_off', 'the history is turned off (history.enabled)', {})
    return this.#keptText(id)
  }

  /** @throws AppError `folder_gone` rather than making a workspace that was moved away anew */
  async #run<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone.run(async () => {
      const { workspace } = this.roots
      if (await isFolder(workspace)) return work()
      const message = `${workspace} is not there: put the folder back, or choose its new place in the settings`
      throw new AppError('folder_gone', message, { path: workspace })
    })
  }
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  })
  return info?.isDirectory() ?? false
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
