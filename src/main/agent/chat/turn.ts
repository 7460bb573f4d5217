import type { ChatEvent, ContextReport, WireRequest } from '#shared/contract/index.ts'
import type { Clock } from '#platform'
import { AppError } from '#shared/util/errors.ts'
import { messageText, noUsage, type AssistantMessage, type Message, type ToolCallPart } from '#shared/chat/messages.ts'
import { reportedInputTokens } from '../context/message-tokens.ts'
import { AnswerDraft, type ChatModel, type ModelRequest } from '#llm'
import type { LiveAnswer } from '../sessions/live-answer.ts'
import { executeTools } from '../tools/execute-tools.ts'
import type { ContextManager } from '../compaction/context-manager.ts'
import { isContextOverflow } from '../compaction/overflow.ts'
import { LoopDetector } from '../tools/loop-detector.ts'
import type { Source } from '#shared/markdown/provenance.ts'
import { userTextIn } from './provenance-tracking.ts'
import type { AssembledRequest } from './model-request.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'

const maxSteps = 50

export interface TurnOptions {
  readonly model: ChatModel
  readonly assemble: () => Promise<AssembledRequest>
  readonly withUniqueCallIds: (answer: AssistantMessage) => AssistantMessage
  readonly storeMessage: (message: Message) => Promise<void>
  readonly storeReport: (report: ContextReport) => Promise<void>
  /** Records the request before it is sent. @returns its number */
  readonly keepRequest: (request: Omit<ModelRequest, 'purpose'>) => Promise<number>
  readonly keepWire: (number: number, wire: WireRequest) => Promise<void>
  readonly openLiveAnswer: () => LiveAnswer
  /** Takes the messages that the user sent during the turn. */
  readonly takeSteering: () => Promise<readonly Message[]>
  readonly emit: (event: ChatEvent) => void
  /** Called when a request waits for its retry; the argument ends the wait. */
  readonly onRetryWait: (hurry: () => void) => void
  readonly toolbox: readonly Tool[]
  readonly tools: ToolContext
  readonly keeper: Pick<ContextManager, 'prepare' | 'makeRoom'>
}

export type TurnEnd = 'done' | 'aborted' | 'error'

/** Runs a turn to its end. Stores a failure as an answer. @throws errors that are no AppError */
export async function runTurn(options: TurnOptions): Promise<TurnEnd> {
  const { storeMessage, tools, toolbox, takeSteering } = options
  const loopDetector = new LoopDetector()
  let hasText = false
  for (let step = 1; step <= maxSteps; step += 1) {
    const origin: AnswerOrigin = { sources: [], userText: '' }
    const answer = await answerOnce(options, hasText, origin)
    hasText ||= messageText(answer) !== ''
    if (answer.stopReason === 'aborted') return 'aborted'
    if (answer.stopReason === 'error') return 'error'
    const calls = answer.content.filter((part): part is ToolCallPart => part.type === 'toolCall')
    loopDetector.nextStep()
    const answerOrigin = { isOfLocal: answer.local === true, sources: origin.sources, ownWords: origin.userText }
    await executeTools(calls, toolbox, { ...tools, ...answerOrigin }, (result) =>
      storeMessage(loopDetector.record(calls, result)),
    )
    if (tools.signal.aborted) return 'aborted'
    if (loopDetector.stopReason) {
      await storeMessage(new AnswerDraft(options.model, tools.now).finish('error', noUsage, loopDetector.stopReason))
      return 'error'
    }
    const steering = await takeSteering()
    for (const message of steering) await storeMessage(message)
    if (calls.length === 0 && steering.length === 0) return 'done'
  }
  await storeMessage(stepLimit(options.model, tools.now))
  return 'error'
}

interface AnswerOrigin {
  sources: readonly Source[]
  userText: string
}

