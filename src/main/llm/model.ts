import { randomUUID } from 'node:crypto'
import type { ChatEvent, WireRequest } from '#shared/contract/index.ts'
import { AppError, type ErrorData } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { systemClock, type Clock, isWithinDepthLimit } from '#platform'
import { maxArguments, maxBrokenArguments, maxId, maxToolCalls } from '#shared/util/limits.ts'
import { asIdText } from './middleware/lenient-json.ts'
import type { AssistantMessage, Message, StopReason, Usage } from '#shared/chat/messages.ts'

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema object. */
  readonly parameters: Record<string, unknown>
}

export interface ModelRequest {
  /** Not sent; the offline model and retries use it. */
  readonly purpose: Purpose
  /** Blocks, the most stable first, so that providers can cache each prefix. */
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly maxOutput: number
  /** JSON Schema of the answer, strict. A server that refuses schemas gets none, so the prompt names the form too. */
  readonly answerSchema?: Record<string, unknown>
  readonly thinking?: ThinkingEffort
  /** Receives each HTTP request, redacted for display; a retry is another one. */
  readonly onSent?: (request: WireRequest) => void
}

export type Purpose =
  | {
      readonly kind: 'chat'
      /** `YYYY-MM-DD`. */
      readonly today: string
      /** `HH:MM`, for messages without a time. */
      readonly time: string
      /** File for today's notes; its name contains the date. */
      readonly todaysLog: string
      /** True if the last message is the app's request to continue an interrupted answer. */
      readonly continuesAnswer?: boolean
      /** True if memory is off in the chat; the request has no memory tools. */
      readonly isWithoutMemory?: boolean | undefined
      /** The current turn from the user's message on, if a summary replaces its beginning. */
      readonly turn?: readonly Message[] | undefined
    }
  /** The last message asks to save notes from the messages before it. */
  | { readonly kind: 'flush' }
  | {
      readonly kind: 'summary'
      /** Rendered by `renderInParts`. */
      readonly conversation: string
      readonly earlier: string | undefined
    }
  | { readonly kind: 'topic' }
  | { readonly kind: 'title' }
  /** Review of memory lines; only for language models, not for the offline model. */
  | { readonly kind: 'upkeep' }

export type ThinkingEffort = 'low' | 'medium' | 'high'

/** `done` comes last and has the whole message; a stream without it has failed. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  /** Arguments of a tool call are streaming; there is nothing to show yet. */
  | { readonly type: 'calling' }
  /** Usage so far, for requests that end before `done`. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** The request failed with a transient error and is repeated after a wait. */
  | (Omit<Extract<ChatEvent, { type: 'retrying' }>, 'type'> & { readonly type: 'retry'; readonly retryNow: () => void })
  | { readonly type: 'done'; readonly message: AssistantMessage }

export interface ChatModel {
  /** Id as in the settings: `offline`, `anthropic/<model>`, … */
  readonly id: string
  readonly provider: string
  readonly model: string
  /** Tokens of a request including its answer. */
  readonly contextWindow: number
  readonly maxOutput: number
  readonly images: boolean
  /** True if requests do not leave this machine (see src/shared/util/locality.ts). */
  readonly isLocal: boolean
  /** Returns false once the server has refused tools. Undefined: it takes them. */
  readonly takesTools?: () => boolean
  /** @throws AppError `provider_…` or `context_overflow` (see middleware/provider-failures.ts), or the signal's reason */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}

type AssistantPart = AssistantMessage['content'][number]
export type Thought = Extract<AssistantPart, { type: 'thinking' }>

export class AnswerDraft {
  readonly content: AssistantPart[] = []
  readonly #model: Pick<ChatModel, 'provider' | 'model'>
  readonly #now: Clock
  #cutCallName: string | undefined

  constructor(model: Pick<ChatModel, 'provider' | 'model'>, now: Clock = systemClock) {
    this.#model = model
    this.#now = now
  }

  addText(delta: string): void {
    const last = this.content.at(-1)
    if (last?.type === 'text') last.text += delta
    else this.content.push({ type: 'text', text: delta })
  }

  addThinking(delta: string): void {
    const last = this.content.at(-1)
    if (last?.type === 'thinking') last.thinking += delta
    else this.openThought().thinking = delta
  }

