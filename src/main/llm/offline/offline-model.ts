/**
 * The model that is always there (M40): no key, no network, no guessing. It understands a few intentions, drives the
 * same tools as any other model, and says only what it finds in memory, with its source.
 */
import { logHeading } from '#shared/markdown/log-heading.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { systemClock, type Clock } from '#platform'
import { messageText, type AssistantMessage, type Message, type ToolCallPart } from '#shared/chat/messages.ts'
import { modelLimits, type ModelLimits } from '../catalog/catalog.ts'
import { AnswerDraft, type ChatModel, type ModelEvent, type ModelRequest } from '../model.ts'
import type { Purpose } from '../purpose.ts'
import { amend, answer, files, maxEchoed, period, resultsSince, type Result, type Step } from './offline-answers.ts'
import { understand } from './intent.ts'
import { extractSummary, extractTopic, heardIn, notesOf } from './distill-notes.ts'
import { replyLanguage, type Language } from './language.ts'
import { aboutMe, count, digest } from './memory-overview.ts'
import { clipped, type QuotedLine } from './quote.ts'
import { saidBy, textOf } from './strip-context.ts'
import { sentencesIn } from './sentences/all-sentences.ts'
import type { Sentences } from './sentences/sentences.ts'

/** Characters of one streamed piece. */
const pieceLength = 24

/** What it needs to know of the app that it is in. */
export interface OfflineOptions {
  readonly limits?: ModelLimits
  readonly now?: Clock
  /** Answers are in it where neither the message nor those before it tell a language. */
  readonly language?: () => Language
}

export function createOfflineModel({
  limits = modelLimits('offline'),
  now = systemClock,
  language = () => 'en',
}: OfflineOptions = {}): ChatModel {
  return {
    id: 'offline',
    provider: 'offline',
    model: 'offline',
    ...limits,
    isLocal: true,
    stream: (request, signal) => stream(request, signal, now, language()),
  }
}

type At = Extract<Purpose, { kind: 'chat' | 'flush' }>

