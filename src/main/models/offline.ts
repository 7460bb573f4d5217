/**
 * The model that is always there (M40): no key, no network, no guessing. It understands a few intentions, drives the
 * same tools as any other model, and says only what it finds in memory, with its source.
 */
import { countCjk, estimateTokens } from '../../shared/tokens.ts'
import { systemClock, type Clock } from '../clock.ts'
import {
  messageText,
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type ToolResultMessage,
} from '../../shared/messages.ts'
import { modelLimits, type ModelLimits } from './catalog.ts'
import { AnswerDraft, type ChatModel, type ModelEvent, type ModelRequest } from './model.ts'
import { offlinePhrases, type OfflinePhrases } from './offline-phrases.ts'
import { understand, type Intention } from './offline-intent.ts'
import { extractSummary, extractTopic, notesOf } from './offline-keeping.ts'
import { bestLines } from './offline-quote.ts'
import type { Purpose } from './purpose.ts'

/** Results that it reads whole, to quote from. */
const maxRead = 3
const maxQuoted = 3
/** When nothing is above the configured threshold, what comes closest is worth showing, and called that. */
const closestMinScore = 0.12
/** Characters of one streamed piece. */
const pieceLength = 24

export function createOfflineModel(limits: ModelLimits = modelLimits('offline'), now: Clock = systemClock): ChatModel {
  return {
    id: 'offline',
    provider: 'offline',
    model: 'offline',
    ...limits,
    stream: (request, signal) => stream(request, signal, now),
  }
}

/** Messages carry the moment they were sent, in brackets, for models that should know it. */
const timestamp = /^\[\w{3} \d{4}-\d{2}-\d{2} (\d{2}:\d{2})\] /

type At = Extract<Purpose, { kind: 'chat' | 'flush' }>

interface Step {
  readonly text?: string
  readonly calls?: readonly Omit<ToolCallPart, 'type' | 'id'>[]
}

async function* stream(request: ModelRequest, signal: AbortSignal, now: Clock): AsyncGenerator<ModelEvent> {
  const { text = '', calls = [] } = nextStep(request)
  const draft = new AnswerDraft({ provider: 'offline', model: 'offline' }, now)
  for (const piece of piecesOf(text)) {
    signal.throwIfAborted()
    draft.addText(piece)
    yield { type: 'text', delta: piece }
    // Lets a stop in: without it the whole answer would be one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const [index, call] of calls.entries()) {
    draft.content.push({ type: 'toolCall', id: `offline_${request.messages.length}_${index}`, ...call })
  }
  yield { type: 'done', message: draft.finish(calls.length > 0 ? 'toolUse' : 'stop', usageOf(request, draft)) }
}

/** What to do next, by what the request is for. */
function nextStep({ purpose, messages }: ModelRequest): Step {
  switch (purpose.kind) {
    case 'summary':
      return { text: extractSummary(purpose) }
    case 'topic':
      return { text: extractTopic(purpose.said) }
    case 'title':
      // A conversation's first words are as good a title.
      return {}
    case 'flush':
      return keepNotes(messages, purpose)
    case 'chat':
      return converse(messages, purpose)
  }
}

/** The next step of an answer, from the conversation so far. */
function converse(messages: readonly Message[], at: At): Step {
  const asked = lastAsked(messages)
  const question = messageText(messages[asked] ?? { role: 'user', content: '', timestamp: 0 }).replace(timestamp, '')
  const phrases = offlinePhrases(question)
  const since = messages.slice(asked + 1)
  const results = since.filter((message) => message.role === 'toolResult')
  const intention = understand(question)
  const failed = results.find((result) => result.isError)
  if (failed) return { text: phrases.toolFailed(messageText(failed)) }
  const notes = unwrittenNotes(messages)
  if (notes.length > 0) return { calls: notes.map((note) => writeNote(note, at.todaysLog)) }
  const found = results.filter(({ toolName }) => toolName !== 'write')
  switch (intention.kind) {
    case 'remember':
      return { text: intention.text === '' ? phrases.nothingToRemember : phrases.remembered(at.todaysLog) }
    case 'day':
      return day(found, phrases, logOf(at, intention))
    case 'files':
      return files(found, phrases)
    case 'task':
      return { text: phrases.needsModel }
    case 'greeting':
      return { text: phrases.greeting }
    case 'help':
      return { text: phrases.help }
    case 'question':
      return answer(intention, since, found, phrases)
  }
}

