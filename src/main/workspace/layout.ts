/** What the names in a workspace mean (M2, M4, M5). Pure; paths are relative with forward slashes. */
import type { FileKind, MemoryScope, Unsearched } from '../../shared/contract/index.ts'
import { isHidden } from './names.ts'

/** Read into every request, in this order (M3); MEMORY.md joins them at the start of a session (M8). */
export const projectContextFiles = ['AGENTS.md', 'SOUL.md', 'USER.md', 'TOOLS.md'] as const

export const longTermFile = 'MEMORY.md'
export const memoryFolder = 'memory'
/** What is deleted goes here, in the workspace; hidden, so that it is no memory any more. */
export const trashFolder = '.trash'

/** Folders within folders that are looked through; what lies deeper is told, and not searched. */
export const maxDepth = 64

const dailyLog = /^memory\/(\d{4}-\d{2}-\d{2})(?:-([^/]+))?\.md$/

/** `memory/2026-01-20.md` and its `-slug` variants; undefined for anything else. */
export function dailyLogDate(path: string): string | undefined {
  return dailyLog.exec(path)?.[1]
}

/** What no flush could read is kept below this, word for word (M30): searched, and never loaded by itself (M8). */
export const rescuedFolder = `${memoryFolder}/rescued`

/** Earlier versions kept it beside the logs. */
export function isRescued(path: string): boolean {
  return path.startsWith(`${rescuedFolder}/`) || /^memory\/\d{4}-\d{2}-\d{2}-unflushed\.md$/.test(path)
}

export function dailyLogPath(date: string): string {
  return `${memoryFolder}/${date}.md`
}

export function fileKind(path: string): FileKind {
  if (path === longTermFile) return 'memory'
  if (dailyLog.test(path)) return 'log'
  return (projectContextFiles as readonly string[]).includes(path) ? 'project' : 'note'
}

/** True for `MEMORY.md` and `memory/**\/*.md`: what a flush writes, what others share, what the narrow scope searches. */
export function isMemoryPath(path: string): boolean {
  return path === longTermFile || (path.startsWith(`${memoryFolder}/`) && isMarkdown(path))
}

/**
 * Why a file of the workspace is not searched (M2); undefined for one that is. Project-context files are read in full for
 * every request: as results they would say twice what the model has before it.
 */
export function unsearchedFor(
  path: string,
  scope: MemoryScope,
): 'hidden' | 'notMarkdown' | 'project' | 'scope' | undefined {
  if (path.split('/').some(isIgnoredFolder)) return 'hidden'
  if (!isMarkdown(path)) return 'notMarkdown'
  if ((projectContextFiles as readonly string[]).includes(path)) return 'project'
  return scope === 'workspace' || isMemoryPath(path) ? undefined : 'scope'
}

/** The same as entries have it. @param unreadable files that could not be read, with the reason */
export function unsearchedOf(
  path: string,
  scope: MemoryScope,
  unreadable: ReadonlyMap<string, string>,
): { readonly unsearched?: Unsearched } {
  const reason = unsearchedFor(path, scope)
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
