import { randomUUID } from 'node:crypto'
import { AppError } from '#shared/util/errors.ts'
import {
  messageText,
  noUsage,
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type CommandCall,
} from '#shared/chat/messages.ts'
import { AnswerDraft, assertModelId } from '#llm'
import type { CommandOutcome } from '#shared/contract/index.ts'
import { withUniqueCallIds } from '../context/assemble.ts'
import type { LiveAnswer } from '../sessions/transcript-file.ts'
import { wireRecorder } from '../sessions/stored-requests.ts'
import { executeTools, LoopDetector } from '../tools/execute-tools.ts'
import { isContextOverflow } from '../context/context-window-estimates.ts'
import { userTextIn } from './provenance-tracking.ts'
import type { TurnEndReason } from './live-turns.ts'
import { assembleRequest, type AssembledRequest } from './model-request.ts'
import type { ChatServices, TurnContext } from './turn-context.ts'
import { composeMessage } from './compose-message.ts'
import { commandEntry } from '../sessions/session-events.ts'

const maxSteps = 50

/** Runs a turn to its end. Stores a failure as an answer. @throws errors that are no AppError */
export async function runTurn(context: TurnContext, services: ChatServices): Promise<TurnEndReason> {
  const { transcript, model, tools, toolContext } = context
  const { queue, turns, now } = services
  const loopDetector = new LoopDetector()
  let hasText = false
  const store = (message: Message) => storeMessage(context, message, services)
  const fail = async (failure: { code: string; message: string; data?: AppError['data'] }) => {
    await store(new AnswerDraft(model, now).finish('error', noUsage, failure))
    return 'error' as const
  }
  for (let step = 1; step <= maxSteps; step += 1) {
    const { answer, assembled } = await answerOnce(context, services, hasText)
    hasText ||= messageText(answer) !== ''
    if (answer.stopReason === 'aborted') return 'aborted'
    if (answer.stopReason === 'error') return 'error'
    const calls = answer.content.filter((part): part is ToolCallPart => part.type === 'toolCall')
    loopDetector.nextStep()
    const { sources = [], request } = assembled ?? {}
    const userText = userTextIn(request?.messages ?? [])
    await executeTools(calls, tools, { ...toolContext, sources, userText }, (result) =>
      store(loopDetector.record(calls, result)),
    )
    if (toolContext.signal.aborted) return 'aborted'
    if (loopDetector.stopReason) return fail(loopDetector.stopReason)
    const queued = queue.takeNext(transcript.id)
    if (queued.length > 0) turns.emitPending(transcript.id, 'queue')
    for (const entry of queued) {
      await store(await composeMessage(entry, context, services, toolContext.signal))
      await queue.markDelivered(transcript.id, entry.id)
    }
    if (calls.length === 0 && queued.length === 0) return 'done'
  }
  return fail({ code: 'step_limit', message: `The turn was stopped after ${maxSteps} steps.` })
}

export async function storeMessage(
  { transcript }: Pick<TurnContext, 'transcript'>,
  message: Message,
  { turns }: ChatServices,
): Promise<void> {
  const { id } = await transcript.appendMessage(message)
  const versions = transcript.messageVersions().get(id)
  turns.emit(transcript.id, { type: 'message', id, message, ...(versions && { versions }) })
}

/** Returns an answer that reports a failure outside a turn; the transcript does not get it. */
export function faultMessage(error: unknown, { now, onFault }: ChatServices) {
  const internal = { code: 'internal', message: 'something went wrong' }
  const failure = error instanceof AppError ? error : { ...internal, data: { reference: onFault(error) } }
  const message = new AnswerDraft({ provider: 'commonplace', model: '' }, now).finish('error', noUsage, failure)
  return { type: 'message', id: `fault-${randomUUID()}`, message } as const
}

/** `assembled`: the answered request; undefined after a failure. */
type TurnAnswer = Readonly<{ answer: AssistantMessage; assembled?: AssembledRequest }>

async function answerOnce(context: TurnContext, services: ChatServices, hasText: boolean): Promise<TurnAnswer> {
  const { transcript, model } = context
  const liveAnswer = services.sessions.liveAnswer(transcript.id, model)
  try {
    const outcome = await askModel(context, services, liveAnswer)
    const earlier = transcript.messages().map(({ message }) => message)
    const answer = withUniqueCallIds(hasText ? outcome.answer : failIfEmpty(outcome.answer), earlier)
    await storeMessage(context, answer, services)
    return { ...outcome, answer }
  } finally {
    await liveAnswer.end()
  }
}

function failIfEmpty(answer: AssistantMessage): AssistantMessage {
  const { model, content, stopReason } = answer
  const hasCall = content.some(({ type }) => type === 'toolCall')
  if (stopReason !== 'stop' || hasCall || messageText(answer).trim() !== '') return answer
  const errorMessage = `${model} returned an empty answer`
  return { ...answer, stopReason: 'error', errorCode: 'answer_empty', errorMessage, errorData: { model } }
}

/** Maximum retries of a request that was too long. Ten halvings reduce a million tokens below any window. */
const maxRefusals = 12

