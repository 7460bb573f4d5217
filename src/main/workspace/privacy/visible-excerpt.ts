/** Redacts search results for remote models and clients. */
import { redactionPlaceholder, redactLocal } from '#shared/markdown/visibility.ts'
import type { LocalNote } from './privacy-rules.ts'

export interface Passage {
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  readonly heading: string
  readonly title?: string | undefined
  readonly snippet: string
  readonly matched: readonly string[]
}

/**
 * Returns the visible part of a passage; undefined if there is none. The index may be older than the file, so of a
 * passage with local lines only lines that are visible in the file remain. @param text of the whole file
 */
export function visiblePart<T extends Passage>(passage: T, text: string, note: LocalNote): T | undefined {
  if (note.isFullyLocal) return undefined
  const isLocal = (line: number) => line + 1 >= passage.startLine && line + 1 <= passage.endLine
  if (![...note.localLines].some(isLocal)) return passage
  const lines = redactLocal(text, note)
    .text.split(/\r\n|\n|\r/)
    .map((line) => line.trim())
  const shown = new Set(lines.filter((line) => line !== redactionPlaceholder))
  const isShown = (line: string) =>
    shown.has(line) || (line.endsWith('…') && lines.some((one) => one.startsWith(line.slice(0, -1))))
  const snippet = passage.snippet
    .split('\n')
    .filter((line) => isShown(line.trim()))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
  if (snippet === '') return undefined
  const { title: _title, ...rest } = passage
  const matched = passage.matched.filter((word) => snippet.includes(word))
  // The heading and the title may be local lines.
  return { ...(rest as T), heading: '', snippet, matched }
}
