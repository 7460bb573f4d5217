import { formatDay, parseDay, type DaySpan } from '#search/text'
import type { RecordedSearch } from '#shared/contract/index.ts'
import { maxQuery } from '#shared/util/limits.ts'
import type { ToolCallPart, ToolResultMessage } from '#shared/chat/messages.ts'
import { clip, quotesOf } from './quote.ts'
import type { Sentences } from './sentences.ts'

const maxEntries = 50
/** Maximum characters of a question that the answer repeats. */
const maxQuestionEcho = 60

/** A text ends the turn; tool calls request results for the next step. */
export interface Step {
  readonly text?: string
  /** A statement of the user that can be saved as a note. */
  readonly keep?: string
  readonly calls?: readonly Omit<ToolCallPart, 'type' | 'id'>[]
}

export function answerPeriod(
  { first, last, words }: DaySpan & { readonly words?: string },
  search: ToolResultMessage | undefined,
  sentences: Sentences,
): Step {
  if (!search) {
    const dates =
      first === last ? `on:${formatDay(first)}` : `after:${formatDay(first - 1)} before:${formatDay(last + 1)}`
    // The words for a day find the nearest day with notes too.
    const query = `${words ?? dates} source:notes`
    return { calls: [{ name: 'memory_search', arguments: { query, maxResults: maxEntries } }] }
  }
  const recall = search.details?.kind === 'recall' ? search.details.recall : undefined
  const entries = entriesOf(recall?.results ?? [])
  const span = [...new Set([first, last])].map(formatDay).join(' – ')
  if (entries.length === 0) return { text: sentences.nothingIn(span) }
  const nearest = recall?.conditions?.find((condition) => condition.nearest !== undefined)?.nearest
  const lines = entries.flatMap(({ path, startLine, date, text }, index) => {
    const isNewDay = first !== last && nearest === undefined && date !== entries[index - 1]?.date
    const day = parseDay(date ?? '')
    // A note of another day may name this one: its time is that of the other day.
    const shown = nearest === undefined && (day < first || day > last) ? text.replace(/^\d{1,2}:\d{2} /, '') : text
    return [...(isNewDay ? [`${index === 0 ? '' : '\n'}**${date}**\n`] : []), `- ${shown} [${path}:${startLine}]`]
  })
  const more = (recall?.candidates ?? 0) - (recall?.results.length ?? 0)
  const title = nearest === undefined ? sentences.periodHas(span) : sentences.nearest(span, nearest)
  return { text: [title, '', ...lines, ...(more > 0 ? ['', sentences.more(more)] : [])].join('\n') }
}

/** Returns the results in the order of the notes, each with the time of its heading. */
function entriesOf(results: RecordedSearch['results']) {
  // The app's own properties are no notes.
  const notes = results.filter(({ snippet }) => !/^(?:imported|visibility):/.test(snippet))
  const entries = notes.map((result) => {
    const titles = result.heading.split(' › ')
    // The summary of a chat shows only its topic, because the log already has its notes.
    if (/\/\d{4}-\d{2}-\d{2}-[^/]+\.md$/.test(result.path)) return { ...result, startLine: 1, text: titles[0] ?? '' }
    const time = /^\d{1,2}:\d{2}\b/.exec(titles.at(-1) ?? '')?.[0]
    const text = clip(result.snippet.replace(/\s+/g, ' ').trim())
    return { ...result, text: time === undefined ? text : `${time} ${text}` }
  })
  const keyOf = ({ date = '', path, startLine }: (typeof entries)[number]) =>
    `${date} ${path} ${String(startLine).padStart(9, '0')}`
  const byPlace = new Map(entries.map((entry) => [keyOf(entry), entry]))
  return [...byPlace].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry)
}

export function answerQuestion(
  question: string,
  search: ToolResultMessage | undefined,
  sentences: Sentences,
  today: string,
): Step {
  const query = question.slice(0, maxQuery).toWellFormed()
  if (!search) return { calls: [{ name: 'memory_search', arguments: { query } }] }
  const recall = search.details?.kind === 'recall' ? search.details.recall : undefined
  // Notes of the nearest day do not answer a question.
  const isOther = recall?.conditions?.some(({ nearest }) => nearest !== undefined)
  const quotes = recall && !isOther ? quotesOf(recall, today) : []
  if (quotes.length === 0)
    return { text: sentences.nothingFound(clip(question.replace(/\s+/g, ' ').trim(), maxQuestionEcho)) }
  const introduction = quotes.every(({ isFromChat }) => isFromChat) ? sentences.foundInChats : sentences.found
  const blocks = quotes.flatMap(({ path, line, text, olderDate }) => [
    ...(olderDate === undefined ? [] : [sentences.older(olderDate)]),
    `> ${clip(text)}\n\n[${path}:${line}]`,
  ])
  return { text: [introduction, ...blocks, sentences.noModel].join('\n\n') }
}
