import { isSuggestedChange, messageText, splitAttachments } from '#shared/chat/messages.ts'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { complete, parseIntent, questionRequest, requestedNote } from '#llm'
import { localDate } from '#workspace'
import { commandEntry, eventOf, noticeEntry, privateMatchesEntry } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { loadPrompts } from './prompts.ts'
import { saveSessionSummary } from './session-summary.ts'
import { createTurnContext, type ChatServices, type TurnTarget } from './turn-context.ts'

/** Tells the user if private notes match the question of an open chat. The model does not learn of it. */
export async function notePrivateMatches(session: string, { sessions, privacy }: ChatServices, signal: AbortSignal) {
  const transcript = await sessions.get(session)
  const question = transcript.messages().findLast(({ message }) => message.role === 'user')?.message
  if (transcript.isPrivate || transcript.isWithoutMemory || question?.role !== 'user') return
  const count = await privacy.countMatches(splitAttachments(question).text, signal)
  if (count > 0 && !transcript.isPrivate) await transcript.appendCustom(privateMatchesEntry, { count })
}

export async function noteMissingTools(session: string, { sessions, agentModels }: ChatServices): Promise<void> {
  const transcript = await sessions.get(session)
  const { modelId, isPrivate } = transcript
  if (modelId === undefined || transcript.isWithoutMemory) return
  const model = agentModels.createOrOffline(modelId, isPrivate)
  if (model.takesTools?.() !== false) return
  const events = transcript.entries.map(eventOf)
  if (events.some((event) => event?.type === 'notice' && event.kind === 'withoutTools')) return
  await transcript.appendCustom(noticeEntry, { kind: 'withoutTools', code: '', data: { model: model.id } })
}

/**
 * Saves what the last message asks to remember, if the model has written no note for it: many models cannot call tools,
 * or forget to. The chat shows it like the command `/remember`.
 */
export async function keepRequested(session: string, { sessions, workspace, now }: ChatServices): Promise<void> {
  const transcript = await sessions.get(session)
  const messages = transcript.messages().map(({ message }) => message)
  const questionIndex = messages.findLastIndex(({ role }) => role === 'user')
  const question = messages[questionIndex]
  // The offline model calls the tool that writes notes.
  if (question?.role !== 'user' || transcript.isWithoutMemory || transcript.modelId === 'offline') return
  const today = localDate(now())
  const intent = parseIntent(splitAttachments(question).text, today)
  if (intent.kind !== 'remember' || intent.text === '') return
  const results = messages.slice(questionIndex).filter((message) => message.role === 'toolResult')
  if (results.some((result) => result.details?.kind === 'change' || isSuggestedChange(result))) return
  const origin = { cause: 'capture', session, turn: transcript.messages()[questionIndex]?.id } as const
  const { change } = await workspace.remember(requestedNote(intent, today), now(), origin, transcript.isPrivate)
  await transcript.appendCustom(commandEntry, { command: 'remember', outcome: { kind: 'remembered', change } })
}

const maxCharacters = 2000
const maxTitleLength = 80
const maxOutput = 200
/** Includes the wait for a server of this machine that answers one request at a time. */
const timeoutMs = 300_000

/** Asks the chat's model for a title unless the chat has one, titles are off, or the model is offline. */
export async function generateTitle(session: string, services: ChatServices, signal: AbortSignal): Promise<void> {
  const { config, sessions, agentModels } = services
  const transcript = await sessions.get(session)
  const messages = transcript.messages().map(({ message }) => message)
  const hasAnswer = messages.some(({ role }) => role === 'assistant')
  if (!config.current.chat.titles || transcript.name !== undefined || !hasAnswer) return
  const model = agentModels.createOrOffline(transcript.modelId, transcript.isPrivate)
  if (model.provider === 'offline') return
  const speakers = { user: 'User', assistant: 'Assistant', toolResult: '' }
  const conversation = messages
    .filter((message) => message.role !== 'toolResult' && messageText(message).trim() !== '')
    .slice(0, 2)
    .map((message) => `${speakers[message.role]}: ${messageText(message).slice(0, maxCharacters)}`)
    .join('\n\n')
    .toWellFormed()
  const content = (await loadPrompts(services)).title({ conversation })
  const system = ['You title conversations.']
  const request = questionRequest({ purpose: { kind: 'title' }, system, content, maxOutput })
  const signals = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const answer = await orUndefined(complete(model, request, signals), signals)
  if (signal.aborted || transcript.name !== undefined) return
  const [line = ''] = answer ? messageText(answer).trim().split('\n') : []
  const title = line.replace(/^[#*"'“”「《\s]+|[*"'“”」》.。\s]+$/gu, '')
  // With an empty title, the first words of the chat are shown, and the model is not asked again.
  await transcript.append({ type: 'session_info', name: title.length > maxTitleLength ? '' : title })
}

/** Creates the model of a chat's last message. If it is missing, the offline model replaces it and the chat says so. */
export async function modelOfChat(transcript: Transcript, agentModels: ChatServices['agentModels']) {
  try {
    return agentModels.createFor(transcript.isPrivate, transcript.modelId)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, data } = error
    await transcript.appendCustom(noticeEntry, { kind: 'modelReplaced', code, message, data })
    return agentModels.create('offline')
  }
}

export async function endSession(transcript: Transcript, services: ChatServices, signal: AbortSignal): Promise<void> {
  await services.privacy.settle(signal, transcript.id)
  const model = await modelOfChat(transcript, services.agentModels)
  const target = { transcript, model }
  const flush = async () => {
    const { enabled } = services.config.current.compaction.memoryFlush
    // The summary of the offline model has the statements that it would save.
    if (enabled && model.provider !== 'offline') await takeNotesAtEnd(target, services, signal)
  }
  await saveSessionSummary({ ...services, ...atLastMessage(transcript), ...target, signal, flush })
}

/** Takes notes from the messages of a session from which none were taken. @throws AppError if its model is missing */
export async function takeMissingNotes(transcript: Transcript, services: ChatServices, signal: AbortSignal) {
  await services.privacy.settle(signal, transcript.id)
  const model = services.agentModels.createFor(transcript.isPrivate, transcript.modelId)
  await takeNotesAtEnd({ transcript, model }, services, signal)
}

async function takeNotesAtEnd(target: TurnTarget, services: ChatServices, signal: AbortSignal): Promise<void> {
  const dated = { ...services, ...atLastMessage(target.transcript) }
  const { contextManager } = await createTurnContext(dated, target, signal, false)
  if (!target.transcript.isWithoutMemory) await contextManager.takeNotes()
}

/** A clock for the end of a session: its notes have the day of its last message. */
function atLastMessage(transcript: Transcript): Pick<ChatServices, 'now'> {
  const at = transcript.messages().at(-1)?.message.timestamp ?? 0
  return { now: () => new Date(at) }
}
