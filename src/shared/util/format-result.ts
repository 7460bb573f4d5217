import type { Condition, SearchResult } from '../contract/index.ts'

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

/** Describes a condition of the query with its dates (both inclusive), or says why it was not applied. */
export function formatCondition({ kind, text, from, to, isUnread, nearest }: Condition): string {
  if (isUnread) return `${text}: not understood, searched as words`
  const days = from === to ? from : `${from ?? '…'} to ${to ?? '…'}`
  const meaning = days === null || days === text ? text : `${text} (${days})`
  if (nearest !== undefined) return `${meaning}: no note is of that time; these are of ${nearest}, the nearest day`
  return `${kind === 'time' ? 'raised' : 'only'}: ${meaning}`
}
