/** What the names in a workspace mean (M2, M4, M5). Pure; paths are relative with forward slashes. */
import type { FileKind, MemoryScope, Unsearched } from '../../shared/contract/index.ts'
import { datedName, dailyNoteDate, dailyNotePath, usualDailyNotes, type DailyNotes } from '../../shared/daily-notes.ts'
import { isHidden } from './names.ts'

/** What a vault's own habits change about all this (M69). */
export interface Layout {
  /** Where the logs of days are written. */
  readonly daily: DailyNotes
  /** Folders and files that are not searched, as beginnings of paths. */
  readonly ignored: readonly string[]
}

export const usualLayout: Layout = { daily: usualDailyNotes, ignored: [] }

/** Read into every request, in this order (M3); MEMORY.md joins them at the start of a session (M8). */
export const projectContextFiles = ['AGENTS.md', 'SOUL.md', 'USER.md', 'TOOLS.md'] as const

export const longTermFile = 'MEMORY.md'
export const memoryFolder = 'memory'
/** What is deleted goes here, in the workspace; hidden, so that it is no memory any more. */
export const trashFolder = '.trash'

/** Folders within folders that are looked through; what lies deeper is told, and not searched. */
export const maxDepth = 64

const dailyLog = /^memory\/(\d{4}-\d{2}-\d{2})(?:-([^/]+))?\.md$/

/**
 * `memory/2026-01-20.md` and its `-slug` variants, notes of days where the vault has them, and what is called by a day
 * alone in whatever folder (`Journal/2024-05-21.md`, `journals/2025_01_31.md`); undefined for anything else.
 */
export function dailyLogDate(path: string, { daily }: Layout = usualLayout): string | undefined {
  if (isRescued(path)) return undefined
  return dailyLog.exec(path)?.[1] ?? dailyNoteDate(daily, path) ?? datedName(path)
}

/** What no flush could read is kept below this, word for word (M30): searched, and never loaded by itself (M8). */
export const rescuedFolder = `${memoryFolder}/rescued`

/** In the heading of what waits there. */
export const rescuedWaiting = 'Kept word for word, waiting to be distilled'

/** Earlier versions kept it beside the logs. */
export function isRescued(path: string): boolean {
  return path.startsWith(`${rescuedFolder}/`) || /^memory\/\d{4}-\d{2}-\d{2}-unflushed\.md$/.test(path)
}

export function dailyLogPath(date: string, { daily }: Layout = usualLayout): string {
  return dailyNotePath(daily, date)
}

export function fileKind(path: string, layout?: Layout): FileKind {
  if (path === longTermFile) return 'memory'
  if (dailyLogDate(path, layout) !== undefined) return 'log'
  return (projectContextFiles as readonly string[]).includes(path) ? 'project' : 'note'
}

/**
 * True for `MEMORY.md`, `memory/**\/*.md` and the logs of days: what a flush writes, what others share, what the narrow
 * scope searches.
 */
export function isMemoryPath(path: string, { daily }: Layout = usualLayout): boolean {
  if (path === longTermFile || (path.startsWith(`${memoryFolder}/`) && isMarkdown(path))) return true
  return dailyNoteDate(daily, path) !== undefined
}

/**
 * Why a file of the workspace is not searched (M2); undefined for one that is. Project-context files are read in full for
 * every request: as results they would say twice what the model has before it.
 */
export function unsearchedFor(
  path: string,
  scope: MemoryScope,
  layout: Layout = usualLayout,
): 'hidden' | 'notMarkdown' | 'project' | 'ignored' | 'scope' | undefined {
  if (path.split('/').some(isIgnoredFolder)) return 'hidden'
  if (!isMarkdown(path)) return 'notMarkdown'
  if ((projectContextFiles as readonly string[]).includes(path)) return 'project'
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

/** The local day of a moment, `YYYY-MM-DD`. */
export function localDate(at: Date): string {
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
}

/** The local time of a moment, `HH:MM`. */
export function localTime(at: Date): string {
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
}
