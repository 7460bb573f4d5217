import { cutAtWord, logEntry } from '#shared/markdown/log-entry.ts'
import {
  calendarOf,
  datedNote,
  findDates,
  fold,
  formatDay,
  isMarkedOld,
  parseDay,
  spanOf,
  type DaySpan,
} from '#search/text'
import { estimateTokens } from '#shared/util/tokens.ts'
import { systemClock, type Clock } from '#platform'
import { messageText, type Message, type ToolResultMessage, type ToolCallPart } from '#shared/chat/messages.ts'
import type { Locale, RecordedSearch } from '#shared/contract/index.ts'
import { hostTexts } from '#shared/i18n/host-texts.ts'
import { fillText } from '#shared/util/fill-text.ts'
import { withHeading } from '#shared/util/format-result.ts'
import { maxQuery } from '#shared/util/limits.ts'
import { withoutPrivateMarks } from '#shared/markdown/visibility.ts'
import { modelLimits } from '../catalog/catalog.ts'
import { AnswerDraft, type ChatModel, type ModelEvent, type ModelRequest, type Purpose } from '../model.ts'
import { correctionIn, parseIntent, requestedNote, type Intent } from './intent.ts'
import { extractSummary, plainText, statedIn, userTextOf } from './distill-notes.ts'
import { replyLanguage, type Sentences, isDisclaimer } from './sentences.ts'

/** @param language of the answers if none is detected in the chat */
export function createOfflineModel(
  limits = modelLimits('offline'),
  now = systemClock,
  language: () => Locale = () => 'en',
): ChatModel {
  return {
    id: 'offline',
    provider: 'offline',
    model: 'offline',
    ...limits,
    isLocal: true,
    stream: (request, signal) => stream(request, signal, now, language()),
  }
}

type ChatPurpose = Extract<Purpose, { kind: 'chat' }>

async function* stream(
  request: ModelRequest,
  signal: AbortSignal,
  now: Clock,
  fallback: Locale,
): AsyncGenerator<ModelEvent> {
  const { text = '', keep, calls = [] } = nextStep(request, fallback)
  const draft = new AnswerDraft({ provider: 'offline', model: 'offline' }, now)
  for (const piece of text.match(/[\s\S]{1,24}/gu) ?? []) {
    signal.throwIfAborted()
    draft.addText(piece)
    yield { type: 'text', delta: piece }
    // Yields to the event loop, so that the user can stop the answer.
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const [index, call] of calls.entries())
    draft.content.push({ type: 'toolCall', id: `offline_${request.messages.length}_${index}`, ...call })
  const { system, messages, tools } = request
  const input = estimateTokens([...system, JSON.stringify(tools), ...messages.map(messageText)].join('\n'))
  const output = estimateTokens(JSON.stringify(draft.content))
  const usage = { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output }
  const message = draft.finish(calls.length > 0 ? 'toolUse' : 'stop', usage)
  yield { type: 'done', message: keep === undefined ? message : { ...message, keep } }
}

function nextStep({ purpose, messages }: ModelRequest, fallback: Locale): Step {
  switch (purpose.kind) {
    case 'summary':
      return { text: extractSummary(purpose) }
    case 'flush':
      // The app writes a note as soon as the user asks for it, and makes no other notes.
      return { text: 'NO_REPLY' }
    default:
      return {}
    case 'chat': {
      // A summary of the current turn is not the user's text.
      const requested = purpose.turn ?? (purpose.continuesAnswer ? messages.slice(0, -1) : messages)
      // Repeats an interrupted answer as a whole.
      const conversation = requested.slice(0, requested.findLastIndex(({ role }) => role !== 'assistant') + 1)
      const step = answer(conversation, purpose, fallback)
      if (!step.calls || purpose.isWithoutMemory !== true) return step
      return { text: sentencesFor(conversation, fallback).withoutMemory }
    }
  }
}

function answer(messages: readonly Message[], purpose: ChatPurpose, fallback: Locale): Step {
  const isAnswer = (message: Message) =>
    message.role === 'assistant' && !message.content.some(({ type }) => type === 'toolCall')
  const turn = messages.slice(messages.findLastIndex(isAnswer) + 1)
  const asked = turn.filter(({ role }) => role === 'user')
  // The app wrote messages without a time, such as the summary of earlier ones.
  const own = asked.filter((message) => userTextOf(message))
  const questions = (own.length > 0 ? own : asked).map(plainText)
  const results = turn.filter((message) => message.role === 'toolResult')
  const failedResult = results.find(({ isError }) => isError)
  if (failedResult) {
    const reason = messageText(failedResult).replace(/^[a-z]+(?:_[a-z]+)+: /, '')
    return { text: fillText(sentencesFor(messages, fallback).toolFailed, { reason }) }
  }
  const writes = noteWriteCalls(turn, purpose)
  if (writes.length > 0) return { calls: writes }
  // Results arrive in the order of the calls.
  const searches = results.filter(({ toolName }) => toolName === 'memory_search')
  const texts = new Set<string>()
  const kept: string[] = []
  for (const question of questions) {
    const sentences = sentencesFor(messages, fallback, question)
    let step = reply(question, undefined, purpose, sentences)
    if (step.calls) step = reply(question, searches.shift(), purpose, sentences)
    if (step.calls) return step
    texts.add(step.text ?? '')
    if (step.keep !== undefined) kept.push(step.keep)
  }
  return { text: [...texts].join('\n\n'), ...(kept.length > 0 ? { keep: kept.join('\n') } : {}) }
}