async function* stream(
  request: ModelRequest,
  signal: AbortSignal,
  now: Clock,
  fallback: Language,
): AsyncGenerator<ModelEvent> {
  const { text = '', calls = [] } = nextStep(request, fallback)
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
function nextStep({ purpose, messages }: ModelRequest, fallback: Language): Step {
  switch (purpose.kind) {
    case 'summary':
      return { text: extractSummary(purpose, fallback) }
    case 'topic':
      return { text: extractTopic(purpose.said) }
    case 'upkeep':
    case 'title':
      // A conversation's first words are as good a title; what lines mean is not for it to judge.
      return {}
    case 'flush':
      return keepNotes(messages, purpose, fallback)
    case 'chat': {
      // What a summary says of the message that is being answered is not what the user said.
      const conversation = purpose.turn ?? (purpose.goesOn ? messages.slice(0, -1) : messages)
      const step = purpose.goesOn ? goOn(conversation, purpose, fallback) : converse(conversation, purpose, fallback)
      if (!step.calls || purpose.isWithoutMemory !== true) return step
      const last = conversation.findLast(({ role }) => role === 'user')
      return { text: sentencesIn(languageOf(conversation, last ? textOf(last) : '', fallback)).withoutMemory }
    }
  }
}

/** What an answer that broke off lacks; all of it again where it would now be another. */
function goOn(messages: readonly Message[], at: At, fallback: Language): Step {
  const broken = messages.findLastIndex(({ role }) => role !== 'assistant') + 1
  const said = messages.slice(broken).map(messageText).join('')
  const step = converse(messages.slice(0, broken), at, fallback)
  return step.text?.startsWith(said) ? { ...step, text: step.text.slice(said.length) } : step
}

/**
 * The next step of an answer, from the conversation so far. Several messages can wait for it: they are answered one after
 * the other, each with the tools that it asks for itself.
 */
function converse(messages: readonly Message[], at: At, fallback: Language): Step {
  const turn = messages.slice(messages.findLastIndex(isAnswer) + 1)
  const asked = turn.filter(({ role }) => role === 'user').map(textOf)
  const results = resultsSince(turn)
  const sentences = sentencesIn(languageOf(messages, asked.at(-1) ?? '', fallback))
  const failed = results.find(({ result }) => result.isError)
  if (failed) return { text: toldFailure(messageText(failed.result), sentences) }
  const notes = unwrittenNotes(turn, at)
  if (notes.length > 0) return { calls: notes.map((note) => writeNote(note, at.todaysLog)) }
  const found = results.filter(({ result }) => result.toolName !== 'write')
  const texts = new Set<string>()
  const last = lastNoted(messages)
  const earlier = messages.filter(({ role }) => role === 'user').map(textOf)
  for (const [index, question] of (asked.length > 0 ? asked : ['']).entries()) {
    const before = earlier.at(index - Math.max(1, asked.length) - 1)
    const words = sentencesIn(languageOf(messages, question, fallback))
    const own: Result[] = []
    let step = respond(question, before, own, at, words, last)
    // What it asked for before is there, in the order in which it was asked for.
    while (step.calls && found.length >= step.calls.length) {
      own.push(...found.splice(0, step.calls.length))
      step = respond(question, before, own, at, words, last)
    }
    if (step.calls) return step
    texts.add(step.text ?? '')
  }
  return { text: [...texts].filter(Boolean).join('\n\n') }
}

/** What a tool refused, without the code before its words, which is none for people. */
function toldFailure(said: string, { toolFailed, unwritable }: Sentences): string {
  const [, code, reason = said] = /^([a-z]+(?:_[a-z]+)+): ([\s\S]*)$/.exec(said) ?? []
  return code === 'text_unwritable' ? unwritable : toolFailed(reason)
}

function isAnswer(message: Message): boolean {
  return message.role === 'assistant' && !message.content.some(({ type }) => type === 'toolCall')
}

/** True for a message that was written down: what is in a file is not taken back by a word. */
function isNoted(said: string | undefined, { today }: At): boolean {
  return said !== undefined && understand(said, today).kind === 'remember'
}

/** What these messages noted last, and where it stands; where several do, the last is meant. */
function lastNoted(messages: readonly Message[]): QuotedLine | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== 'toolResult' || message.details?.kind !== 'change') continue
    const { path, startLine, added } = message.details.change
    const text = notedBy(messages, message.toolCallId)
    if (text !== undefined) return { path, line: startLine + added - text.split('\n').length, text: clipped(text) }
  }
  return undefined
}

/** The note of a call that wrote one; its first line is a heading. */
function notedBy(messages: readonly Message[], id: string): string | undefined {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((part) => part.type === 'toolCall') : [],
  )
  const content = calls.find((call) => call.id === id)?.arguments['content']
  return typeof content === 'string' ? content.trim().replace(/^#+ .*\n/, '') : undefined
}

/** An answer to a question, and beside it that nothing else of the message was noted. */
function withBeside(step: Step, beside: string | undefined, sentences: Sentences): Step {
  if (step.text === undefined || beside === undefined) return step
  return { text: `${step.text}\n\n${sentences.toldBeside(clipped(beside.replaceAll(/\s+/g, ' '), maxEchoed))}` }
}

/**
 * What there is to say to one message, or what has to be seen before.
 * @param before what the user said before it
 * @param found what its own calls gave
 * @param last what the conversation noted last
 */
