/** What somebody sees of a passage that was found, who does not see all of its note (M64). Pure. */
import { redactionPlaceholder, redactLocal } from '#shared/markdown/visibility.ts'
import type { LocalNote } from './privacy-rules.ts'

interface Passage {
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  readonly heading: string
  readonly title?: string | undefined
  readonly snippet: string
  readonly matched: readonly string[]
}

/**
 * The index may be behind the file: of a passage with local lines only what stands in the file now as a line that
 * everybody may see is left.
 * @param text of the whole file @returns undefined where nothing is left
 */
export function seenPart<T extends Passage>(passage: T, text: string, note: LocalNote): T | undefined {
  if (note.isWhole) return undefined
  const isLocal = (line: number) => line + 1 >= passage.startLine && line + 1 <= passage.endLine
  if (![...note.lines].some(isLocal)) return passage
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
  // The heading and the title may be lines that stay here.
  return { ...(rest as T), heading: '', snippet, matched }
}
