/** What a result shows of its chunk: the lines around its best ones, and which of their words matched. Pure. */
import { fold, termsOfWord } from '../terms.ts'
import type { KeywordPlan } from './plan.ts'

const maxCharacters = 700

/** @returns the lines, and the first of them among those of `text`, 0-based */
export function snippetOf(text: string, bestLine: number): { readonly snippet: string; readonly first: number } {
  const lines = text.split('\n')
  let from = Math.min(bestLine, Math.max(0, lines.length - 1))
  let to = from + 1
  let length = lines[from]?.length ?? 0
  for (;;) {
    const below = lines[to]
    const above = lines[from - 1]
    if (below !== undefined && length + below.length < maxCharacters) {
      length += below.length + 1
      to += 1
    } else if (above !== undefined && length + above.length < maxCharacters) {
      length += above.length + 1
      from -= 1
    } else break
  }
  while (from < to - 1 && lines[from]?.trim() === '') from += 1
  const snippet = lines.slice(from, to).join('\n').trim()
  const isShort = snippet.length <= maxCharacters
  return { snippet: isShort ? snippet : `${[...snippet].slice(0, maxCharacters).join('')}…`, first: from }
}

/** The words of `snippet`, as they stand there, that the query's terms matched; for highlighting. */
export function matchedWords(snippet: string, plan: KeywordPlan): string[] {
  const wanted = new Set<string>()
  const found = new Set<string>()
  const readings = plan.terms.flatMap((term) => term.readings)
  for (const { kind, term } of readings) if (kind === 'word') wanted.add(term)
  if (wanted.size > 0) {
    for (const [word] of snippet.matchAll(/[\p{L}\p{N}]+(?:[_\-./:@#+'’][\p{L}\p{N}]+)*/gu)) {
      if (!found.has(word) && termsOfWord(word).some((term) => wanted.has(term))) found.add(word)
    }
  }
  const folded = fold(snippet)
  for (const { kind, term } of readings) {
    const shown = term.replaceAll(' ', '')
    if (kind === 'cjk' && folded.includes(shown)) found.add(shown)
  }
  return [...found]
}
