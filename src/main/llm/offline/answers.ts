import { isRecord, parseJson } from '#shared/util/json.ts'
import { maxQuery } from '#shared/util/limits.ts'
import { messageText, type Message, type ToolCallPart, type ToolResultMessage } from '#shared/chat/messages.ts'
import type { Intention } from './intent.ts'
import {
  bestLines,
  clipped,
  namesTime,
  nearLines,
  sharesWord,
  withoutMarker,
  type FoundLines,
  type Passage,
  type QuotedLine,
} from './quote.ts'
import type { Sentences } from './sentences.ts'

/** Search results that it reads before it quotes. */
const maxRead = 3
const maxQuoted = 3
/** When nothing is above the configured threshold, what comes closest is worth showing, and called that. */
const closestMinScore = 0.12
/** Logs of a time that are read; the latest ones. */
const maxLogs = 40
const maxEntries = 60
/** Characters of one entry that are shown. */
const maxEntry = 200
/** Characters of a question that are said back. */
const maxEchoed = 60

/** What the model says next, or the tools that it wants to see something by. */
export interface Step {
  readonly text?: string
  readonly calls?: readonly Omit<ToolCallPart, 'type' | 'id'>[]
}

/** What a tool gave, with what it was asked. */
export interface Result {
  readonly result: ToolResultMessage
  readonly asked: Readonly<Record<string, unknown>>
}

export function resultsIn(messages: readonly Message[]): Result[] {
  const calls = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? message.content.flatMap((part) => (part.type === 'toolCall' ? [[part.id, part.arguments] as const] : []))
        : [],
    ),
  )
  return messages.flatMap((result) =>
    result.role === 'toolResult' ? [{ result, asked: calls.get(result.toolCallId) ?? {} }] : [],
  )
}

const resultsOf = (tool: string, results: readonly Result[]) => results.filter(({ result }) => result.toolName === tool)

/** What the logs of a time have. */
export function answerPeriod(
  { first, last }: Extract<Intention, { kind: 'period' }>,
  results: readonly Result[],
  sentences: Sentences,
  todaysLog: string,
): Step {
  const span = first === last ? first : `${first} – ${last}`
  const lists = resultsOf('list', results).map(({ result }) => messageText(result))
  const next = /\[.*from=(\d+)\]$/.exec(lists.at(-1) ?? '')?.[1]
  if (lists.length === 0 || next !== undefined) {
    const path = /^(?:.+\/)?memory(?=\/)/.exec(todaysLog)?.[0] ?? 'memory'
    return { calls: [{ name: 'list', arguments: next === undefined ? { path } : { path, from: Number(next) } }] }
  }
  const logs = lists
    .flatMap((list) => [...list.matchAll(/^(.+\/\d{4}-\d{2}-\d{2}(?:-[^/]+)?\.md) \(\d+ bytes\)$/gm)])
    .map(([, path = '']) => path)
    .filter((path) => first <= (dateOf(path) ?? '') && (dateOf(path) ?? '') <= last)
    .sort()
    .slice(-maxLogs)
  const reads = resultsOf('memory_get', results)
  if (logs.length > 0 && reads.length === 0)
    return { calls: logs.map((path) => ({ name: 'memory_get', arguments: { path } })) }
  const entries = reads.flatMap((read) => entriesOf(passageOf(read)))
  if (entries.length === 0) return { text: sentences.nothingIn(span) }
  const lines = entries.slice(0, maxEntries).flatMap(({ path, line, text }, index) => {
    const isNewDay = first !== last && dateOf(path) !== dateOf(entries[index - 1]?.path ?? '')
    return [...(isNewDay ? [`${index === 0 ? '' : '\n'}**${dateOf(path)}**\n`] : []), `- ${text} [${path}:${line}]`]
  })
  const more = entries.length > maxEntries ? ['', sentences.more(entries.length - maxEntries)] : []
  return { text: [sentences.periodHas(span), '', ...lines, ...more].join('\n') }
}

/** The entries of a log: each line of it, with the hour of its heading, which is left out where it only repeats the line. */
function entriesOf({ path, lines }: Passage): QuotedLine[] {
  // The end of a conversation is told by its name: what was noted from it stands in the log.
  const topic = /^# (.+)$/.exec(lines[0] ?? '')?.[1]
  if (!/\/[\d-]{10}\.md$/.test(path) && topic !== undefined) return [{ path, line: 1, text: topic }]
  const entries: QuotedLine[] = []
  let time = ''
  for (const [index, raw] of lines.entries()) {
    const text = withoutMarker(raw)
    const heading = /^#{2,6}\s+(?:(\d{1,2}:\d{2})(?:\s*[-–—]\s*|$))?(.*?)…?$/.exec(text)
    if (heading) {
      time = heading[1] === undefined ? '' : `${heading[1]} `
      const title = heading[2] ?? ''
      const next = lines.slice(index + 1).find((line) => line.trim() !== '') ?? '#'
      if (next.startsWith('#') || (!next.startsWith(title) && !/^[-*+] /.test(next)))
        entries.push({ path, line: index + 1, text: `${time}${title}` })
    } else if (text !== '' && !/^#\s/.test(text)) {
      entries.push({ path, line: index + 1, text: clipped(`${time}${text}`, maxEntry) })
    }
  }
  return entries
}