function respond(
  question: string,
  before: string | undefined,
  found: readonly Result[],
  at: At,
  sentences: Sentences,
  last: QuotedLine | undefined,
): Step {
  const intention = understand(question, at.today)
  switch (intention.kind) {
    case 'remember':
      return { text: intention.text === '' ? sentences.nothingToRemember : sentences.remembered(at.todaysLog) }
    case 'period':
      return period(intention, found, sentences, at.todaysLog)
    case 'files':
      return files(found, sentences)
    case 'question':
      return withBeside(answer(intention.asked ?? question, found, sentences, at.today), intention.beside, sentences)
    case 'amend':
      if (intention.text === '' && !last && before !== undefined && !isNoted(before, at))
        return { text: sentences.notKept }
      return amend(intention.text, found, sentences, at, last)
    case 'notThis':
      return intention.isBefore && isNoted(before, at)
        ? amend('', found, sentences, at, last)
        : { text: sentences.notKept }
    case 'clock':
      return { text: sentences.clock(intention.day === at.today, intention.day, at.time) }
    case 'count':
      return count(found, sentences, at.today)
    case 'digest':
      return digest(found, sentences, at.today)
    case 'aboutMe':
      return aboutMe(found, sentences, at.today)
    default:
      return { text: sentences[saying[intention.kind]] }
  }
}

const saying = {
  task: 'needsModel',
  greeting: 'greeting',
  thanks: 'thanks',
  assent: 'assent',
  statement: 'heard',
  help: 'help',
} as const satisfies Record<string, keyof Sentences>

/** That of the question, or of what was said before it. */
function languageOf(messages: readonly Message[], question: string, fallback: Language): Language {
  const before = messages.flatMap((message) => saidBy(message)?.text ?? []).reverse()
  return replyLanguage([question, ...before], fallback)
}

/** A flush: what the user stated goes to today's log. The last message of a user asks for it. */
function keepNotes(messages: readonly Message[], at: At, fallback: Language): Step {
  const { today, time, todaysLog } = at
  const asked = messages.findLastIndex((message) => message.role === 'user')
  if (messages.slice(asked + 1).some(({ role }) => role === 'toolResult')) return { text: 'NO_REPLY' }
  const conversation = messages.slice(0, asked)
  // What was asked for last and is not answered yet is written by its own turn, which this flush makes room for.
  const isAwaited =
    conversation.at(-1)?.role === 'user' &&
    unwrittenNotes(conversation.slice(conversation.findLastIndex(isAnswer) + 1), at).length > 0
  const said = heardIn(isAwaited ? conversation.slice(0, -1) : conversation)
  const written = conversation.map((message) => `${writtenBy(message)}\n${writtenInRendered(message)}`).join('\n')
  const notes = notesOf(said, written, today)
  if (notes === undefined) return { text: 'NO_REPLY' }
  const { kept } = sentencesIn(replyLanguage(said.map(({ text }) => text).reverse(), fallback))
  const content = `## ${said.at(-1)?.time || time} - ${kept}\n${notes}\n`
  return { calls: [{ name: 'write', arguments: { path: todaysLog, content, append: true } }] }
}

/** What an answer had written to files. */
function writtenBy(message: Message): string {
  if (message.role !== 'assistant') return ''
  return message.content
    .flatMap((part) => (part.type === 'toolCall' && part.name === 'write' ? [String(part.arguments['content'])] : []))
    .join('\n')
}

/** The same in a conversation that was put into words, in which a call stands as it was made. */
function writtenInRendered({ role, content }: Message): string {
  if (role !== 'user' || typeof content !== 'string') return ''
  return [...content.matchAll(/^(?:Assistant: )?write (\{.*)$/gm)].map(([, call = '']) => call).join('\n')
}

interface Note {
  readonly text: string
  /** `HH:MM`, when it was said. */
  readonly time: string
}

/** What was to be remembered since the last answer and is not written yet: several messages can come before one answer. */
function unwrittenNotes(turn: readonly Message[], { today, time }: At): Note[] {
  const written = turn.map(writtenBy)
  return turn.flatMap((message) => {
    if (message.role !== 'user') return []
    const intention = understand(textOf(message), today)
    if (intention.kind !== 'remember' || intention.text === '') return []
    const note = { text: intention.text, time: saidBy(message)?.time ?? time }
    return written.some((content) => content.includes(`\n${note.text}\n`)) ? [] : [note]
  })
}

function writeNote({ text, time }: Note, path: string): Omit<ToolCallPart, 'type' | 'id'> {
  const content = `${logHeading(text, time)}\n${text}\n`
  return { name: 'write', arguments: { path, content, append: true } }
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
