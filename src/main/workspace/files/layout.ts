import type { FileKind, MemoryScope } from '#shared/contract/index.ts'
import {
  dateOfFileName,
  dailyNoteDate,
  dailyNotePath,
  defaultDailyNotes,
  type DailyNotes,
} from '#shared/markdown/daily-notes.ts'
import { contextNames, longTermName, appFolderName, type agentFileNames } from '#shared/util/agent-files.ts'
import { isHidden, isHiddenPath } from './file-names.ts'

/** Locations of an agent's own files, logs and ignored folders. All of these paths are built in this file. */
export interface Layout {
  readonly daily: DailyNotes
  readonly ignored: readonly string[]
  /** Folder of the agent's own files, relative; empty for the top of the workspace. */
  readonly own: string
  readonly longTerm: string
}

export const defaultLayout: Layout = createLayout()

export function createLayout(own = '', longTerm: string = longTermName): Layout {
  return { daily: defaultDaily(own), ignored: [], own, longTerm }
}

export function defaultDaily(own: string): DailyNotes {
  return own === '' ? defaultDailyNotes : { ...defaultDailyNotes, folder: `${own}/${memoryFolder}` }
}

const memoryFolder = 'memory'

export function ownFilePath(
  name: (typeof agentFileNames)[number] | typeof memoryFolder,
  { own, longTerm } = defaultLayout,
): string {
  const fileName = name === longTermName ? longTerm : name
  return own === '' ? fileName : `${own}/${fileName}`
}

/** Every request contains these files, in order. MEMORY.md is read at the start of a session. */
export function projectContextFiles(layout?: Layout): string[] {
  return contextNames.map((name) => ownFilePath(name, layout))
}

export function longTermFile(layout?: Layout): string {
  return ownFilePath(longTermName, layout)
}

/** Folder for session summaries, notes split off from MEMORY.md, and daily logs unless the vault has its own place. */
export function memoryFolderPath(layout?: Layout): string {
  return ownFilePath(memoryFolder, layout)
}

/** Returns the memory folders of all layouts, the current one first. An earlier setting may have used another one. */
export function memoryFolderPaths(layout?: Layout): string[] {
  return [...new Set([memoryFolderPath(layout), memoryFolder, `${appFolderName}/${memoryFolder}`])]
}

/** Trash folder in the workspace. Hidden, so that deleted notes are not searched. */
export const trashFolder = '.trash'

/** Deepest folder level that is searched. Deeper folders are reported as a problem. */
export const maxDepth = 64

const dailyLog = /^(\d{4}-\d{2}-\d{2})(?:-([^/]+))?\.md$/

function relativeToMemoryFolder(path: string, layout: Layout): string | undefined {
  const folder = memoryFolderPaths(layout).find((memoryPath) => path.startsWith(`${memoryPath}/`))
  return folder === undefined ? undefined : path.slice(folder.length + 1)
}

/**
 * Returns the day (`YYYY-MM-DD`) of a daily log: `memory/2026-01-20.md` and its `-slug` variants, daily notes of the
 * vault, and notes in any folder that are named by a day alone (`journals/2025_01_31.md`). Undefined for other paths.
 */
export function dailyLogDate(path: string, layout: Layout = defaultLayout): string | undefined {
  if (isVerbatim(path, layout)) return undefined
  return (
    dailyLog.exec(relativeToMemoryFolder(path, layout) ?? '')?.[1] ??
    dailyNoteDate(layout.daily, path) ??
    dateOfFileName(path)
  )
}

const verbatimFolderName = 'rescued'

/** Returns true for text that was saved word for word. It is searched, but never loaded into a request automatically. */
export function isVerbatim(path: string, layout: Layout = defaultLayout): boolean {
  return relativeToMemoryFolder(path, layout)?.startsWith(`${verbatimFolderName}/`) ?? false
}

/** @param date `YYYY-MM-DD` */
export function dailyLogPath(date: string, { daily }: Layout = defaultLayout): string {
  return dailyNotePath(daily, date)
}

export function fileKind(path: string, layout?: Layout): FileKind {
  if (path === longTermFile(layout)) return 'memory'
  if (dailyLogDate(path, layout) !== undefined) return 'log'
  return projectContextFiles(layout).includes(path) ? 'project' : 'note'
}

/**
 * Returns true for MEMORY.md, Markdown in the memory folders and daily logs: the files that a flush writes, that agents
 * share, and that the scope `memory` searches.
 */
export function isMemoryPath(path: string, layout: Layout = defaultLayout): boolean {
  if (path === longTermFile(layout) || (relativeToMemoryFolder(path, layout) !== undefined && isMarkdown(path)))
    return true
  return dailyNoteDate(layout.daily, path) !== undefined
}

/** Project-context files are excluded because every request already contains them. @returns undefined if searched */
export function exclusionReason(
  path: string,
  scope: MemoryScope,
  layout: Layout = defaultLayout,
): 'hidden' | 'notMarkdown' | 'project' | 'ignored' | 'scope' | undefined {
  if (isIgnoredPath(path.split('/'))) return 'hidden'
  if (!isMarkdown(path)) return 'notMarkdown'
  if (projectContextFiles(layout).includes(path)) return 'project'
  if (isIgnored(path, layout)) return 'ignored'
  return scope === 'workspace' || isMemoryPath(path, layout) ? undefined : 'scope'
}

/** `drafts` and `drafts/` match the files of the folder; `drafts/old` also matches `drafts/old.md`. */
function isIgnored(path: string, { ignored }: Layout): boolean {
  return ignored.some(
    (entry) => path === entry || path === `${entry}.md` || path.startsWith(entry.endsWith('/') ? entry : `${entry}/`),
  )
}

export function isMarkdown(path: string): boolean {
  return /\.(md|markdown)$/i.test(path)
}

export function isIgnoredFolder(name: string): boolean {
  return isHidden(name) || name === 'node_modules'
}

/** @param segments from the top of the workspace */
export function isIgnoredPath(segments: readonly string[]): boolean {
  return isHiddenPath(segments) || segments.includes('node_modules')
}

/** Returns the local date, `YYYY-MM-DD`. */
export function localDate(date: Date, timeZone?: string): string {
  if (timeZone !== undefined) return new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(date)
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

export function localTime(date: Date): string {
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
}
