import { parseJson } from '#shared/util/json.ts'
import { maxQuery } from '#shared/util/limits.ts'
import { messageText, type Message, type ToolCallPart, type ToolResultMessage } from '#shared/chat/messages.ts'
import type { Intent } from './intent.ts'
import { bestLines, clip, countShared, nearLines, withoutListMarker, type Passage, type QuotedLine } from './quote.ts'
import type { Sentences } from './sentences.ts'

const maxReadsPerStep = 3
const maxReads = 9
const maxQuotes = 3
/** Threshold of the second search, if the first one found nothing above the configured threshold. */
const lowMinScore = 0.12
const maxLogs = 40
const maxEntries = 60
/** Maximum characters of a question that the answer repeats. */
const maxQuestionEcho = 60

/** A text ends the turn; tool calls request results for the next step. */
export interface Step {
  readonly text?: string
  readonly calls?: readonly Omit<ToolCallPart, 'type' | 'id'>[]
}

export interface ToolResult {
  readonly result: ToolResultMessage
  readonly arguments: Readonly<Record<string, unknown>>
}

export function toolResultsIn(messages: readonly Message[]): ToolResult[] {
  const calls = messages
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .filter((part) => part.type === 'toolCall')
  return messages
    .filter((message) => message.role === 'toolResult')
    .map((result) => ({ result, arguments: calls.find(({ id }) => id === result.toolCallId)?.arguments ?? {} }))
}

function resultsOf(tool: string, results: readonly ToolResult[]): ToolResult[] {
  return results.filter(({ result }) => result.toolName === tool)
}

export function answerPeriod(
  { first, last }: Extract<Intent, { kind: 'period' }>,
  results: readonly ToolResult[],
  sentences: Sentences,
  todaysLog: string,
): Step {
  const span = first === last ? first : `${first} – ${last}`
  const lists = resultsOf('list', results).map(({ result }) => messageText(result))
  const from = /\[.*from=(\d+)\]$/.exec(lists.at(-1) ?? '')?.[1]
  if (lists.length === 0 || from !== undefined) {
    const path = /^(?:.+\/)?memory(?=\/)/.exec(todaysLog)?.[0] ?? 'memory'
    return { calls: [{ name: 'list', arguments: from === undefined ? { path } : { path, from: Number(from) } }] }
  }
  const logs = lists
    .flatMap((list) => [...list.matchAll(/^(.+\/\d{4}-\d{2}-\d{2}(?:-[^/]+)?\.md) \(\d+ bytes\)$/gm)])
    .map(([, path = '']) => path)
    .filter((path) => first <= dateOf(path) && dateOf(path) <= last)
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

/** Returns the lines of a log with the time of their heading; a heading counts as a line if no text follows it. */
function entriesOf({ path, lines }: Passage): QuotedLine[] {
  // A saved conversation shows only its topic, because the log already has its notes.
  const topic = /^# (.+)$/.exec(lines[0] ?? '')?.[1]
  if (!/\/[\d-]{10}\.md$/.test(path) && topic !== undefined) return [{ path, line: 1, text: topic }]
  let time = ''
  return lines.flatMap((raw, index) => {
    const [heading, clock = '', title = ''] = /^##+\s+(\d{1,2}:\d{2}\b)?[\s–—-]*(.*)$/.exec(raw) ?? []
    if (heading !== undefined) time = clock && `${clock} `
    const next = lines.slice(index + 1).find((line) => line.trim() !== '') ?? '#'
    const text = heading === undefined ? withoutListMarker(raw) : next.startsWith('#') ? title : ''
    return text === '' || /^#\s/.test(text) ? [] : [{ path, line: index + 1, text: clip(`${time}${text}`) }]
  })
}

export function answerQuestion(
  question: string,
  results: readonly ToolResult[],
  sentences: Sentences,
  today: string,
): Step {
  const query = question.slice(0, maxQuery).toWellFormed()
  const searches = resultsOf('memory_search', results)
  const search = searches.at(-1)
  if (!search) return { calls: [{ name: 'memory_search', arguments: { query } }] }
  const passages = resultsOf('memory_get', results).map(passageOf)
  const matches = searches.flatMap(matchesOf)
  const lines = bestLines(query, passages, maxQuotes, today, matches)
  const isSecondSearch = searches.length > 1
  if (lines.length > 0) {
    const isClosest = isSecondSearch || !lines.some(({ text }) => countShared(query, text) > 0)
    return { text: formatQuotes(lines, sentences, isClosest) }
  }
  const unread = hitsOf(search).filter(
    ({ path, startLine }) => !passages.some((passage) => passage.path === path && passage.from === startLine),
  )
  // Notes are more reliable than conversations.
  const notes = unread.filter(({ path }) => !isTranscript(path))
  const toRead = notes.length > 0 ? notes : unread
  if (toRead.length > 0 && passages.length < maxReads) {
    return {
      calls: toRead.slice(0, maxReadsPerStep).map(({ path, startLine, endLine }) => ({
        name: 'memory_get',
        arguments: { path, from: startLine, lines: endLine - startLine + 1 },
      })),
    }
  }
  const closest = nearLines(passages, maxQuotes, today, matches)
  if (closest.length > 0) return { text: formatQuotes(closest, sentences, true) }
  if (!isSecondSearch)
    return { calls: [{ name: 'memory_search', arguments: { query, minScore: lowMinScore, maxResults: 2 } }] }
  return { text: sentences.nothingFound(clip(question.replace(/\s+/g, ' ').trim(), maxQuestionEcho)) }
}

function formatQuotes(quotes: readonly QuotedLine[], sentences: Sentences, isClosest: boolean): string {
  const blocks = quotes.map(({ path, line, text }) => `> ${clip(text)}\n\n[${path}:${line}]`)
  let introduction = isClosest ? sentences.foundClosest : sentences.found
  if (quotes.every(({ path }) => isTranscript(path))) introduction = sentences.foundInChats
  return [introduction, ...blocks, sentences.noModel].join('\n\n')
}

/** Returns the day of a log, `YYYY-MM-DD`; empty for files without a date. */
function dateOf(path: string): string {
  return /(?:^|\/)memory\/(\d{4}-\d{2}-\d{2})/.exec(path)?.[1] ?? ''
}

function isTranscript(path: string): boolean {
  return path.startsWith('sessions/')
}

function hitsOf({ result: { details } }: ToolResult) {
  return details?.kind === 'recall' ? details.recall.results : []
}

function matchesOf(search: ToolResult) {
  return hitsOf(search).flatMap(({ path, found, vectorScore, textScore }, index) => {
    // Similarity is reliable for the first result only.
    const isSemantic = index === 0 && vectorScore !== null && vectorScore > (textScore ?? 0)
    return found ? [{ path, ...found, similarity: isSemantic ? vectorScore : 0 }] : []
  })
}

/** Returns the lines of a `memory_get` result, even if its JSON was cut off. */
function passageOf({ result, arguments: { path, from } }: ToolResult): Passage {
  const escaped = /"text":"((?:[^"\\\n]|\\[^u\n]|\\u[0-9a-f]{4})*)/i.exec(messageText(result))?.[1]
  const text = parseJson(`"${escaped ?? ''}"`)
  return { path: String(path), from: typeof from === 'number' ? from : 1, lines: String(text ?? '').split('\n') }
}