const asksWhen =
  /\bwhen\b|\bwhat (?:day|date|time)\b|什么时候|什麼時候|何时|何時|哪(?:一)?天|几号|幾號|几点|幾點|几月|幾月/i

/** Searches, reads what was found, and quotes the lines that fit; where nothing does, what comes closest. */
export function answerQuestion(
  question: string,
  results: readonly Result[],
  sentences: Sentences,
  today: string,
): Step {
  const query = question.slice(0, maxQuery).toWellFormed()
  const searches = resultsOf('memory_search', results)
  const search = searches.at(-1)
  if (!search) return { calls: [{ name: 'memory_search', arguments: { query } }] }
  const isClosest = searches.length > 1
  const passages = resultsOf('memory_get', results).map(passageOf)
  const places = searches.flatMap(foundIn)
  const lines = bestLines(query, passages, maxQuoted, today, places)
  const unread = hitsOf(search).filter(
    ({ path, startLine }) => !passages.some((one) => one.path === path && one.from === startLine),
  )
  // What was written down says more than what was said: conversations are read when nothing else speaks of it.
  const written = unread.filter(({ path }) => !isConversation(path))
  const next = written.length > 0 ? written : unread
  if (lines.length === 0 && next.length > 0 && passages.length < 3 * maxRead) {
    return {
      calls: next.slice(0, maxRead).map(({ path, startLine, endLine }) => ({
        name: 'memory_get',
        arguments: { path, from: startLine, lines: endLine - startLine + 1 },
      })),
    }
  }
  if (lines.length > 0) {
    const isNear = isClosest || !lines.some(({ text }) => sharesWord(query, text))
    return { text: quoted(lines, question, sentences, today, isNear) }
  }
  const near = nearLines(passages, maxQuoted, today, places)
  if (near.length > 0) return { text: quoted(near, question, sentences, today, true) }
  if (!isClosest)
    return { calls: [{ name: 'memory_search', arguments: { query, minScore: closestMinScore, maxResults: 2 } }] }
  return { text: sentences.nothingFound(clipped(question.replace(/\s+/g, ' ').trim(), maxEchoed)) }
}

function quoted(
  quotes: readonly QuotedLine[],
  question: string,
  sentences: Sentences,
  today: string,
  isClosest: boolean,
): string {
  const isWhen = asksWhen.test(question)
  const named = isWhen ? quotes.filter(({ text }) => namesTime(text, today)) : []
  const dates = isWhen ? [...new Set(quotes.flatMap(({ path }) => dateOf(path) ?? []))].sort() : []
  const blocks = [...named, ...quotes.filter((quote) => !named.includes(quote))].map(({ path, line, text }) => {
    const date = isWhen ? dateOf(path) : undefined
    return `> ${text}\n\n[${path}:${line}]${date === undefined ? '' : ` · ${sentences.notedOn(date)}`}`
  })
  let lead = sentences.found
  if (quotes.every(({ path }) => isConversation(path))) lead = sentences.saidEarlier
  else if (isClosest) lead = sentences.foundClosest
  else if (named.length > 0) lead = sentences.whenWritten
  else if (dates.length > 0) lead = sentences.whenNoted(dates.join(', '))
  return `${lead}\n\n${blocks.join('\n\n')}\n\n${sentences.noModel}`
}

function dateOf(path: string): string | undefined {
  return /(?:^|\/)memory\/(\d{4}-\d{2}-\d{2})/.exec(path)?.[1]
}

function isConversation(path: string): boolean {
  return path.startsWith('sessions/')
}

function hitsOf({ result: { details } }: Result) {
  return details?.kind === 'recall' ? details.recall.results : []
}

/** Where a search found what it did, the best result first; nothing of searches that did not say. */
function foundIn(search: Result): FoundLines[] {
  return hitsOf(search).flatMap(({ path, found, vectorScore, textScore }, index) => {
    // Meaning is vague about all but the best.
    const isMeant = index === 0 && vectorScore !== null && vectorScore > (textScore ?? 0)
    return found ? [{ path, ...found, meaning: isMeant ? vectorScore : 0 }] : []
  })
}

/** The lines that a `memory_get` returned; where the result was cut on its way, those up to the cut. */
function passageOf({ result, asked }: Result): Passage {
  const json = messageText(result)
  const escaped = /"text":"((?:[^"\\\n]|\\[^u\n]|\\u[0-9a-f]{4})*)/i.exec(json)?.[1]
  const whole = parseJson(json)
  const text = isRecord(whole) ? whole['text'] : parseJson(`"${escaped ?? ''}"`)
  const { path, from } = asked
  return { path: String(path), from: typeof from === 'number' ? from : 1, lines: String(text ?? '').split('\n') }
}
