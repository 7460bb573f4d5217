import type { ChatEvent, ContextReport, WireRequest } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { messageText, noUsage, type AssistantMessage, type Message, type ToolCallPart } from '#shared/chat/messages.ts'
import { withUniqueCallIds } from '../context/request-history.ts'
import { reportedInputTokens } from '../context/message-tokens.ts'
import { AnswerDraft, type ModelRequest } from '#llm'
import type { LiveAnswer } from '../sessions/live-answer.ts'
import { executeTools } from '../tools/execute-tools.ts'
import { isContextOverflow } from '../compaction/overflow.ts'
import { LoopDetector } from '../tools/loop-detector.ts'
import { userTextIn } from './provenance-tracking.ts'
import type { AssembledRequest } from './model-request.ts'
import type { TurnContext } from './turn-context.ts'

const maxSteps = 50

export interface TurnOptions extends TurnContext {
  readonly assemble: () => Promise<AssembledRequest>
  readonly storeMessage: (message: Message) => Promise<void>
  readonly storeReport: (report: ContextReport) => Promise<void>
  /** Stores the request before it is sent. @returns its number */
  readonly storeRequest: (request: Omit<ModelRequest, 'purpose'>) => Promise<number>
  readonly storeWireRequest: (number: number, wire: WireRequest) => Promise<void>
  readonly openLiveAnswer: () => LiveAnswer
  /** Takes the messages that the user queued for the running turn. */
  readonly takeQueuedMessages: () => Promise<readonly Message[]>
  readonly emit: (event: ChatEvent) => void
  /** Called when a request waits for its retry; the argument ends the wait. */
  readonly onRetryWait: (endWait: () => void) => void
}

export type TurnEndReason = 'done' | 'aborted' | 'error'

/** Runs a turn to its end. Stores a failure as an answer. @throws errors that are no AppError */
export async function runTurn(options: TurnOptions): Promise<TurnEndReason> {
  const { storeMessage, tools, toolContext, takeQueuedMessages } = options
  const loopDetector = new LoopDetector()
  let hasText = false
  let assembled = undefined as AssembledRequest | undefined
  const assemble = async () => (assembled = await options.assemble())
  const fail = async (failure: { code: string; message: string; data?: AppError['data'] }) => {
    await storeMessage(new AnswerDraft(options.model, toolContext.now).finish('error', noUsage, failure))
    return 'error' as const
  }
  for (let step = 1; step <= maxSteps; step += 1) {
    const answer = await answerOnce({ ...options, assemble }, hasText)
    hasText ||= messageText(answer) !== ''
    if (answer.stopReason === 'aborted') return 'aborted'
    if (answer.stopReason === 'error') return 'error'
    const calls = answer.content.filter((part): part is ToolCallPart => part.type === 'toolCall')
    loopDetector.nextStep()
    const { sources = [], request } = assembled ?? {}
    const userText = userTextIn(request?.messages ?? [])
    await executeTools(calls, tools, { ...toolContext, sources, userText }, (result) =>
      storeMessage(loopDetector.record(calls, result)),
    )
    if (toolContext.signal.aborted) return 'aborted'
    if (loopDetector.stopReason) return fail(loopDetector.stopReason)
    const queuedMessages = await takeQueuedMessages()
    for (const message of queuedMessages) await storeMessage(message)
    if (calls.length === 0 && queuedMessages.length === 0) return 'done'
  }
  return fail({ code: 'step_limit', message: `The turn was stopped after ${maxSteps} steps.` })
}

async function answerOnce(options: TurnOptions, hasText: boolean): Promise<AssistantMessage> {
  const liveAnswer = options.openLiveAnswer()
  try {
    const rawAnswer = await askModel(options, liveAnswer)
    const earlier = options.transcript.messages().map(({ message }) => message)
    const answer = withUniqueCallIds(hasText ? rawAnswer : failIfEmpty(rawAnswer), earlier)
    await options.storeMessage(answer)
    return answer
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
  options: TurnOptions,
  liveAnswer: LiveAnswer,
  refusals = { count: 0, hasMadeRoom: false },
): Promise<AssistantMessage> {
  const { model, assemble, storeReport, storeWireRequest, emit, toolContext, contextManager } = options
  const draft = new AnswerDraft(model, toolContext.now)
  let usage = noUsage
  const windowBefore = model.contextWindow
  const failedAnswer = (reason: 'aborted' | 'error', failure?: AppError) => draft.finish(reason, usage, failure)
  let wireWrites: Promise<void> = Promise.resolve()
  try {
    if (!refusals.hasMadeRoom) await contextManager.prepare()
    const { request, report } = await assemble()
    const { purpose: _notSent, ...storedRequest } = request
    const requestNumber = await options.storeRequest(storedRequest)
    for await (const event of model.stream(request, toolContext.signal)) {
      if (event.type === 'done') {
        await storeReport({ ...report, request: requestNumber, reportedTokens: reportedInputTokens(event.message) })
        return event.message
      }
      if (event.type === 'usage') usage = event.usage
      else if (event.type === 'calling') continue
      // A retry sends the request again and repeats this event.
      else if (event.type === 'sent') wireWrites = wireWrites.then(() => storeWireRequest(requestNumber, event.request))
      else if (event.type === 'retry') {
        const { type: _retry, retryNow, ...details } = event
        options.onRetryWait(retryNow)
        emit({ type: 'retrying', ...details })
      } else {
        if (event.type === 'text') draft.addText(event.delta)
        else draft.addThinking(event.delta)
        emit(event)
        await liveAnswer.add(event.type, event.delta)
      }
    }
    throw new AppError('provider_cut', `${model.id} stopped in the middle of the answer`, {
      provider: model.provider,
    })
  } catch (error) {
    if (toolContext.signal.aborted) return failedAnswer('aborted')
    if (!(error instanceof AppError)) throw error
    if (!isContextOverflow(error) || draft.content.length > 0 || refusals.count >= maxRefusals)
      return failedAnswer('error', error)
    const count = refusals.count + 1
    // The window estimate shrank: prepare the request again for the smaller window.
    const isWindowSmaller = model.contextWindow < windowBefore
    const hasMadeRoom = !isWindowSmaller && !refusals.hasMadeRoom && (await contextManager.makeRoom())
    if (!isWindowSmaller && !hasMadeRoom) return failedAnswer('error', error)
    return askModel(options, liveAnswer, { count, hasMadeRoom })
  } finally {
    await wireWrites
  }
}
