/**
 * One turn of the agent: ask the model, carry out the tools it calls, ask again, until it has nothing more to call.
 * Every message is in the transcript before anybody is told of it; an answer that breaks off is kept as far as it came.
 */
import type { ChatEvent, ContextReport } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { noUsage, type AssistantMessage, type Message, type ToolCallPart } from '../../shared/messages.ts'
import { reportedInput, type Assembly } from '../context/index.ts'
import { AnswerDraft, type ChatModel, type ModelRequest } from '../models/index.ts'
import { callTools } from './call.ts'
import type { Keeper } from './keeping/keeper.ts'
import type { ToolContext } from './tools/index.ts'

export interface TurnOptions {
  readonly model: ChatModel
  /** The request as it would be sent now. */
  readonly assemble: () => Promise<Assembly>
  /** Stores a message; resolves with the id of its entry when it is on disk. */
  readonly append: (message: Message) => Promise<string>
  readonly report: (report: ContextReport) => Promise<void>
  /** Keeps what is about to be sent. */
  readonly keepRequest: (request: ModelRequest) => Promise<void>
  readonly emit: (event: ChatEvent) => void
  readonly tools: ToolContext
  readonly keeper: Pick<Keeper, 'prepare' | 'makeRoom'>
  readonly maxSteps: number
}

export type TurnEnd = 'done' | 'aborted' | 'error'

export async function runTurn(options: TurnOptions): Promise<TurnEnd> {
  const { append, emit, tools, maxSteps } = options
  for (let step = 1; step <= maxSteps; step += 1) {
    const answer = await askModel(options)
    emit({ type: 'message', id: await append(answer), message: answer })
    if (answer.stopReason === 'aborted') return 'aborted'
    if (answer.stopReason === 'error') return 'error'
    const calls = answer.content.filter((part): part is ToolCallPart => part.type === 'toolCall')
    if (calls.length === 0) return 'done'
    for (const result of await callTools(calls, tools))
      emit({ type: 'message', id: await append(result), message: result })
    if (tools.signal.aborted) return 'aborted'
  }
  const message = stepLimit(options.model, maxSteps)
  emit({ type: 'message', id: await append(message), message })
  return 'error'
}

async function askModel(options: TurnOptions, isSecondTry = false): Promise<AssistantMessage> {
  const { model, assemble, report, emit, tools, keeper } = options
  const draft = new AnswerDraft(model)
  try {
    if (!isSecondTry) await keeper.prepare()
    const { request, report: assembled } = await assemble()
    await report(assembled)
    await options.keepRequest(request)
    for await (const event of model.stream(request, tools.signal)) {
      if (event.type === 'done') {
        await report({ ...assembled, reportedTokens: reportedInput(event.message) })
        return event.message
      }
      if (event.type === 'text') draft.addText(event.delta)
      else draft.addThinking(event.delta)
      emit(event)
    }
    throw new AppError('provider_unavailable', `${model.id} broke off in the middle of the answer`, {
      provider: model.provider,
    })
  } catch (error) {
    if (tools.signal.aborted) return draft.finish('aborted', noUsage)
    if (!(error instanceof AppError)) throw error
    const mayRetry = error.code === 'context_overflow' && !isSecondTry && draft.content.length === 0
    if (mayRetry && (await keeper.makeRoom())) return askModel(options, true)
    return draft.finish('error', noUsage, error)
  }
}

function stepLimit(model: ChatModel, maxSteps: number): AssistantMessage {
  const draft = new AnswerDraft(model)
  return draft.finish('error', noUsage, {
    code: 'step_limit',
    message: `The turn was stopped after ${maxSteps} steps (chat.maxSteps).`,
  })
}