  openThought(): Thought {
    const thought: Thought = { type: 'thinking', thinking: '' }
    this.content.push(thought)
    return thought
  }

  cutText(length: number): void {
    let left = length
    for (const part of this.content) {
      if (part.type !== 'text') continue
      part.text = part.text.slice(0, Math.max(0, left))
      left -= part.text.length
    }
  }

  /**
   * Adds a tool call. Replaces an unusable or repeated id. Beyond `maxToolCalls`, only one further call is added.
   * @param json arguments as the model sent them
   * @param signature opaque data that the provider expects back with the call
   */
  addCall(id: unknown, name: unknown, json: string, signature?: string): void {
    const calls = this.content.filter((part) => part.type === 'toolCall')
    if (calls.length > maxToolCalls) return
    const sentId = asIdText(id)
    const isUsable = sentId !== '' && sentId.length <= maxId && calls.every((call) => call.id !== sentId)
    this.content.push({
      type: 'toolCall',
      id: isUsable ? sentId : `call_${randomUUID().slice(0, 8)}_${calls.length}`,
      // Providers reject calls without a name when they are sent back.
      name: asIdText(name).slice(0, maxId) || 'unnamed',
      arguments: parseArguments(json),
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    })
  }

  recordCutCall(name: unknown): void {
    this.#cutCallName = asIdText(name).slice(0, maxId) || undefined
  }

  finish(
    stopReason: StopReason,
    usage: Usage,
    failure?: { code: string; message: string; data?: ErrorData },
  ): AssistantMessage {
    return {
      role: 'assistant',
      content: this.content.map(toWellFormedPart).filter((part) => {
        if (part.type === 'text') return part.text !== ''
        return part.type !== 'thinking' || part.thinking !== '' || part.thinkingSignature !== undefined
      }),
      provider: this.#model.provider,
      model: this.#model.model,
      usage,
      stopReason,
      ...(stopReason === 'length' && this.#cutCallName !== undefined && { cutCall: this.#cutCallName }),
      ...(failure ? { errorCode: failure.code, errorMessage: failure.message, errorData: failure.data ?? {} } : {}),
      timestamp: this.#now().getTime(),
    }
  }
}

/** Replaces lone surrogates. Works on complete texts, because a delta can end within a surrogate pair. */
function toWellFormedPart(part: AssistantPart): AssistantPart {
  if (part.type === 'text') return { ...part, text: part.text.toWellFormed() }
  return part.type === 'thinking' ? { ...part, thinking: part.thinking.toWellFormed() } : part
}

/** Key that replaces dropped arguments; its value is their length in characters. */
export const argumentsTooLong = 'argumentsTooLong'

/** Returns true for a JSON object within the depth limit, and for arguments that are too long; false for an empty text. */
export function isCompleteJsonObject(json: string): boolean {
  return json.length > maxArguments || (isWithinDepthLimit(json) && isRecord(parseJson(json)))
}

/** Parses a call's arguments; `{}` for an empty text. Invalid JSON becomes `invalidJson`, which the call reports. */
function parseArguments(json: string): Record<string, unknown> {
  if (json.length > maxArguments) return { [argumentsTooLong]: json.length }
  if (json.trim() === '') return {}
  const parsed = isWithinDepthLimit(json) ? parseJson(json) : undefined
  // Some models encode the arguments twice.
  const value = typeof parsed === 'string' && isWithinDepthLimit(parsed) ? parseJson(parsed) : parsed
  return isRecord(value) ? value : { invalidJson: json.slice(0, maxBrokenArguments) }
}

export type Question = Pick<ModelRequest, 'purpose' | 'system' | 'maxOutput' | 'answerSchema'> & {
  readonly content: string
}

export function questionRequest({ content, ...question }: Question): ModelRequest {
  return { ...question, messages: [{ role: 'user', content, timestamp: 0 }], tools: [] }
}

/** @throws AppError as `stream`, and `provider_unavailable` if the stream ends early */
export async function complete(
  model: ChatModel,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  for await (const event of model.stream(request, signal)) if (event.type === 'done') return event.message
  throw new AppError('provider_unavailable', `${model.id} stopped in the middle of the answer`, {
    provider: model.provider,
  })
}
