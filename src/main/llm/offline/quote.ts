import type { RecordedSearch } from '#shared/contract/index.ts'
import { withoutPrivateMarks } from '#shared/markdown/marks.ts'
import { parseIntent } from './intent.ts'
import { isDisclaimer, speakers } from './sentences.ts'

export interface Quote {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly text: string
  readonly isFromChat: boolean
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

/** Returns the results to quote, best first. Quotes chats only if no note was found. @param today `YYYY-MM-DD` */
export function quotesOf(
  { results, minScore, weights }: Pick<RecordedSearch, 'results' | 'minScore' | 'weights'>,
  today: string,
): Quote[] {
  const likely = results.filter(({ score }) => score >= (weights ? 1 : thresholdFactor) * minScore)
  const quotable = likely.flatMap(({ path, startLine, snippet, source, score }) => {
    const isFromChat = source === 'sessions'
    const text = quotableText(snippet, isFromChat, today)
    return text === '' ? [] : [{ path, line: startLine, text, isFromChat, score }]
  })
  const notes = quotable.filter(({ isFromChat }) => !isFromChat)
  const [first, ...others] = notes.length > 0 ? notes : quotable
  if (!first) return []
  return [first, ...others.filter(({ score }) => score >= first.score * minShare)]
    .slice(0, maxQuotes)
    .map(({ score: _score, ...quote }) => quote)
}

export function clip(text: string, limit: number = maxQuote): string {
  const characters = [...text]
  return characters.length > limit ? `${characters.slice(0, limit).join('').trimEnd()}…` : text
}

/** The form is `User:` in transcripts and `**User:**` in saved conversations. */
const speakerNames = [...speakers.user, ...speakers.assistant].join('|')
const speakerPattern = new RegExp(`^(?:\\*\\*(${speakerNames}):\\*\\*|(User|Assistant):)\\s*`)
/** Time of an entry: `10:30 - `. */
const timePattern = /^\d{1,2}:\d{2}\s+(?:[–—-]\s+)?/

/** Returns the text on one line; empty for questions, disclaimers, and text that the user did not write. */
function quotableText(snippet: string, isFromChat: boolean, today: string): string {
  const line = withoutPrivateMarks(snippet).replace(/\s+/g, ' ').trim()
  const [label = '', saved, said] = speakerPattern.exec(line) ?? []
  const speaker = saved ?? said
  const text = line.slice(label.length).replace(timePattern, '')
  if (isDisclaimer(text)) return ''
  if (speaker === undefined) return isFromChat ? '' : text
  const isStatement = ['statement', 'remember'].includes(parseIntent(text, today).kind)
  return speakers.user.includes(speaker) && isStatement ? text : ''
}
