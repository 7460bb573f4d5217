import english from '../i18n/host/en.json' with { type: 'json' }
import { fillText } from './fill-text.ts'
import type { Condition, SearchResult, Verdict } from '../contract/index.ts'

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

/** Returns a text about a result. The default is English, which models and programs read. */
export type SayResult = (key: keyof typeof english.result, values?: Readonly<Record<string, unknown>>) => string

const inEnglish: SayResult = (key, values) => fillText(english.result[key], values)

type Remarks = Pick<SearchResult, 'snippet' | 'superseded' | 'missing' | 'newer'>

/**
 * Says what a reader must know of a result: until when it was valid, unless its text says so, which words of the query it
 * lacks, and where a newer line on the subject is. Begins with a space if it is not empty.
 */
export function formatRemarks({ snippet, superseded, missing = [], newer }: Remarks, say = inEnglish): string {
  const by = superseded?.by
  const isInText =
    ['(until ', '（至 '].some((start) => snippet.includes(start + (superseded?.until ?? ''))) &&
    (by === undefined || snippet.includes(`[${by}]`))
  const remarks = [
    ...(superseded && !isInText ? [say(by === undefined ? 'until' : 'untilNow', superseded)] : []),
    ...(missing.length > 0 ? [say('missing', { words: missing.join(say('comma')) })] : []),
    ...(newer ? [say(newer.isSure ? 'replaced' : 'newer', newer)] : []),
  ]
  return remarks.map((remark) => say('remark', { remark })).join('')
}

/** Describes a condition of the query with its dates (both inclusive), or says why it was not applied. */
export function formatCondition({ kind, text, from, to, isUnread, nearest }: Condition, say = inEnglish): string {
  if (isUnread) return say('unread', { text })
  const days = from === to ? from : say('days', { from: from ?? '…', to: to ?? '…' })
  const meaning = days === null || days === text ? text : say('meaning', { text, days })
  if (nearest !== undefined) return say('nearest', { meaning, nearest })
  return say(kind === 'time' ? 'raised' : 'only', { meaning })
}

export function verdictText(verdict: Verdict, say = inEnglish): string {
  return say(verdict.kind, verdict.kind === 'outsideFilter' ? { words: verdict.by.join(' ') } : verdict)
}
