import { lineEntry } from '#shared/markdown/log-entry.ts'
import { parseJson } from '#shared/util/json.ts'
import { maxQuery } from '#shared/util/limits.ts'
import { messageText, type Message, type ToolCallPart, type ToolResultMessage } from '#shared/chat/messages.ts'
import type { Intent } from './intent.ts'
import { clip, quotesOf } from './quote.ts'
import type { Sentences } from './sentences.ts'

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
  const entries = reads.flatMap((read) => entriesOf(logOf(read)))
  if (entries.length === 0) return { text: sentences.nothingIn(span) }
  const lines = entries.slice(0, maxEntries).flatMap(({ path, line, text }, index) => {
    const isNewDay = first !== last && dateOf(path) !== dateOf(entries[index - 1]?.path ?? '')
    return [...(isNewDay ? [`${index === 0 ? '' : '\n'}**${dateOf(path)}**\n`] : []), `- ${text} [${path}:${line}]`]
  })
  const more = entries.length > maxEntries ? ['', sentences.more(entries.length - maxEntries)] : []
  return { text: [sentences.periodHas(span), '', ...lines, ...more].join('\n') }
}

interface Log {
  readonly path: string
  readonly lines: readonly string[]
}

/** Returns the lines of a log with the time of their heading; a heading counts as a line if no text follows it. */
function entriesOf({ path, lines }: Log) {
  // A saved conversation shows only its topic, because the log already has its notes.
  const topic = /^# (.+)$/.exec(lines[0] ?? '')?.[1]
  if (!/\/[\d-]{10}\.md$/.test(path) && topic !== undefined) return [{ path, line: 1, text: topic }]
  let time = ''
  return lines.flatMap((raw, index) => {
    const [heading, clock = '', title = ''] = /^##+\s+(\d{1,2}:\d{2}\b)?[\s–—-]*(.*)$/.exec(raw) ?? []
    if (heading !== undefined) time = clock && `${clock} `
    const next = lines.slice(index + 1).find((line) => line.trim() !== '') ?? '#'
    const item = lineEntry(raw)
    if (item) return [{ path, line: index + 1, text: clip(`${item.time} ${item.text}`) }]
    const text =
      heading === undefined ? raw.replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, '').trim() : next.startsWith('#') ? title : ''
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
  const [search] = resultsOf('memory_search', results)
  if (!search) return { calls: [{ name: 'memory_search', arguments: { query } }] }
  const { details } = search.result
  const quotes = details?.kind === 'recall' ? quotesOf(details.recall, today) : []
  if (quotes.length === 0)
    return { text: sentences.nothingFound(clip(question.replace(/\s+/g, ' ').trim(), maxQuestionEcho)) }
  const introduction = quotes.every(({ isFromChat }) => isFromChat) ? sentences.foundInChats : sentences.found
  const blocks = quotes.map(({ path, line, text }) => `> ${clip(text)}\n\n[${path}:${line}]`)
  return { text: [introduction, ...blocks, sentences.noModel].join('\n\n') }
}

/** Returns the day of a log, `YYYY-MM-DD`; empty for files without a date. */
function dateOf(path: string): string {
  return /(?:^|\/)memory\/(\d{4}-\d{2}-\d{2})/.exec(path)?.[1] ?? ''
}

/** Returns the lines of a log that `memory_get` read, even if the JSON was cut off. */
function logOf({ result, arguments: { path } }: ToolResult): Log {
  const escaped = /"text":"((?:[^"\\\n]|\\[^u\n]|\\u[0-9a-f]{4})*)/i.exec(messageText(result))?.[1]
  const text = parseJson(`"${escaped ?? ''}"`)
  return { path: String(path), lines: String(text ?? '').split('\n') }
}
