import type { SearchResult } from '../contract/index.ts'

/** Formats a result as one line: `path:first-last · score · date · text`. The date is left out if the path has it. */
export function formatResult({
  path,
  startLine,
  endLine,
  score,
  date,
  snippet,
}: Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'score' | 'date' | 'snippet'>): string {
  const day = date === undefined || path.includes(date) ? [] : [date]
  const lines = endLine === startLine ? `${startLine}` : `${startLine}-${endLine}`
  return [`${path}:${lines}`, score.toFixed(2), ...day, snippet.replace(/\s*\n\s*/g, ' ')].join(' · ')
}
