import { findReplaced, isMarkedOld } from '#search/text'
import type { RecordedSearch } from '#shared/contract/index.ts'
import { withoutPrivateMarks } from '#shared/markdown/marks.ts'
import { parseIntent } from './intent.ts'
import { isDisclaimer } from './sentences.ts'

export interface Quote {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly text: string
  readonly isFromChat: boolean
  /** Day of the note, `YYYY-MM-DD`, if a newer quote is before it, or if another note replaced it. */
  readonly olderDate?: string
}

const maxQuotes = 3
/**
 * Factor on the threshold of the ranking model. A quotation is an answer, so it must be more likely than a search result: on
 * the judged sets, this halves the wrong quotations.
 */
const thresholdFactor = 1.6
/** Minimum score of further quotes, as a share of the first one's. */
const minShare = 0.5
const maxQuote = 400

/** Returns the results to quote, newest first. Quotes chats only if no note was found. @param today `YYYY-MM-DD` */
export function quotesOf(
  { results, minScore, weights }: Pick<RecordedSearch, 'results' | 'minScore' | 'weights'>,
  today: string,
): Quote[] {
  const likely = results.filter(
    ({ score, lacksWords }) => lacksWords !== true && score >= (weights ? 1 : thresholdFactor) * minScore,
  )
  const quotable = likely.flatMap((result) => {
    const isFromChat = result.source === 'sessions'
    const text = quotableText(result.snippet, isFromChat, today)
    return text === '' ? [] : [{ ...result, text, isFromChat }]
  })
  const notes = quotable.filter(({ isFromChat }) => !isFromChat)
  const [first, ...others] = notes.length > 0 ? notes : quotable
  if (!first) return []
  const likelyOthers = others.filter(({ score }) => score >= first.score * minShare)
  const quotes = newestFirst([first, ...likelyOthers].slice(0, maxQuotes))
  return quotes.map(({ path, startLine, text, isFromChat, date = '', superseded }, index) => {
    const isReplaced = quotes.slice(0, index).some((newer) => findReplaced(newer, [{ text }]) !== undefined)
    const isOlder = superseded || isMarkedOld(text) || isReplaced || (date !== '' && date < (quotes[0]?.date ?? ''))
    return { path, line: startLine, text, isFromChat, ...(isOlder ? { olderDate: date } : {}) }
  })
}

/** A note with such a word is newer than a note without a date. */
const change =
  /涨到|漲到|降到|改成|改为|改為|换成|換成|搬到|调到|調到|现在|現在|\b(?:now|new|moved? to|changed? to|raised|instead|no longer)\b/i

/** Sorts likely answers by date: a newer note often corrects an older one. Without a date, a note keeps its place. */
function newestFirst<T extends RecordedSearch['results'][number]>(quotes: readonly T[]): T[] {
  const hasChange = quotes.some(({ date, snippet }) => date !== undefined && change.test(snippet))
  const isDated = ({ date }: T) => date !== undefined || hasChange
  const ageOf = ({ date = '', superseded, snippet, startLine }: T) =>
    `${superseded || isMarkedOld(snippet) ? 0 : 1} ${date} ${String(startLine).padStart(9, '0')}`
  const sorted = quotes.filter(isDated).toSorted((one, other) => (ageOf(one) < ageOf(other) ? 1 : -1))
  return quotes.map((quote) => (isDated(quote) ? (sorted.shift() ?? quote) : quote))
}

export function clip(text: string, limit: number = maxQuote): string {
  const characters = [...text]
  return characters.length > limit ? `${characters.slice(0, limit).join('').trimEnd()}…` : text
}

/** The form is `User:` in transcripts and `**User:**` in imported conversations. */
const speakerPattern = /^(?:\*\*(User|Assistant):\*\*|(User|Assistant):)\s*/
/** Link of a summary's line to the message that it is from. */
const chatLink = /\s*\[sessions\/[^\]]*\]/g
/** Time of an entry: `10:30 - `. */
const timePattern = /^\d{1,2}:\d{2}\s+(?:[–—-]\s+)?/

/** Returns the text on one line; empty for questions, disclaimers, and text that the user did not write. */
function quotableText(snippet: string, isFromChat: boolean, today: string): string {
  const line = withoutPrivateMarks(snippet).replace(/\s+/g, ' ').trim()
  const [label = '', saved, said] = speakerPattern.exec(line) ?? []
  const speaker = saved ?? said
  const entry = line.slice(label.length).replace(timePattern, '')
  if (isDisclaimer(entry)) return ''
  const text = entry.replaceAll(chatLink, '')
  if (speaker === undefined) return isFromChat ? '' : text
  const isStatement = ['statement', 'remember'].includes(parseIntent(text, today).kind)
  return speaker === 'User' && isStatement ? text : ''
}
