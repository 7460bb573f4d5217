import { randomUUID } from 'node:crypto'
import type { WireRequest } from '#shared/contract/index.ts'
import { type ErrorData, AppError } from '#shared/util/errors.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { systemClock, type Clock, isShallow } from '#platform'
import { maxArguments, maxBrokenArguments, maxId, maxToolCalls } from '#shared/util/limits.ts'
import type { Purpose } from './purpose.ts'
import { nameOf } from './middleware/lenient-json.ts'
import type { AssistantMessage, Message, StopReason, Usage } from '#shared/chat/messages.ts'

/** A tool as a model is told of it; `parameters` is a JSON Schema object. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: Record<string, unknown>
  /** The provider's own name for a tool that its models were taught: it is sent in place of all of this. */
  readonly native?: typeof anthropicMemoryTool
}

export const anthropicMemoryTool = 'memory_20250818'

/** True for Claude models that were taught that tool: from the fourth generation on. */
export function hasMemoryTool({ provider, model }: Pick<ChatModel, 'provider' | 'model'>): boolean {
  return provider === 'anthropic' && model.startsWith('claude-') && !/^claude-(2|3|instant)/.test(model)
}

export interface ModelRequest {
  /** Never sent. */
  readonly purpose: Purpose
  /** Blocks, from the one that changes least to the one that changes most; a provider may cache each prefix. */
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** Most tokens of the answer. */
  readonly maxOutput: number
  /** How much the model may think before it answers; not at all when left out. */
  readonly thinking?: ThinkingEffort
}

export type ThinkingEffort = 'low' | 'medium' | 'high'

/** `done` comes last and carries the whole message; without it the stream was cut. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  /** The arguments of a tool call are being written: nothing to show, but the model is at work. */
  | { readonly type: 'calling' }
  /** What the request has used so far: all that is known of it should it be stopped. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** A request has left, as it may be shown; each time when there are several. */
  | { readonly type: 'sent'; readonly request: WireRequest }
  /** The request failed in passing and is made again after a while. */
  | {
      readonly type: 'retry'
      readonly code: string
      /** Why, in plain English, with the provider's own words. */
      readonly message: string
      /** What the sentence for the code is told with; `reason`: the provider's own words. */
      readonly data: ErrorData
      /** The try that comes: 2 for the first repetition. */
      readonly attempt: number
      /** Tries at most, the first one included. */
      readonly attempts: number
      readonly afterMs: number
      /** Ends the wait. */
      readonly hurry: () => void
    }
  | { readonly type: 'done'; readonly message: AssistantMessage }

export interface ChatModel {
  /** As in the configuration: `offline`, `anthropic/<model>`, … */
  readonly id: string
  readonly provider: string
  readonly model: string
  /** Tokens of one request, answer included. */
  readonly contextWindow: number
  readonly maxOutput: number
  /** Pictures can be part of a message. */
  readonly images: boolean
  /** What it is sent stays on this machine (src/shared/util/locality.ts). */
  readonly isLocal: boolean
  /**
   * Aborting ends the stream and the request behind it.
   * @throws AppError `provider_…` or `context_overflow`, as failures.ts tells them apart
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}

/** What a provider says of one of its models; what it does not say is left out. */
export interface ListedModel {
  readonly name: string
  readonly contextWindow?: number | undefined
  readonly maxOutput?: number | undefined
  readonly images?: boolean | undefined
  /** US dollars for a million tokens. */
  readonly prices?: { readonly input: number; readonly output: number } | undefined
  /** The form in which thinking is asked for. */
  readonly thinking?: 'adaptive' | 'budget' | 'none' | undefined
}

type AssistantPart = AssistantMessage['content'][number]

/** Collects a streamed answer into the message that the transcript keeps. */
export class AnswerDraft {
  readonly content: AssistantPart[] = []
  readonly #model: Pick<ChatModel, 'provider' | 'model'>

  readonly #now: Clock
  #cutCall: string | undefined

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
    else this.content.push({ type: 'thinking', thinking: delta })
  }

