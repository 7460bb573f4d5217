import { randomUUID } from 'node:crypto'
import { AppError } from '#shared/util/errors.ts'
import { messageText, noUsage, type AssistantMessage, type Message, type ToolCallPart } from '#shared/chat/messages.ts'
import { withUniqueCallIds } from '../context/request-history.ts'
import { AnswerDraft } from '#llm'
import type { LiveAnswer } from '../sessions/live-answer.ts'
import { wireRecorder } from '../sessions/stored-requests.ts'
import { executeTools } from '../tools/execute-tools.ts'
import { isContextOverflow } from '../context/context-window-estimates.ts'
import { LoopDetector } from '../tools/loop-detector.ts'
import { userTextIn } from './provenance-tracking.ts'
import type { TurnEndReason } from './live-turns.ts'
import { assembleRequest, type AssembledRequest } from './model-request.ts'
import type { ChatServices, TurnContext } from './turn-context.ts'
import { composeMessage } from './compose-message.ts'

const maxSteps = 50

/** Runs a turn to its end. Stores a failure as an answer. @throws errors that are no AppError */
export async function runTurn(context: TurnContext, services: ChatServices): Promise<TurnEndReason> {
  const { session, model, tools, toolContext } = context
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
    const queued = queue.takeNext(session)
    if (queued.length > 0) turns.emitPending(session, 'queue')
    for (const entry of queued) {
      await store(await composeMessage(entry, context, services, toolContext.signal))
      await queue.markDelivered(session, entry.id)
    }
    if (calls.length === 0 && queued.length === 0) return 'done'
  }
  return fail({ code: 'step_limit', message: `The turn was stopped after ${maxSteps} steps.` })
}

/** Appends a message to the transcript, and sends it to the windows that show the chat. */
export async function storeMessage(
  { session, transcript }: Pick<TurnContext, 'session' | 'transcript'>,
  message: Message,
  { turns }: ChatServices,
): Promise<void> {
  const { id } = await transcript.appendMessage(message)
  const versions = transcript.messageVersions().get(id)
  turns.emit(session, { type: 'message', id, message, ...(versions ? { versions } : {}) })
}

/** Returns an answer that reports a failure outside a turn; the transcript does not get it. */
export function faultMessage(error: unknown, { now, onFault }: ChatServices) {
  const internal = { code: 'internal', message: 'something went wrong' }
  const failure = error instanceof AppError ? error : { ...internal, data: { reference: onFault(error) } }
  const message = new AnswerDraft({ provider: 'commonplace', model: '' }, now).finish('error', noUsage, failure)
  return { type: 'message', id: `fault-${randomUUID()}`, message } as const
}

interface TurnAnswer {
  readonly answer: AssistantMessage
  /** The answered request; undefined after a failure. */
  readonly assembled?: AssembledRequest
}

async function answerOnce(context: TurnContext, services: ChatServices, hasText: boolean): Promise<TurnAnswer> {
  const { session, transcript, model } = context
  const liveAnswer = services.sessions.liveAnswer(session, model)
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
  const hasCall = answer.content.some(({ type }) => type === 'toolCall')
  if (answer.stopReason !== 'stop' || hasCall || messageText(answer).trim() !== '') return answer
  const errorMessage = `${answer.model} returned an empty answer`
  return { ...answer, stopReason: 'error', errorCode: 'answer_empty', errorMessage, errorData: { model: answer.model } }
}

/** Maximum retries of a request that was too long. Ten halvings reduce a million tokens below any window. */
const maxRefusals = 12

async function askModel(
  context: TurnContext,
  services: ChatServices,
  liveAnswer: LiveAnswer,
  refusals = { count: 0, hasMadeRoom: false },
): Promise<TurnAnswer> {
  const { session, transcript, model, toolContext, contextManager } = context
  const { sessions, turns, meter, onFault } = services
  const draft = new AnswerDraft(model, toolContext.now)
  let usage = noUsage
  const windowBefore = model.contextWindow
  const failedAnswer = (reason: 'aborted' | 'error', failure?: AppError) => ({
    answer: draft.finish(reason, usage, failure),
  })
  let wire: ReturnType<typeof wireRecorder> | undefined
  try {
    if (!refusals.hasMadeRoom) await contextManager.prepare()
    const assembled = await assembleRequest(services, context)
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
      else if (event.type === 'calling') continue
      else if (event.type === 'retry') {
        const { type: _retry, retryNow, ...details } = event
        turns.emit(session, { type: 'retrying', ...details }, retryNow)
      } else {
        if (event.type === 'text') draft.addText(event.delta)
        else draft.addThinking(event.delta)
        turns.emit(session, event)
        await liveAnswer.add(event.type, event.delta)
      }
    }
    throw new AppError('provider_cut', `${model.id} stopped in the middle of the answer`, {
      provider: model.provider,
    })
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