const thanks =
  /^(?:(?:great|ok|okay|cool|perfect|好的?|太好了|非常|多|感)[\s,.!，。！]*)*(?:thank|thx\b|cheers\b|[谢謝])/i

/** @param search result of the search that an earlier step called for */
function reply(
  question: string,
  search: ToolResultMessage | undefined,
  purpose: ChatPurpose,
  sentences: Sentences,
): Step {
  const intent = parseIntent(question, purpose.today)
  switch (intent.kind) {
    case 'remember':
      if (intent.text === '') return { text: sentences.help }
      if (!intent.isReminder) return { text: fillText(sentences.remembered, { path: purpose.todaysLog }) }
      return {
        text: fillText(sentences.reminder, { path: purpose.todaysLog, note: requestedNote(intent, purpose.today) }),
      }
    case 'period':
      return answerPeriod(intent, search, sentences, purpose.today)
    case 'question':
      return answerQuestion(question, search, sentences, purpose.today)
    case 'keywords': {
      const step = answerQuestion(question, search, sentences, purpose.today)
      const isKnown = (figure: string) => step.text?.match(/^> .*/gm)?.join('\n').includes(figure) === true
      // "Deposit 900" is a note, unless the memory has it.
      const isNew = !step.calls && question.match(/\d[\d.,:/-]*/g)?.every(isKnown) === false
      return isNew ? { ...step, keep: datedNote(question, purpose.today) } : step
    }
    case 'change':
      return answerQuestion(question, search, { ...sentences, found: sentences.unchanged }, purpose.today)
    case 'statement': {
      if (purpose.isWithoutMemory === true) return { text: sentences.withoutMemory }
      const stated = statedIn(question)
      if (stated === '') return { text: sentences.help }
      const [corrected, found] = [correctionIn(question), sentences.corrected]
      const answers = { ...sentences, found, foundInChats: found, nothingFound: sentences.statement }
      const step =
        corrected === undefined
          ? { text: sentences.statement }
          : answerQuestion(corrected, search, answers, purpose.today)
      return step.calls ? step : { ...step, keep: datedNote(stated, purpose.today) }
    }
    default:
      return { text: thanks.test(question) ? sentences.thanks : sentences[intent.kind] }
  }
}

function sentencesFor(messages: readonly Message[], fallback: Locale, question = ''): Sentences {
  const earlier = messages.flatMap((message) => userTextOf(message)?.text ?? []).reverse()
  return hostTexts[replyLanguage([question, ...earlier], fallback)].offline
}

function notesWrittenBy(message: Message): string[] {
  if (message.role !== 'assistant') return []
  const calls = message.content.filter((part) => part.type === 'toolCall').filter(({ name }) => name === 'write')
  return calls.map((call) => String(call.arguments['content']))
}

/** Returns write calls for the notes that the user asks for in this turn and that are not written yet. */
function noteWriteCalls(turn: readonly Message[], { today, time, todaysLog }: ChatPurpose): NonNullable<Step['calls']> {
  const withoutTime = (entry: string) => entry.replace(/\d\d:\d\d/, '')
  const saved = new Set(turn.flatMap(notesWrittenBy).map(withoutTime))
  return turn.flatMap((message) => {
    if (message.role !== 'user') return []
    const intent = parseIntent(plainText(message), today)
    if (intent.kind !== 'remember' || intent.text === '') return []
    const content = `${logEntry(requestedNote(intent, today), userTextOf(message)?.time ?? time)}\n`
    if (saved.has(withoutTime(content))) return []
    return [{ name: 'write', arguments: { path: todaysLog, content, append: true } }]
  })
}

const maxEntries = 50
const maxQuestionEcho = 60

/** A text ends the turn; tool calls request results for the next step. */
interface Step {
  readonly text?: string
  /** A statement of the user that can be saved as a note. */
  readonly keep?: string
  readonly calls?: readonly Omit<ToolCallPart, 'type' | 'id'>[]
}