function lastAsked(messages: readonly Message[]): number {
  return messages.findLastIndex((message) => message.role === 'user')
}

/** A flush: what the user stated goes to today's log. */
function keepNotes(messages: readonly Message[], { todaysLog }: At): Step {
  const asked = lastAsked(messages)
  const conversation = messages.slice(0, asked)
  const hasWritten = messages.slice(asked + 1).some(({ role }) => role === 'toolResult')
  const notes = hasWritten ? undefined : notesOf(conversation, (text) => text.replace(timestamp, ''))
  if (notes === undefined) return { text: 'NO_REPLY' }
  const last = conversation.findLast((message) => message.role === 'user')
  const time = timestamp.exec(last ? messageText(last) : '')?.[1] ?? '00:00'
  const content = `## ${time} - Kept from a conversation\n${notes}\n`
  return { calls: [{ name: 'write', arguments: { path: todaysLog, content, append: true } }] }
}

interface Note {
  readonly text: string
  /** `HH:MM`, when it was said. */
  readonly time: string
}

/** What was to be remembered since the last answer and is not written yet: several messages can come before one answer. */
function unwrittenNotes(messages: readonly Message[]): Note[] {
  const isAnswer = (message: Message) =>
    message.role === 'assistant' && !message.content.some(({ type }) => type === 'toolCall')
  const turn = messages.slice(messages.findLastIndex(isAnswer) + 1)
  const written = turn.flatMap((message) =>
    message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'toolCall' ? [part] : [])) : [],
  )
  const isWritten = ({ text }: Note) =>
    written.some(({ name, arguments: { content } }) => name === 'write' && String(content).endsWith(`\n${text}\n`))
  return turn.flatMap((message) => {
    if (message.role !== 'user') return []
    const sent = messageText(message)
    const intention = understand(sent.replace(timestamp, ''))
    if (intention.kind !== 'remember' || intention.text === '') return []
    const note = { text: intention.text, time: timestamp.exec(sent)?.[1] ?? '00:00' }
    return isWritten(note) ? [] : [note]
  })
}

function writeNote({ text, time }: Note, path: string): Omit<ToolCallPart, 'type' | 'id'> {
  const content = `## ${time} - ${titleOf(text)}\n${text}\n`
  return { name: 'write', arguments: { path, content, append: true } }
}

function day(results: readonly ToolResultMessage[], phrases: OfflinePhrases, path: string): Step {
  const [listed] = results
  if (!listed) return { calls: [{ name: 'list', arguments: { path: 'memory' } }] }
  const read = results.find((result) => result.toolName === 'memory_get')
  if (!read) {
    const exists = messageText(listed)
      .split('\n')
      .some((line) => line.startsWith(`${path} `))
    return exists ? { calls: [{ name: 'memory_get', arguments: { path } }] } : { text: phrases.nothingOn(path) }
  }
  const titles = textOf(read)
    .split('\n')
    .flatMap((line, index) => (line.startsWith('## ') ? [`- ${line.slice(3)} [${path}:${index + 1}]`] : []))
  return { text: titles.length > 0 ? `${phrases.dayHas(path)}\n\n${titles.join('\n')}` : phrases.nothingOn(path) }
}

function files(results: readonly ToolResultMessage[], phrases: OfflinePhrases): Step {
  const [listed] = results
  if (!listed) return { calls: [{ name: 'list', arguments: {} }] }
  const paths = messageText(listed)
    .split('\n')
    .flatMap((line) => /^(.+\.md) \(\d+ bytes\)$/.exec(line)?.[1] ?? [])
  return {
    text:
      paths.length > 0 ? `${phrases.filesAre}\n\n${paths.map((path) => `- [${path}]`).join('\n')}` : phrases.noFiles,
  }
}

