/** What every chat provider offers. The loop speaks this; each provider converts to its wire format at its own edge. */
import type { AssistantMessage, Message, StopReason, Usage } from '../../shared/messages.ts'

/** A tool as a model is told of it; `parameters` is a JSON Schema object. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: Record<string, unknown>
}

export interface ModelRequest {
  /** Blocks, from the one that changes least to the one that changes most; a provider may cache each prefix. */
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** Most tokens of the answer. */
  readonly maxOutput: number
}

/** `done` comes last and carries the whole message; without it the stream was cut. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  | { readonly type: 'done'; readonly message: AssistantMessage }

export interface ChatModel {
  /** As in the configuration: `offline`, `anthropic/<model>`, … */
  readonly id: string
  readonly provider: string
  readonly model: string
  /** Tokens of one request, answer included. */
  readonly contextWindow: number
  readonly maxOutput: number
  /**
   * Aborting ends the stream and the request behind it.
   * @throws AppError `provider_auth`, `provider_rate_limited`, `provider_unavailable`, `context_overflow`, `provider_error`
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}

/** How to reach a provider. */
export interface ProviderOptions {
  readonly apiKey: string
  readonly baseUrl: string | undefined
  readonly timeoutMs: number
}

type AssistantPart = AssistantMessage['content'][number]

/** Collects a streamed answer into the message that the transcript keeps. */
export class AnswerDraft {
  readonly content: AssistantPart[] = []
  readonly #model: Pick<ChatModel, 'provider' | 'model'>

  constructor(model: Pick<ChatModel, 'provider' | 'model'>) {
    this.#model = model
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

  finish(stopReason: StopReason, usage: Usage, failure?: { code: string; message: string }): AssistantMessage {
    return {
      role: 'assistant',
      content: this.content.filter((part) => part.type !== 'text' || part.text !== ''),
      provider: this.#model.provider,
      model: this.#model.model,
      usage,
      stopReason,
      ...(failure ? { errorCode: failure.code, errorMessage: failure.message } : {}),
      timestamp: Date.now(),
    }
  }
}

/**
 * A tool call's arguments. What is no JSON object is passed on as it came, so that the tool's own check can tell the
 * model what was wrong with it.
 */
export function parseArguments(json: string): Record<string, unknown> {
  if (json.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return { invalidJson: json }
}