function answerPeriod(
  { first, last, words, other, isPlan }: Extract<Intent, { kind: 'period' }>,
  search: ToolResultMessage | undefined,
  sentences: Sentences,
  today: string,
): Step {
  const span =
    first === last ? formatDay(first) : fillText(sentences.span, { first: formatDay(first), last: formatDay(last) })
  if (!search) {
    const query = `${words ?? [...new Set([first, last])].map(formatDay).join(' – ')} source:notes`
    return { calls: [{ name: 'memory_search', arguments: { query, maxResults: maxEntries } }] }
  }
  const recall = search.details?.kind === 'recall' ? search.details.recall : undefined
  const nearest = recall?.conditions?.find((condition) => condition.nearest !== undefined)?.nearest
  const entries = entriesOf(recall?.results ?? [], { first, last }, isPlan ? parseDay(today) : undefined)
  const otherDay = other === undefined ? [] : ['', fillText(sentences.otherDay, { day: formatDay(other) })]
  if (entries.length === 0 || (nearest !== undefined && (first < last || isPlan || first > parseDay(today))))
    return { text: [fillText(sentences.nothingIn, { span }), ...otherDay].join('\n') }
  const lines = entries.flatMap(({ path, startLine, day, text }, index) => {
    const isNewDay = first !== last && day !== entries[index - 1]?.day
    return [...(isNewDay ? [`${index === 0 ? '' : '\n'}**${day}**\n`] : []), `- ${text} [${path}:${startLine}]`]
  })
  const more = (recall?.candidates ?? 0) - (recall?.results.length ?? 0)
  const title = fillText(nearest === undefined ? sentences.periodHas : sentences.nearest, { span, day: nearest })
  return {
    text: [title, '', ...lines, ...(more > 0 ? ['', fillText(sentences.more, { count: more })] : []), ...otherDay].join(
      '\n',
    ),
  }
}

const summaryPath = /\/\d{4}-\d{2}-\d{2}-[^/]+\.md$/

/**
 * Returns the results by the day of the span that they are about, in the order of the notes, each with its time.
 * @param plannedFrom today, to leave out notes of the days until today; undefined if the question is not about plans
 */