function answer(
  { query, asks }: Extract<Intention, { kind: 'question' }>,
  since: readonly Message[],
  results: readonly ToolResultMessage[],
  phrases: OfflinePhrases,
): Step {
  const searches = results.filter((result) => result.toolName === 'memory_search')
  const search = searches.at(-1)
  if (!search) return { calls: [{ name: 'memory_search', arguments: { query } }] }
  const hits = withMemoryFirst(hitsOf(search))
  const isClosest = searches.length > 1
  if (hits.length === 0) {
    if (isClosest) return { text: phrases.nothingFound(query) }
    return { calls: [{ name: 'memory_search', arguments: { query, minScore: closestMinScore, maxResults: 2 } }] }
  }
  const reads = results.filter((result) => result.toolName === 'memory_get')
  if (reads.length === 0) {
    return {
      calls: hits.slice(0, maxRead).map(({ path, startLine, endLine }) => ({
        name: 'memory_get',
        arguments: { path, from: startLine, lines: endLine - startLine + 1 },
      })),
    }
  }
  const passages = reads.flatMap((read) => passageOf(read, since))
  const best = bestLines(query, passages, maxQuoted)
  const quotes = best.map(({ path, line, text }) => `> ${text}\n\n[${path}:${line}]`)
  const dates = [...new Set(best.flatMap(({ path }) => /\d{4}-\d{2}-\d{2}/.exec(path)?.[0] ?? []))].sort()
  const saysWhen = asks === 'when' && dates.length > 0
  const lead = isClosest ? phrases.foundClosest : saysWhen ? phrases.notedOn(dates.join(', ')) : phrases.found
  return { text: `${lead}\n\n${quotes.join('\n\n')}\n\n${phrases.noModel}` }
}

/** What was written down says more than what was said about it. */
function withMemoryFirst(hits: readonly Hit[]): readonly Hit[] {
  const written = hits.filter(({ source }) => source !== 'sessions')
  return written.length > 0 ? written : hits
}

interface Hit {
  readonly source: string
  readonly path: string
  readonly startLine: number
  readonly endLine: number
}

function hitsOf(search: ToolResultMessage): Hit[] {
  const parsed: unknown = JSON.parse(messageText(search))
  const results = typeof parsed === 'object' && parsed !== null && 'results' in parsed ? parsed.results : []
  return Array.isArray(results) ? results : []
}

function textOf(read: ToolResultMessage): string {
  const parsed: unknown = JSON.parse(messageText(read))
  return typeof parsed === 'object' && parsed !== null && 'text' in parsed && typeof parsed.text === 'string'
    ? parsed.text
    : ''
}

/** The lines that a `memory_get` returned, with the file and line that each came from. */
function passageOf(read: ToolResultMessage, since: readonly Message[]) {
  for (const message of since) {
    if (message.role !== 'assistant') continue
    const call = message.content.find((part) => part.type === 'toolCall' && part.id === read.toolCallId)
    if (call?.type !== 'toolCall') continue
    const { path, from } = call.arguments
    return [{ path: String(path), from: typeof from === 'number' ? from : 1, lines: textOf(read).split('\n') }]
  }
  return []
}

/** The log of the day that is asked for. */
function logOf({ today, todaysLog }: At, { daysBack, date }: Extract<Intention, { kind: 'day' }>): string {
  const at = new Date(`${today}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() - daysBack)
  return todaysLog.replace(today, date ?? at.toISOString().slice(0, 10))
}

function titleOf(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  const most = countCjk(line) > line.length / 2 ? 24 : 60
  const letters = [...line]
  return letters.length > most ? `${letters.slice(0, most).join('').trimEnd()}…` : line
}

function piecesOf(text: string): string[] {
  const pieces: string[] = []
  const letters = [...text]
  for (let from = 0; from < letters.length; from += pieceLength)
    pieces.push(letters.slice(from, from + pieceLength).join(''))
  return pieces
}

function usageOf({ system, messages, tools }: ModelRequest, draft: AnswerDraft): AssistantMessage['usage'] {
  const input =
    estimateTokens(system.join('\n')) +
    estimateTokens(JSON.stringify(tools)) +
    messages.reduce((sum, message) => sum + estimateTokens(messageText(message)), 0)
  const output = draft.content.reduce((sum, part) => sum + estimateTokens(JSON.stringify(part)), 0)
  return { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output }
}
