/** What the names in a workspace mean (M2, M4, M5). Pure; paths are relative with forward slashes. */
import type { FileKind } from '../../shared/contract/index.ts'
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

export function dailyLogPath(date: string): string {
  return `${memoryFolder}/${date}.md`
}

export function fileKind(path: string): FileKind {
  if (path === longTermFile) return 'memory'
  if (dailyLog.test(path)) return 'log'
  return (projectContextFiles as readonly string[]).includes(path) ? 'project' : 'note'
}

/** True for what the memory index covers: `MEMORY.md` and `memory/**\/*.md`. */
export function isMemoryPath(path: string): boolean {
  return path === longTermFile || (path.startsWith(`${memoryFolder}/`) && isMarkdown(path))
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
