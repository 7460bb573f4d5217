import type { FileKind, MemoryScope, Unsearched } from '#shared/contract/index.ts'
import {
  datedName,
  dailyNoteDate,
  dailyNotePath,
  usualDailyNotes,
  type DailyNotes,
} from '#shared/markdown/daily-notes.ts'
import { contextNames, longTermName, ownFolderName, type ownNames } from '#shared/util/own-files.ts'
import { isHidden, isHiddenPath } from './file-names.ts'

/** What a vault's own habits change about all this. This file says where an agent's own files lie, and no other does. */
export interface Layout {
  /** Where the logs of days are written. */
  readonly daily: DailyNotes
  /** Folders and files that are not searched, as beginnings of paths. */
  readonly ignored: readonly string[]
  /** The folder of the agent's own files; empty for the top. */
  readonly own: string
}

export const usualLayout: Layout = layoutOf()

/** The usual one, with the agent's own files in a folder. */
export function layoutOf(own = ''): Layout {
  return { daily: usualDaily(own), ignored: [], own }
}

/** Where the logs of days are written where no vault says otherwise. */
export function usualDaily(own: string): DailyNotes {
  return own === '' ? usualDailyNotes : { ...usualDailyNotes, folder: `${own}/${memoryFolder}` }
}

const memoryFolder = 'memory'

/** Where one of an agent's own files lies, or `memory`. */
export function ownPath(name: (typeof ownNames)[number] | typeof memoryFolder, { own } = usualLayout): string {
  return own === '' ? name : `${own}/${name}`
}

/** Read into every request, in this order; MEMORY.md joins them at the start of a session. */
export function projectContextFiles(layout?: Layout): string[] {
  return contextNames.map((name) => ownPath(name, layout))
}

export function longTermFile(layout?: Layout): string {
  return ownPath(longTermName, layout)
}

/** What the agent keeps by itself: the ends of conversations, notes that were split off, and logs where no habit says otherwise. */
export function memoryFolderOf(layout?: Layout): string {
  return ownPath(memoryFolder, layout)
}

/** Where such files are read from: what lies elsewhere was written while the agent's own files lay there. */
export function memoryFoldersOf(layout?: Layout): string[] {
  return [...new Set([memoryFolderOf(layout), memoryFolder, `${ownFolderName}/${memoryFolder}`])]
}

/** What is deleted goes here, in the workspace; hidden, so that it is no memory any more. */
export const trashFolder = '.trash'

/** Folders within folders that are looked through; what lies deeper is told, and not searched. */
export const maxDepth = 64

const dailyLog = /^(\d{4}-\d{2}-\d{2})(?:-([^/]+))?\.md$/

/** What a path is called in the folder of logs, or in the one that it was before; undefined for one that lies elsewhere. */
function inMemory(path: string, layout: Layout): string | undefined {
  const folder = memoryFoldersOf(layout).find((one) => path.startsWith(`${one}/`))
  return folder === undefined ? undefined : path.slice(folder.length + 1)
}

/**
 * `memory/2026-01-20.md` and its `-slug` variants, notes of days where the vault has them, and what is called by a day
 * alone in whatever folder (`Journal/2024-05-21.md`, `journals/2025_01_31.md`); undefined for anything else.
 */
export function dailyLogDate(path: string, layout: Layout = usualLayout): string | undefined {
  if (isRescued(path, layout)) return undefined
  return dailyLog.exec(inMemory(path, layout) ?? '')?.[1] ?? dailyNoteDate(layout.daily, path) ?? datedName(path)
}

const rescuedName = 'rescued'

/** What no flush could read is kept below this, word for word: searched, and never loaded by itself. */
export function rescuedFolder(layout?: Layout): string {
  return `${memoryFolderOf(layout)}/${rescuedName}`
}

export function rescuedFolders(layout?: Layout): string[] {
  return memoryFoldersOf(layout).map((folder) => `${folder}/${rescuedName}`)
}

/** In the heading of what waits there. */
export const rescuedWaiting = 'Kept word for word, waiting to be distilled'

/** Earlier versions kept it beside the logs. */
export function isRescued(path: string, layout: Layout = usualLayout): boolean {
  const name = inMemory(path, layout) ?? ''
  return name.startsWith(`${rescuedName}/`) || /^\d{4}-\d{2}-\d{2}-unflushed\.md$/.test(name)
}

export function dailyLogPath(date: string, { daily }: Layout = usualLayout): string {
  return dailyNotePath(daily, date)
}

export function fileKind(path: string, layout?: Layout): FileKind {
  if (path === longTermFile(layout)) return 'memory'
  if (dailyLogDate(path, layout) !== undefined) return 'log'
  return isProjectContext(path, layout) ? 'project' : 'note'
}

/** True for what is read in full for every request. */
function isProjectContext(path: string, layout: Layout = usualLayout): boolean {
  const [name = ''] = path.split('/').slice(-1)
  return contextNames.some((one) => one === name) && projectContextFiles(layout).includes(path)
}

/**
 * True for `MEMORY.md`, `memory/**\/*.md` and the logs of days: what a flush writes, what others share, what the narrow
 * scope searches.
 */
export function isMemoryPath(path: string, layout: Layout = usualLayout): boolean {
  if (path === longTermFile(layout) || (inMemory(path, layout) !== undefined && isMarkdown(path))) return true
  return dailyNoteDate(layout.daily, path) !== undefined
}

/**
 * Why a file of the workspace is not searched; undefined for one that is. Project-context files are read in full for
 * every request: as results they would say twice what the model has before it.
 */
export function unsearchedFor(
  path: string,
  scope: MemoryScope,
  layout: Layout = usualLayout,
): 'hidden' | 'notMarkdown' | 'project' | 'ignored' | 'scope' | undefined {
  if (isIgnoredPath(path.split('/'))) return 'hidden'
  if (!isMarkdown(path)) return 'notMarkdown'
  if (isProjectContext(path, layout)) return 'project'
  if (isIgnored(path, layout)) return 'ignored'
  return scope === 'workspace' || isMemoryPath(path, layout) ? undefined : 'scope'
}

/** `drafts` and `drafts/` leave out what lies in the folder, `drafts/old` also `drafts/old.md`. */
function isIgnored(path: string, { ignored }: Layout): boolean {
  return ignored.some(
    (one) => path === one || path === `${one}.md` || path.startsWith(one.endsWith('/') ? one : `${one}/`),
  )
}

/** The same as entries have it. @param unreadable files that could not be read, with the reason */
export function unsearchedOf(
  path: string,
  scope: MemoryScope,
  unreadable: ReadonlyMap<string, string>,
  layout?: Layout,
): { readonly unsearched?: Unsearched } {
  const reason = unsearchedFor(path, scope, layout)
  if (reason !== undefined) return { unsearched: { reason } }
  const message = unreadable.get(path)
  return message === undefined ? {} : { unsearched: { reason: 'unreadable', message } }
}

export function isMarkdown(path: string): boolean {
  return /\.(md|markdown)$/i.test(path)
}

/** Folders that hold no notes: hidden ones, and what package managers make. */
export function isIgnoredFolder(name: string): boolean {
  return isHidden(name) || name === 'node_modules'
}

/** The same for a path, by its names from the top of the workspace on. */
export function isIgnoredPath(steps: readonly string[]): boolean {
  return isHiddenPath(steps) || steps.includes('node_modules')
}

/** The local day of a moment, `YYYY-MM-DD`. */
export function localDate(at: Date): string {
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
}

/** The local time of a moment, `HH:MM`. */
export function localTime(at: Date): string {
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
}