async function answerOnce(
  options: TurnOptions,
  hasText: boolean,
  answerOrigin: AnswerOrigin,
): Promise<AssistantMessage> {
  const live = options.openLiveAnswer()
  try {
    const given = await askModel(options, live, answerOrigin)
    const answer = options.withUniqueCallIds(hasText ? given : failIfEmpty(given))
    await options.storeMessage(answer)
    return answer
  } finally {
    await live.end()
  }
}

function failIfEmpty(answer: AssistantMessage): AssistantMessage {
  const hasNoCall = answer.content.every(({ type }) => type !== 'toolCall')
  if (answer.stopReason !== 'stop' || !hasNoCall || messageText(answer).trim() !== '') return answer
  const errorMessage = `${answer.model} returned an empty answer`
  return { ...answer, stopReason: 'error', errorCode: 'answer_empty', errorMessage, errorData: { model: answer.model } }
}

/** Retries of a request that was too long: ten halvings take a million tokens below any window. */
const maxRefusals = 12

interface Refusals {
  readonly count: number
  readonly hasMadeRoom: boolean
}

async function askModel(
  options: TurnOptions,
  live: LiveAnswer,
  answerOrigin: AnswerOrigin,
  refusals: Refusals = { count: 0, hasMadeRoom: false },
): Promise<AssistantMessage> {
  const { model, assemble, storeReport, emit, tools, keeper } = options
  const draft = new AnswerDraft(model, tools.now)
  let usage = noUsage
  const window = model.contextWindow
  // Treat text as local until the request is known.
  let isLocal = model.isLocal
  const failedAnswer = (reason: 'aborted' | 'error', failure?: AppError) => {
    const answer = draft.finish(reason, usage, failure)
    return isLocal && answer.content.length > 0 ? { ...answer, local: true as const } : answer
  }
  let wireWrites: Promise<void> = Promise.resolve()
  try {
    if (!refusals.hasMadeRoom) await keeper.prepare()
    const assembly = await assemble()
    const { request, report: assembled } = assembly
    isLocal = assembly.isLocal
    answerOrigin.sources = assembly.sources
    answerOrigin.userText = userTextIn(request.messages)
    await storeReport(assembled)
    const { purpose: _notSent, ...sent } = request
    const number = await options.keepRequest(sent)
    for await (const event of model.stream(request, tools.signal)) {
      if (event.type === 'done') {
        await storeReport({ ...assembled, request: number, reportedTokens: reportedInputTokens(event.message) })
        return event.message
      }
      if (event.type === 'usage') usage = event.usage
      else if (event.type === 'calling') continue
      // A retry sends the request again and repeats this event.
      else if (event.type === 'sent') wireWrites = wireWrites.then(() => options.keepWire(number, event.request))
      else if (event.type === 'retry') {
        const { type: _retry, retryNow, ...why } = event
        options.onRetryWait(retryNow)
        emit({ type: 'retrying', ...why })
      } else {
        if (event.type === 'text') draft.addText(event.delta)
        else draft.addThinking(event.delta)
        emit(event)
        await live.add(event.type, event.delta)
      }
    }
    throw new AppError('provider_cut', `${model.id} stopped in the middle of the answer`, {
      provider: model.provider,
    })
  } catch (error) {
    if (tools.signal.aborted) return failedAnswer('aborted')
    if (!(error instanceof AppError)) throw error
    if (!isContextOverflow(error) || draft.content.length > 0 || refusals.count >= maxRefusals)
      return failedAnswer('error', error)
    const count = refusals.count + 1
    // The window estimate shrank: prepare the request again for the smaller window.
    if (model.contextWindow < window) return askModel(options, live, answerOrigin, { count, hasMadeRoom: false })
    if (!refusals.hasMadeRoom && (await keeper.makeRoom()))
      return askModel(options, live, answerOrigin, { count, hasMadeRoom: true })
    return failedAnswer('error', error)
  } finally {
    await wireWrites
  }
}

function stepLimit(model: ChatModel, now: Clock): AssistantMessage {
  const draft = new AnswerDraft(model, now)
  return draft.finish('error', noUsage, {
    code: 'step_limit',
    message: `The turn was stopped after ${maxSteps} steps.`,
  })
}
