import type { Condition, IndexExclusion, SearchResult, Verdict } from '../contract/index.ts'

type ResultLine = Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'score' | 'date' | 'snippet'> &
  Partial<Pick<SearchResult, 'heading'>>

/** Formats a result as one line: `path:first-last · score · date · text`. The date is left out if the path has it. */
export function formatResult({ path, startLine, endLine, score, date, snippet, heading }: ResultLine): string {
  const day = date === undefined || path.includes(date) ? [] : [date]
  const lines = endLine === startLine ? `${startLine}` : `${startLine}-${endLine}`
  return [`${path}:${lines}`, score.toFixed(2), ...day, withHeading(snippet.replace(/\s*\n\s*/g, ' '), heading)].join(
    ' · ',
  )
}

/** UTF-16 code units. A longer text says what it is about. */
const maxBareLength = 24

/**
 * Puts the last heading before a short text: "Plumber: 555 1234". The title of the note and a heading with a digit, such as
 * a date, are left out.
 */
export function withHeading(text: string, heading = ''): string {
  const title = heading.split(' › ').slice(1).at(-1) ?? ''
  const isBare = text.length <= maxBareLength && title !== '' && !/\d/.test(title)
  return isBare && !text.toLowerCase().includes(title.toLowerCase()) ? `${title}: ${text}` : text
}

type Remarks = Pick<SearchResult, 'snippet' | 'superseded' | 'missing' | 'newer'>

/**
 * Says what a reader must know of a result: until when it was valid, unless its text says so, which words of the query it
 * lacks, and where a newer line on the subject is. Begins with a space if it is not empty.
 */
export function formatRemarks({ snippet, superseded, missing = [], newer }: Remarks): string {
  const by = superseded?.by
  const isInText =
    ['(until ', '（至 '].some((start) => snippet.includes(start + (superseded?.until ?? ''))) &&
    (by === undefined || snippet.includes(`[${by}]`))
  return [
    superseded && !isInText ? ` (until ${superseded.until}${by === undefined ? '' : `; now ${by}`})` : '',
    missing.length > 0 ? ` (does not mention: ${missing.join(', ')})` : '',
    newer ? ` (${newer.isSure ? 'replaced by' : 'see also the newer'} ${newer.at})` : '',
  ].join('')
}

/** Describes a condition of the query with its dates (both inclusive), or says why it was not applied. */
export function formatCondition({ kind, text, from, to, isUnread, nearest }: Condition): string {
  if (isUnread) return `${text}: not understood, searched as words`
  const days = from === to ? from : `${from ?? '…'} to ${to ?? '…'}`
  const meaning = days === null || days === text ? text : `${text} (${days})`
  if (nearest !== undefined) return `${meaning}: no note is of that time; these are of ${nearest}, the nearest day`
  return `${kind === 'time' ? 'raised' : 'only'}: ${meaning}`
}

export function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'returned':
      return `returned as #${verdict.rank}`
    case 'joined':
      return `shown with #${verdict.rank}, as a part of the same entry`
    case 'duplicate':
      return `says the same as #${verdict.rank}`
    case 'weak':
      return 'score too low'
    case 'overLimit':
      return 'over the limit of results or characters'
    case 'outsideFilter':
      return `outside the filter: ${verdict.by.join(' ')}`
  }
}

/** Says why a file or a line is not searched, for the terminal and for programs. */
export const exclusionTexts: Readonly<Record<IndexExclusion['reason'], string>> = {
  project: 'the user’s agent reads this file in full with every request; a searchable text belongs in another note',
  scope: '`memory.scope: memory` limits the search to MEMORY.md and memory/',
  ignored: 'the vault’s own program or `vault.ignored` excludes it',
  hidden: 'hidden folders, the trash and node_modules are excluded',
  notMarkdown: 'only Markdown is searched',
  unreadable: 'it cannot be read',
  sessionsOff: 'chats are not searched; `memory.sessions: true` searches them',
  outside: 'it is in no folder of this memory; `memory.extraPaths` adds folders',
  missing: 'there is no such file',
  pending: 'it is not indexed yet; try again in a moment',
  emptyLine: 'there is nothing on this line',
  notMemory: 'questions, answers without results and quotations in chats are not searched',
}