function entriesOf(results: RecordedSearch['results'], { first, last }: DaySpan, plannedFrom?: number) {
  // The app's own properties are no notes.
  const notes = results.filter(({ snippet }) => !/^(?:imported|visibility):/.test(snippet))
  const entries = notes.flatMap((result) => {
    const titles = result.heading.split(' › ')
    // The summary of a chat shows only its topic, because the log already has its notes.
    const isSummary = summaryPath.test(result.path)
    const startLine = isSummary ? 1 : result.startLine
    const line = cutAtWord(result.snippet.replace(/\s+/g, ' ').trim(), maxQuote)
    const isIn = (at: number | undefined) => at !== undefined && first <= at && at <= last
    const ownDay = parseDay(result.date ?? '')
    const dates = findDates(fold(line)).flatMap(({ year, month, day }) =>
      [first, last].map((at) => spanOf(year ?? calendarOf(at).year, month, day)?.first),
    )
    const planned = dates.find((at) => isIn(at) && at !== ownDay)
    const named = isIn(ownDay) && plannedFrom === undefined ? undefined : planned
    const isPast = plannedFrom !== undefined && first < last && named === undefined && ownDay <= plannedFrom
    if (isPast) return []
    // A note of another day has the time of that day.
    const time = named === undefined ? (/^\d{1,2}:\d{2}\b/.exec(titles.at(-1) ?? '')?.[0] ?? '') : ''
    const shown = named === undefined ? line : line.replace(/^\d{1,2}:\d{2} /, '')
    const text = isSummary ? (titles[0] ?? '') : `${time} ${shown}`.trim()
    const day = named === undefined ? result.date : formatDay(named)
    return { ...result, day, startLine, text, key: `${day} ${result.path} ${String(startLine).padStart(9, '0')}` }
  })
  const byPlace = new Map(entries.map((entry) => [entry.key, entry]))
  return [...byPlace.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
}

function answerQuestion(
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
  const absent = recall?.absent ?? []
  const [first] = quotes
  if (!first) {
    const words = absent.join(sentences.between)
    const lacking = words === '' ? [] : [fillText(sentences.absent, { words })]
    const echo = cutAtWord(question.replace(/\s+/g, ' ').trim(), maxQuestionEcho)
    const nothing = fillText(sentences.nothingFound, { query: echo })
    return { text: [...lacking, nothing].join('\n\n') }
  }
  const isFromChats = quotes.every(({ isFromChat }) => isFromChat)
  const found = isFromChats ? sentences.foundInChats : sentences.found
  const lacking = first.missing.filter((word) => absent.includes(word))
  const introduction =
    first.missing.length === 0
      ? found
      : lacking.length > 0
        ? fillText(sentences.absentNearest, { words: lacking.join(sentences.between) })
        : fillText(sentences.nearestLacks, { words: first.missing[0] })
  const blocks = quotes.flatMap(({ path, line, text, age, date }) => [
    ...(age === undefined ? [] : [fillText(sentences[date === '' ? age : (`${age}From` as const)], { date })]),
    `> ${text.includes('\n') ? text : cutAtWord(text, maxQuote)}\n\n[${path}:${line}]`,
  ])
  return { text: [introduction, ...blocks, sentences.noModel].join('\n\n') }
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

/**
 * Returns the results to quote, best first. Quotes chats only if no note was found, and a result that lacks a decisive
 * word of the question only if no other was found.
 * @param today `YYYY-MM-DD`
 * @returns `missing`: the words that the quote lacks; `age`: how the quote relates to another one on the subject; `date`:
 * empty if unknown
 */
export function quotesOf(
  { results, minScore, weights }: Pick<RecordedSearch, 'results' | 'minScore' | 'weights'>,
  today: string,
) {
  const likely = results.filter(({ score }) => score >= (weights ? 1 : thresholdFactor) * minScore)
  const quotable = likely.flatMap((result) => {
    const isFromChat = result.source === 'sessions'
    const line = quotableText(result.snippet, isFromChat, today)
    // The summary of a chat has what the user said, also what he did not keep.
    const isSaid = isFromChat || (summaryPath.test(result.path) && result.snippet.search(chatLink) >= 0)
    return line === '' ? [] : [{ ...result, text: withHeading(line, result.heading), isFromChat, isSaid }]
  })
  const notes = quotable.filter(({ isFromChat }) => !isFromChat)
  const found = notes.length > 0 ? notes : quotable
  const complete = found.filter(({ missing = [] }) => missing.length === 0)
  const [first, ...others] = complete.length > 0 ? complete : found.slice(0, 1)
  if (!first) return []
  const placeOf = ({ path, startLine }: (typeof results)[number]) => `${path}:${startLine}`
  const isPartner = (other: typeof first) => first.newer?.at === placeOf(other) || other.newer?.at === placeOf(first)
  const partner = first.missing === undefined ? found.find(isPartner) : undefined
  const section = first.isOfSection ? found.filter(({ isOfSection }) => isOfSection) : []
  if (section.length > 1) return [sectionQuote(first, section)]
  const further = others.filter((other) => other !== partner && other.score >= first.score * minShare)
  const quotes = [first, ...(partner ? [partner] : []), ...further].slice(0, maxQuotes)
  return quotes.map((quote, index) => {
    const { path, startLine, text, isSaid, date = '', superseded, missing = [] } = quote
    const isOld = superseded !== undefined || isMarkedOld(text)
    const pairAge = index > 1 || !partner ? undefined : ageOf(quote, index === 0 ? partner : first, index === 0)
    const age = isOld ? 'older' : (pairAge ?? (quotes.length > 1 && date !== '' ? 'noted' : undefined))
    return { path, line: startLine, text, isFromChat: isSaid, missing, date, age } as const
  })
}

type Quotable = RecordedSearch['results'][number] & { readonly isSaid: boolean }

/** Joins the lines of a section below its title and the titles in it. */
function sectionQuote({ path, startLine, heading, date = '', isSaid }: Quotable, lines: readonly Quotable[]) {
  const titles = heading.split(' › ')
  const isShared = (title: string, at: number) => lines.every((line) => line.heading.split(' › ')[at] === title)
  const depth = titles.findIndex((title, at) => !isShared(title, at))
  const sharedTitles = depth < 0 ? titles : titles.slice(0, depth)
  const byTitle = Map.groupBy(lines, (line) => line.heading.split(' › ').slice(sharedTitles.length).join(' › '))
  const parts = [...byTitle].flatMap(([title, items]) => [
    ...(title === '' ? [] : [`**${title}**`, '']),
    ...items.map(({ snippet }) => `- ${cutAtWord(withoutPrivateMarks(snippet).trim(), maxQuote)}`),
    '',
  ])
  const text = [`**${sharedTitles.at(-1)}**`, '', ...parts.slice(0, -1)].join('\n> ')
  return { path, line: startLine, text, isFromChat: isSaid, missing: [], date, age: undefined } as const
}

/** Returns how a quote relates to the other one on its subject. A line that surely is the newer one, or is first, is newer. */
function ageOf(quote: Quotable, other: Quotable, isFirst: boolean) {
  if (other.newer?.at === `${quote.path}:${quote.startLine}`) return isFirst || other.newer.isSure ? 'newer' : 'noted'
  return quote.newer?.isSure === true ? 'older' : 'noted'
}

/** The form is `User:` in transcripts and `**User:**` in imported chats. */
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
