import { logHeading } from '#shared/markdown/log-heading.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { systemClock, type Clock } from '#platform'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { modelLimits, type ModelLimits } from '../catalog/catalog.ts'
import { AnswerDraft, type ChatModel, type ModelEvent, type ModelRequest } from '../model.ts'
import type { Purpose } from '../purpose.ts'
import { answerPeriod, answerQuestion, resultsIn, type Result, type Step } from './answers.ts'
import { understand } from './intent.ts'
import { extractSummary, extractTopic, heardIn, notesOf } from './distill-notes.ts'
import { replyLanguage, type Language } from './language.ts'
import { saidBy, textOf } from './strip-context.ts'
import { sentencesIn, type Sentences } from './sentences.ts'

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

type ChatPurpose = Extract<Purpose, { kind: 'chat' | 'flush' }>

async function* stream(
  request: ModelRequest,
  signal: AbortSignal,
  now: Clock,
  fallback: Language,
): AsyncGenerator<ModelEvent> {
  const { text = '', calls = [] } = nextStep(request, fallback)
  const draft = new AnswerDraft({ provider: 'offline', model: 'offline' }, now)
  for (const piece of text.match(/[\s\S]{1,24}/gu) ?? []) {
    signal.throwIfAborted()
    draft.addText(piece)
    yield { type: 'text', delta: piece }
    // Lets a stop in: without it the whole answer would be one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const [index, call] of calls.entries())
    draft.content.push({ type: 'toolCall', id: `offline_${request.messages.length}_${index}`, ...call })
  const { system, messages, tools } = request
  const input = estimateTokens([...system, JSON.stringify(tools), ...messages.map(messageText)].join('\n'))
  const output = estimateTokens(JSON.stringify(draft.content))
  const usage = { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output }
  yield { type: 'done', message: draft.finish(calls.length > 0 ? 'toolUse' : 'stop', usage) }
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
      return { text: sentencesFor(conversation, last ? textOf(last) : '', fallback).withoutMemory }
    }
  }
}

/** What an answer that broke off lacks; all of it again where it would now be another. */
function goOn(messages: readonly Message[], at: ChatPurpose, fallback: Language): Step {
  const broken = messages.findLastIndex(({ role }) => role !== 'assistant') + 1
  const said = messages.slice(broken).map(messageText).join('')
  const step = converse(messages.slice(0, broken), at, fallback)
  return step.text?.startsWith(said) ? { ...step, text: step.text.slice(said.length) } : step
}

/**
 * The next step of an answer, from the conversation so far. Several messages can wait for it: they are answered one after
 * the other, each with the tools that it asks for itself.
 */
function converse(messages: readonly Message[], at: ChatPurpose, fallback: Language): Step {
  const turn = messages.slice(messages.findLastIndex(isAnswer) + 1)
  const asked = turn.filter(({ role }) => role === 'user').map(textOf)
  const results = resultsIn(turn)
  const failed = results.find(({ result }) => result.isError)
  if (failed) {
    const { toolFailed, unwritable } = sentencesFor(messages, asked.at(-1) ?? '', fallback)
    // People need no error code.
    const [, code, reason] = /^(?:([a-z]+(?:_[a-z]+)+): )?([\s\S]*)$/.exec(messageText(failed.result)) ?? []
    return { text: code === 'text_unwritable' ? unwritable : toolFailed(reason ?? '') }
  }
  const calls = writeNotes(turn, at)
  if (calls.length > 0) return { calls }
  const found = results.filter(({ result }) => result.toolName !== 'write')
  const texts = new Set<string>()
  for (const question of asked) {
    const sentences = sentencesFor(messages, question, fallback)
    const own: Result[] = []
    let step = respond(question, own, at, sentences)
    // What it asked for before is there, in the order in which it was asked for.
    while (step.calls && found.length >= step.calls.length) {
      own.push(...found.splice(0, step.calls.length))
      step = respond(question, own, at, sentences)
    }
    if (step.calls) return step
    texts.add(step.text ?? '')
  }
  return { text: [...texts].join('\n\n') }
}

function isAnswer(message: Message): boolean {
  return message.role === 'assistant' && !message.content.some(({ type }) => type === 'toolCall')
}

/** What there is to say to one message, or what has to be seen before. @param found what its own calls gave */
function respond(question: string, found: readonly Result[], at: ChatPurpose, sentences: Sentences): Step {
  const intention = understand(question, at.today)
  switch (intention.kind) {
    case 'remember':
      return { text: intention.text === '' ? sentences.help : sentences.remembered(at.todaysLog) }
    case 'period':
      return answerPeriod(intention, found, sentences, at.todaysLog)
    case 'question':
      return answerQuestion(question, found, sentences, at.today)
    case 'notThis':
      return { text: sentences.notKept }
    case 'statement':
      return { text: sentences.heard }
    case 'help':
      return { text: sentences.help }
  }
}

/** In the language of the question, or of what was said before it. */
function sentencesFor(messages: readonly Message[], question: string, fallback: Language): Sentences {
  const before = messages.flatMap((message) => saidBy(message)?.text ?? []).reverse()
  return sentencesIn(replyLanguage([question, ...before], fallback))
}

/** A flush: what the user stated goes to today's log. The last message of a user asks for it. */
function keepNotes(messages: readonly Message[], at: ChatPurpose, fallback: Language): Step {
  const { today, time, todaysLog } = at
  const asked = messages.findLastIndex((message) => message.role === 'user')
  if (messages.slice(asked + 1).some(({ role }) => role === 'toolResult')) return { text: 'NO_REPLY' }
  const conversation = messages.slice(0, asked)
  // What was asked for last and is not answered yet is written by its own turn, which this flush makes room for.
  const isAwaited =
    conversation.at(-1)?.role === 'user' &&
    writeNotes(conversation.slice(conversation.findLastIndex(isAnswer) + 1), at).length > 0
  const said = heardIn(isAwaited ? conversation.slice(0, -1) : conversation)
  const written = conversation.map(writtenBy).join('\n')
  const notes = notesOf(said, written, today)
  if (notes === undefined) return { text: 'NO_REPLY' }
  const { kept } = sentencesIn(replyLanguage(said.map(({ text }) => text).reverse(), fallback))
  const content = `## ${said.at(-1)?.time || time} - ${kept}\n${notes}\n`
  return { calls: [{ name: 'write', arguments: { path: todaysLog, content, append: true } }] }
}

/** What an answer had written to files; in a conversation that was put into words, a call stands as it was made. */
function writtenBy(message: Message): string {
  if (message.role !== 'assistant')
    return (
      messageText(message)
        .match(/^(?:Assistant: )?write \{.*$/gm)
        ?.join('\n') ?? ''
    )
  return message.content
    .flatMap((part) => (part.type === 'toolCall' && part.name === 'write' ? [String(part.arguments['content'])] : []))
    .join('\n')
}

/** Calls for what was to be remembered since the last answer and is not written yet. */
function writeNotes(turn: readonly Message[], { today, time, todaysLog }: ChatPurpose): NonNullable<Step['calls']> {
  const written = turn.map(writtenBy)
  return turn.flatMap((message) => {
    if (message.role !== 'user') return []
    const intention = understand(textOf(message), today)
    if (intention.kind !== 'remember' || intention.text === '') return []
    const { text } = intention
    if (written.some((content) => content.includes(`\n${text}\n`))) return []
    const content = `${logHeading(text, saidBy(message)?.time ?? time)}\n${text}\n`
    return [{ name: 'write', arguments: { path: todaysLog, content, append: true } }]
  })
}
