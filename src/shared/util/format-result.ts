import type { SearchResult } from '../contract/index.ts'

/** Formats a result as one line of text: `path:line · date · text`. The date is left out if the path has it. */
export function formatResult({
  path,
  startLine,
  date,
  snippet,
}: Pick<SearchResult, 'path' | 'startLine' | 'date' | 'snippet'>): string {
  const day = date === undefined || path.includes(date) ? [] : [date]
  return [`${path}:${startLine}`, ...day, snippet.replace(/\s*\n\s*/g, ' ')].join(' · ')
}
