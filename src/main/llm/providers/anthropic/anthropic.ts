import Anthropic from '@anthropic-ai/sdk'
import { maxId, maxModels, maxToolCalls } from '#shared/util/limits.ts'
import type { AssistantMessage, StopReason, Usage } from '#shared/chat/messages.ts'
import { thinkingForm, toMessagesRequest, type ThinkingForm } from './anthropic-request.ts'
import type { ListedModel } from '../../catalog/model-lists.ts'
import { createFailure, readStream, toProviderError } from '../../middleware/provider-failures.ts'
import { AnswerDraft, ArgumentsDraft, isCompleteJsonObject, type ModelEvent, type ModelRequest } from '../../model.ts'
import { asObject, asIndex, asArray, asIdText, asText, asTokenCount } from '../../middleware/lenient-json.ts'
import { clientOptions, type ProviderOptions } from '../../middleware/provider-fetch.ts'

const provider = 'anthropic'

/** @param model name without provider @throws AppError as `ChatModel.stream` */
export async function* streamAnthropic(
  model: string,
  options: ProviderOptions,
  request: ModelRequest,
  signal: AbortSignal,
  thinking: ThinkingForm = thinkingForm(model),
): AsyncGenerator<ModelEvent> {
  const client = clientOf(options)
  const body = toMessagesRequest(provider, model, request, thinking)
  const answer = new MessagesAnswer(new AnswerDraft({ provider, model }, options.now))
  yield* readStream(Anthropic, provider, answer, () => client.messages.create(body, { signal }), signal)
  if (!answer.hasEnded) throw createFailure('provider_cut', provider)
  yield { type: 'done', message: answer.finish() }
}

/** Lists the models that the key may use. @throws AppError `provider_…`, or the abort error */
export async function listAnthropicModels(options: ProviderOptions, signal: AbortSignal): Promise<ListedModel[]> {
  const models: ListedModel[] = []
  try {
    for await (const info of clientOf(options).models.list({ limit: 100 }, { signal })) {
      const listed = toListedModel(asObject(info) as Partial<Anthropic.ModelInfo>)
      if (listed.name !== '') models.push(listed)
      if (models.length >= maxModels) break
    }
    return models
  } catch (error) {
    throw toProviderError(Anthropic, error, provider)
  }
}

/** Older and compatible servers leave out most fields. */
function toListedModel({ id, max_input_tokens, max_tokens, capabilities }: Partial<Anthropic.ModelInfo>): ListedModel {
  const types = capabilities?.thinking?.types
  return {
    name: asIdText(id).slice(0, maxId),
    contextWindow: max_input_tokens ?? undefined,
    maxOutput: max_tokens ?? undefined,
    images: capabilities?.image_input?.supported,
    thinking: types && (types.adaptive?.supported ? 'adaptive' : types.enabled?.supported ? 'budget' : 'none'),
  }
}

function clientOf(options: ProviderOptions): Anthropic {
  return new Anthropic(clientOptions(provider, options))
}

interface CallDraft {
  readonly id: unknown
  readonly name: unknown
  /** Input at the start of the block. Usually empty: most servers send it in deltas. */
  readonly input: unknown
  readonly arguments: ArgumentsDraft
}

type Thought = Extract<AssistantMessage['content'][number], { type: 'thinking' }>

class MessagesAnswer {
  readonly #draft: AnswerDraft
  readonly #calls = new Map<number, CallDraft>()
  /** Thinking blocks by index; each has its own signature. */
  readonly #thoughts = new Map<number, Thought>()
  #id: string | undefined
  #usage: Usage | undefined
  #stopReason: unknown
  /** The last call, if its arguments were incomplete. */
  #possiblyCutCall: AssistantMessage['content'][number] | undefined
  #hasEnded = false

  constructor(draft: AnswerDraft) {
    this.#draft = draft
  }

  get hasEnded(): boolean {
    return this.#hasEnded || asIdText(this.#stopReason) !== ''
  }

  *addEvent(event: Readonly<Record<string, unknown>>): Generator<ModelEvent> {
    const index = asIndex(event['index']) ?? -1
    switch (event['type']) {
      case 'message_start':
        yield* this.#startMessage(asObject(event['message']))
        break
      case 'content_block_start':
        yield* this.#openBlock(index, asObject(event['content_block']))
        break
      case 'content_block_delta':
        yield* this.#addDelta(index, asObject(event['delta']))
        break
      case 'content_block_stop':
        this.#closeBlock(index)
        break
      case 'message_delta':
        this.#stopReason = asObject(event['delta'])['stop_reason'] ?? this.#stopReason
        this.#usage = toUsage(asObject(event['usage']), this.#usage)
        break
      case 'message_stop':
        this.#hasEnded = true
        break
      default:
    }
  }