async function askModel(
  context: TurnContext,
  services: ChatServices,
  liveAnswer: LiveAnswer,
  refusals = { count: 0, hasMadeRoom: false },
): Promise<TurnAnswer> {
  const { transcript, model, toolContext, contextManager } = context
  const session = transcript.id
  const { sessions, turns, meter, onFault } = services
  const draft = new AnswerDraft(model, toolContext.now)
  let usage = noUsage
  const windowBefore = model.contextWindow
  const failedAnswer = (reason: 'aborted' | 'error', failure?: AppError) => ({
    answer: draft.finish(reason, usage, failure),
  })
  let wire: ReturnType<typeof wireRecorder> | undefined
  try {
    const assembled = await (refusals.hasMadeRoom ? assembleRequest(services, context) : contextManager.prepare())
    const { purpose: _notSent, ...storedRequest } = assembled.request
    const number = await sessions.storeRequest(session, { model: model.id, ...storedRequest })
    wire = wireRecorder(sessions.requestsFolder(session), number, onFault)
    const { onSent } = wire
    for await (const event of model.stream({ ...assembled.request, onSent }, toolContext.signal)) {
      if (event.type === 'done') {
        const { input, cacheRead, cacheWrite } = event.message.usage
        const reportedTokens = input + cacheRead + cacheWrite || null
        await meter.storeReport(transcript, { ...assembled.report, request: number, reportedTokens })
        return { answer: event.message, assembled }
      }
      if (event.type === 'usage') usage = event.usage
      else if (event.type === 'retry') {
        const { type: _retry, retryNow, ...details } = event
        turns.emit(session, { type: 'retrying', ...details }, retryNow)
      } else if (event.type !== 'calling') {
        if (event.type === 'text') draft.addText(event.delta)
        else draft.addThinking(event.delta)
        turns.emit(session, event)
        liveAnswer.add(event.type, event.delta)
      }
    }
    const { id, provider } = model
    throw new AppError('provider_cut', `${id} stopped in the middle of the answer`, { provider })
  } catch (error) {
    if (toolContext.signal.aborted) return failedAnswer('aborted')
    if (!(error instanceof AppError)) throw error
    if (error.code === 'answer_repeats') draft.cutText(Number(error.data['kept']))
    if (!isContextOverflow(error) || draft.content.length > 0 || refusals.count >= maxRefusals)
      return failedAnswer('error', error)
    const count = refusals.count + 1
    // The window estimate shrank: prepare the request again for the smaller window.
    const isWindowSmaller = model.contextWindow < windowBefore
    const hasMadeRoom = !isWindowSmaller && !refusals.hasMadeRoom && (await contextManager.makeRoom())
    if (!isWindowSmaller && !hasMadeRoom) return failedAnswer('error', error)
    return askModel(context, services, liveAnswer, { count, hasMadeRoom })
  } finally {
    await wire?.done()
  }
}

const maxResults = 6

/** Appends the outcome to the transcript; an expected failure is one. */
export async function runCommand(command: CommandCall, context: TurnContext, services: ChatServices) {
  const outcome = await execute(command, context, services).catch((error: unknown): CommandOutcome => {
    if (!(error instanceof AppError)) throw error
    return { kind: 'failed', code: error.code, data: error.data, message: error.message }
  })
  await context.transcript.appendCustom(commandEntry, { command: command.name, outcome })
  return outcome.kind === 'failed' ? 'error' : 'done'
}

async function execute(command: CommandCall, context: TurnContext, services: ChatServices): Promise<CommandOutcome> {
  const { name, argument } = command
  const { workspace, memory, config, agentModels, now } = services
  const { contextManager, transcript } = context
  const { signal, visible } = context.toolContext
  if (argument === '' && (name === 'remember' || name === 'search')) return { kind: 'needsArgument', command: name }
  switch (name) {
    case 'compact': {
      const { before, after } = await contextManager.compact(argument || undefined)
      return { kind: before === after ? 'nothingToCompact' : 'compacted', before, after }
    }
    case 'remember': {
      if (transcript.isWithoutMemory)
        throw new AppError('chat_apart', 'memory is off in this chat; keep the chat first, then use /remember')
      const origin = { cause: 'capture', session: transcript.id } as const
      const { change } = await workspace.remember(argument, now(), origin, transcript.isPrivate)
      return { kind: 'remembered', change }
    }
    case 'search': {
      const options = { maxResults, staysHere: visible.seesPrivate }
      const found = await visible.search(argument, options, signal)
      const results = found.results.map(({ path, startLine, score, snippet }) => ({ path, startLine, score, snippet }))
      return { kind: 'found', query: argument, results }
    }
    case 'model': {
      if (argument === '') return { kind: 'model', model: context.model.id }
      assertModelId(argument)
      if (transcript.isPrivate) agentModels.createFor(true, argument)
      await config.set(['model'], argument)
      return { kind: 'model', model: argument }
    }
    case 'agent':
      return { kind: 'agent', agent: config.id, workspace: workspace.roots.workspace }
    case 'context':
    case 'status': {
      const [{ report }, status] = await Promise.all([
        assembleRequest(services, { ...context, isPreview: true }),
        memory.status(),
      ])
      const { estimatedTokens: tokens, contextWindow, off } = report
      const flushAt = off?.includes('flush') ? undefined : report.flushAt
      const compactAt = off?.includes('compact') ? undefined : report.compactAt
      const { files, units: chunks } = status
      return { kind: 'status', tokens, contextWindow, files, chunks, model: context.model.id, flushAt, compactAt }
    }
    case 'help':
    // `Chat` runs these two.
    case 'new':
    case 'reset':
      return { kind: 'help' }
  }
}
