import { logEntry } from '#shared/markdown/log-entry.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { systemClock, type Clock } from '#platform'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { modelLimits, type ModelLimits } from '../catalog/catalog.ts'
import { AnswerDraft, type ChatModel, type ModelEvent, type ModelRequest, type Purpose } from '../model.ts'
import { answerPeriod, answerQuestion, toolResultsIn, type Step, type ToolResult } from './answers.ts'
import { parseIntent } from './intent.ts'
import { extractNotes, extractSummary, userTextsIn } from './distill-notes.ts'
import { replyLanguage, type Language } from './language.ts'
import { plainText, userTextOf } from './strip-context.ts'
import { sentencesIn, type Sentences } from './sentences.ts'

export interface OfflineOptions {
  readonly limits?: ModelLimits
  readonly now?: Clock
  /** Language of the answers if none is detected in the conversation. */
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
    // Yields to the event loop, so that the user can stop the answer.
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

function nextStep({ purpose, messages }: ModelRequest, fallback: Language): Step {
  switch (purpose.kind) {
    case 'summary':
      return { text: extractSummary(purpose) }
    case 'topic':
    case 'upkeep':
    case 'title':
      return {}
    case 'flush':
      return saveNotes(messages, purpose)
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

/** Answers all messages since the last answer, each from the results of its tool calls. */
function answer(messages: readonly Message[], purpose: ChatPurpose, fallback: Language): Step {
  const isAnswer = (message: Message) =>
    message.role === 'assistant' && !message.content.some(({ type }) => type === 'toolCall')
  const turn = messages.slice(messages.findLastIndex(isAnswer) + 1)
  const questions = turn.filter(({ role }) => role === 'user').map(plainText)
  const results = toolResultsIn(turn)
  const failedResult = results.find(({ result }) => result.isError)
  if (failedResult) {
    const reason = messageText(failedResult.result).replace(/^[a-z]+(?:_[a-z]+)+: /, '')
    return { text: sentencesFor(messages, fallback).toolFailed(reason) }
  }
  const writes = noteWriteCalls(turn, purpose)
  if (writes.length > 0) return { calls: writes }
  const pendingResults = results.filter(({ result }) => result.toolName !== 'write')
  const texts = new Set<string>()
  for (const question of questions) {
    const sentences = sentencesFor(messages, fallback, question)
    const questionResults: ToolResult[] = []
    let step = reply(question, questionResults, purpose, sentences)
    // Results arrive in the order of the calls.
    while (step.calls && pendingResults.length >= step.calls.length) {
      questionResults.push(...pendingResults.splice(0, step.calls.length))
      step = reply(question, questionResults, purpose, sentences)
    }
    if (step.calls) return step
    texts.add(step.text ?? '')
  }
  return { text: [...texts].join('\n\n') }
}

/** @param results of the calls for this question so far */
function reply(question: string, results: readonly ToolResult[], purpose: ChatPurpose, sentences: Sentences): Step {
  const intent = parseIntent(question, purpose.today)
  switch (intent.kind) {
    case 'remember':
      return { text: intent.text === '' ? sentences.help : sentences.remembered(purpose.todaysLog) }
    case 'period':
      return answerPeriod(intent, results, sentences, purpose.todaysLog)
    case 'question':
    case 'keywords':
      return answerQuestion(question, results, sentences, purpose.today)
    case 'statement':
      // The flush at the end of the chat saves it.
      if (purpose.kind === 'chat' && purpose.isWithoutMemory === true) return { text: sentences.withoutMemory }
      return { text: sentences.statement }
    default:
      return { text: sentences[intent.kind] }
  }
}

function sentencesFor(messages: readonly Message[], fallback: Language, question = ''): Sentences {
  const earlier = messages.flatMap((message) => userTextOf(message)?.text ?? []).reverse()
  return sentencesIn(replyLanguage([question, ...earlier], fallback))
}

/** Memory flush: appends the user's statements to today's log. The last user message is the request for it. */
function saveNotes(messages: readonly Message[], purpose: ChatPurpose): Step {
  const { todaysLog } = purpose
  const requestIndex = messages.findLastIndex(({ role }) => role === 'user')
  if (messages.slice(requestIndex + 1).some(({ role }) => role === 'toolResult')) return { text: 'NO_REPLY' }
  const conversation = messages.slice(0, requestIndex)
  // A flush can interrupt a turn that will itself write the note that the user asks for.
  const isUnanswered = noteWriteCalls(conversation.slice(-1), purpose).length > 0
  const texts = userTextsIn(isUnanswered ? conversation.slice(0, -1) : conversation)
  const saved = conversation.flatMap(notesWrittenBy).join('\n')
  const content = extractNotes(texts, saved, purpose)
  if (content === undefined) return { text: 'NO_REPLY' }
  return { calls: [{ name: 'write', arguments: { path: todaysLog, content, append: true } }] }
}

/** Returns the notes that a message wrote; for a rendered conversation, the lines with the calls. */
function notesWrittenBy(message: Message): string[] {
  if (message.role !== 'assistant') return messageText(message).match(/^(?:Assistant: )?write \{.*$/gm) ?? []
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
    const { text } = intent
    const content = `${logEntry(text, userTextOf(message)?.time ?? time)}\n`
    if (saved.has(withoutTime(content))) return []
    return [{ name: 'write', arguments: { path: todaysLog, content, append: true } }]
  })
}