  finish(): AssistantMessage {
    for (const [index, call] of this.#calls)
      if (isCompleteJsonObject(call.arguments.json)) this.#closeBlock(index)
      else this.#draft.recordCutCall(call.name)
    const stopReason = toStopReason(this.#stopReason)
    const last = this.#draft.content.at(-1)
    if (stopReason === 'length' && last?.type === 'toolCall' && last === this.#possiblyCutCall) {
      this.#draft.content.pop()
      this.#draft.recordCutCall(last.name)
    }
    const usage = this.#usage ?? toUsage({}, undefined)
    return this.#stopReason === 'refusal'
      ? this.#draft.finish('error', usage, createFailure('provider_refused', provider))
      : this.#draft.finish(stopReason, usage)
  }

  /** @throws AppError `provider_cut` if another message begins before this one has ended */
  *#startMessage(message: Readonly<Record<string, unknown>>): Generator<ModelEvent> {
    const id = asIdText(message['id'])
    const isNewMessage = this.#id !== undefined && id !== this.#id
    if (isNewMessage && !this.hasEnded && (this.#draft.content.length > 0 || this.#calls.size > 0))
      throw createFailure('provider_cut', provider)
    this.#id = id
    this.#usage = toUsage(asObject(message['usage']), this.#usage)
    yield { type: 'usage', usage: this.#usage }
    // The server sent the whole message at once.
    const blocks = asArray(message['content'])
    for (const [index, block] of blocks.entries()) {
      yield* this.#openBlock(index, asObject(block))
      this.#closeBlock(index)
    }
    if (blocks.length > 0) this.#stopReason = message['stop_reason'] ?? this.#stopReason
  }

  *#openBlock(index: number, block: Readonly<Record<string, unknown>>): Generator<ModelEvent> {
    const { type, id, name, data, input, text, thinking, signature } = block
    if (type === 'tool_use' && this.#calls.size <= maxToolCalls)
      this.#calls.set(index, { id, name, input, arguments: new ArgumentsDraft() })
    else if (type === 'redacted_thinking')
      this.#draft.content.push({ type: 'thinking', thinking: '', thinkingSignature: asText(data), redacted: true })
    else if (type === 'thinking') {
      const thought: Thought = { type: 'thinking', thinking: '' }
      this.#draft.content.push(thought)
      this.#thoughts.set(index, thought)
      yield* this.#addDelta(index, { type: 'thinking_delta', thinking })
      yield* this.#addDelta(index, { type: 'signature_delta', signature })
    } else if (type === 'text') yield* this.#addDelta(index, { type: 'text_delta', text })
  }

  *#addDelta(index: number, delta: Readonly<Record<string, unknown>>): Generator<ModelEvent> {
    switch (delta['type']) {
      case 'text_delta': {
        const text = asText(delta['text'])
        if (text === '') break
        this.#draft.addText(text)
        yield { type: 'text', delta: text }
        break
      }
      case 'thinking_delta': {
        const thinking = asText(delta['thinking'])
        if (thinking === '') break
        const thought = this.#thoughts.get(index)
        if (thought) thought.thinking += thinking
        else this.#draft.addThinking(thinking)
        yield { type: 'thinking', delta: thinking }
        break
      }
      case 'signature_delta': {
        const thought = this.#thoughts.get(index)
        const signature = (thought?.thinkingSignature ?? '') + asText(delta['signature'])
        if (thought && signature !== '') thought.thinkingSignature = signature
        break
      }
      case 'input_json_delta':
        this.#calls.get(index)?.arguments.add(asText(delta['partial_json']))
        yield { type: 'calling' }
        break
      default:
    }
  }

  #closeBlock(index: number): void {
    const call = this.#calls.get(index)
    if (!call) return
    this.#calls.delete(index)
    const { json } = call.arguments
    const initialInput = JSON.stringify(call.input ?? {})
    this.#draft.addCall(call.id, call.name, json.trim() === '' ? initialInput : json)
    this.#possiblyCutCall = isCompleteJsonObject(json) || initialInput !== '{}' ? undefined : this.#draft.content.at(-1)
  }
}

/** Later counts replace earlier ones: the stream begins with the input and ends with the output. */
function toUsage(wire: Readonly<Record<string, unknown>>, before: Usage | undefined): Usage {
  const input = asTokenCount(wire['input_tokens']) ?? before?.input ?? 0
  const output = asTokenCount(wire['output_tokens']) ?? before?.output ?? 0
  const cacheRead = asTokenCount(wire['cache_read_input_tokens']) ?? before?.cacheRead ?? 0
  const cacheWrite = asTokenCount(wire['cache_creation_input_tokens']) ?? before?.cacheWrite ?? 0
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite }
}

function toStopReason(reason: unknown): StopReason {
  if (reason === 'tool_use') return 'toolUse'
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' ? 'length' : 'stop'
}