  /**
   * A call of a tool, as the server sent it. Results refer to calls by their id, so each has one of its own; a call past
   * the most that are carried out stands for all the others.
   * @param signature what the provider wants to get back with the call, unread
   */
  addCall(id: unknown, name: unknown, json: string, signature?: string): void {
    const others = this.content.filter((part) => part.type === 'toolCall')
    if (others.length > maxToolCalls) return
    const sent = nameOf(id)
    const isUsable = sent !== '' && sent.length <= maxId && others.every((other) => other.id !== sent)
    this.content.push({
      type: 'toolCall',
      id: isUsable ? sent : `call_${randomUUID().slice(0, 8)}_${others.length}`,
      // Nobody takes a call without a name back.
      name: nameOf(name).slice(0, maxId) || 'unnamed',
      arguments: parseArguments(json),
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    })
  }

  /** A call that the limit cut through is none; only the name of its tool is told. */
  cutCall(name: unknown): void {
    this.#cutCall = nameOf(name).slice(0, maxId) || undefined
  }

  finish(
    stopReason: StopReason,
    usage: Usage,
    failure?: { code: string; message: string; data?: ErrorData },
  ): AssistantMessage {
    return {
      role: 'assistant',
      content: this.content.map(wellFormed).filter((part) => {
        if (part.type === 'text') return part.text !== ''
        return part.type !== 'thinking' || part.thinking !== '' || part.thinkingSignature !== undefined
      }),
      provider: this.#model.provider,
      model: this.#model.model,
      usage,
      stopReason,
      ...(stopReason === 'length' && this.#cutCall !== undefined && { cutCall: this.#cutCall }),
      ...(failure ? { errorCode: failure.code, errorMessage: failure.message, errorData: failure.data ?? {} } : {}),
      timestamp: this.#now().getTime(),
    }
  }
}

/** A letter that came in two halves is whole by now; half a letter is none. */
function wellFormed(part: AssistantPart): AssistantPart {
  if (part.type === 'text') return { ...part, text: part.text.toWellFormed() }
  return part.type === 'thinking' ? { ...part, thinking: part.thinking.toWellFormed() } : part
}

/** The arguments of a call while they stream; what is too long is counted and let go. */
export class ArgumentsDraft {
  #json = ''
  #length = 0

  add(delta: string): void {
    this.#length += delta.length
    if (this.#length <= maxArguments) this.#json += delta
    else this.#json = ''
  }

  /** As `addCall` takes them. */
  get json(): string {
    return this.#length > maxArguments ? JSON.stringify({ [argumentsTooLong]: this.#length }) : this.#json
  }
}

/** Stands in the place of arguments that were not kept, with their length. */
export const argumentsTooLong = 'argumentsTooLong'

/** True for the arguments of a call that came to their end: a JSON object, and not the nothing before it. */
export function isWholeCall(json: string): boolean {
  return isShallow(json) && isRecord(parseJson(json))
}

/**
 * A tool call's arguments. What is no JSON object is passed on as it came, so that the tool's own check can tell the
 * model what was wrong with it.
 */
function parseArguments(json: string): Record<string, unknown> {
  if (json.length > maxArguments) return { [argumentsTooLong]: json.length }
  if (json.trim() === '') return {}
  // What nests without end is nothing that a tool takes, and more than some parsers do.
  if (!isShallow(json)) return { invalidJson: json.slice(0, maxBrokenArguments) }
  const value = parseJson(json)
  if (isRecord(value)) return { ...value }
  return { invalidJson: json.slice(0, maxBrokenArguments) }
}

/** @param onSent told how it goes over the wire @throws AppError as `stream` does, and `provider_unavailable` when the answer broke off */
export async function ask(
  model: ChatModel,
  request: ModelRequest,
  signal: AbortSignal,
  onSent?: (request: WireRequest) => Promise<void>,
): Promise<AssistantMessage> {
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'sent') await onSent?.(event.request)
    if (event.type === 'done') return event.message
  }
  throw new AppError('provider_unavailable', `${model.id} broke off in the middle of the answer`, {
    provider: model.provider,
  })
}
