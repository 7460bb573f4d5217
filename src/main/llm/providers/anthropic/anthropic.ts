import Anthropic from '@anthropic-ai/sdk'
import { maxId, maxModels, maxToolCalls } from '#shared/util/limits.ts'
import type { AssistantMessage, StopReason, Usage, Message } from '#shared/chat/messages.ts'
import type { ListedModel } from '../../catalog/catalog.ts'
import { createFailure, readStream, toProviderError } from '../../middleware/provider-failures.ts'
import { AnswerDraft, isCompleteJsonObject, type ModelEvent, type ModelRequest, type Thought } from '../../model.ts'
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
  const client = new Anthropic(clientOptions(provider, options))
  const body = toMessagesRequest(model, request, thinking)
  const answer = new MessagesAnswer(new AnswerDraft({ provider, model }, options.now))
  yield* readStream(Anthropic, provider, answer, () => client.messages.create(body, { signal }), signal)
  if (!answer.hasEnded) throw createFailure('provider_cut', provider)
  yield { type: 'done', message: answer.finish() }
}

/** @throws AppError `provider_…`, or the abort error */
export async function listAnthropicModels(options: ProviderOptions, signal: AbortSignal): Promise<ListedModel[]> {
  const models: ListedModel[] = []
  try {
    const client = new Anthropic(clientOptions(provider, options))
    for await (const info of client.models.list({ limit: 100 }, { signal })) {
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

class MessagesAnswer {
  readonly #draft: AnswerDraft
  /** Calls by index. `input`: at the start of the block; usually empty, as most servers send it in deltas. */
  readonly #calls = new Map<number, { id: unknown; name: unknown; input: unknown; json: string }>()
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
      if (isCompleteJsonObject(call.json)) this.#closeBlock(index)
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
    if (type === 'tool_use' && this.#calls.size <= maxToolCalls) this.#calls.set(index, { id, name, input, json: '' })
    else if (type === 'redacted_thinking')
      this.#draft.content.push({ type: 'thinking', thinking: '', thinkingSignature: asText(data), redacted: true })
    else if (type === 'thinking') {
      this.#thoughts.set(index, this.#draft.openThought())
      yield* this.#addDelta(index, { type: 'thinking_delta', thinking })
      yield* this.#addDelta(index, { type: 'signature_delta', signature })
    } else if (type === 'text') yield* this.#addDelta(index, { type: 'text_delta', text })
  }

  *#addDelta(index: number, delta: Readonly<Record<string, unknown>>): Generator<ModelEvent> {
    const [thought, call] = [this.#thoughts.get(index), this.#calls.get(index)]
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
        if (thought) thought.thinking += thinking
        else this.#draft.addThinking(thinking)
        yield { type: 'thinking', delta: thinking }
        break
      }
      case 'signature_delta': {
        const signature = (thought?.thinkingSignature ?? '') + asText(delta['signature'])
        if (thought && signature !== '') thought.thinkingSignature = signature
        break
      }
      case 'input_json_delta':
        if (call) call.json += asText(delta['partial_json'])
        yield { type: 'calling' }
        break
      default:
    }
  }

  #closeBlock(index: number): void {
    const call = this.#calls.get(index)
    if (!call) return
    this.#calls.delete(index)
    const { json } = call
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

type ThinkingForm = NonNullable<ListedModel['thinking']>

/** Derives the form of the thinking parameter from a model's name, without provider. */
function thinkingForm(model: string): ThinkingForm {
  if (/claude-(2|instant|3-(opus|sonnet|haiku|5))/.test(model)) return 'none'
  return /claude-(3-7|(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$)/.test(model) ? 'budget' : 'adaptive'
}

/** Thinking tokens of models with a budget; the API requires at least 1024 and less than `maxOutput`. */
const thinkingBudgets = { low: 2048, medium: 8192, high: 24_000 } as const
const minThinkingTokens = 1024

function thinkingParams(
  { thinking, maxOutput }: ModelRequest,
  messages: readonly Anthropic.MessageParam[],
  form: ThinkingForm,
): Pick<Anthropic.MessageCreateParams, 'thinking' | 'output_config'> {
  if (thinking === undefined || form === 'none') return {}
  if (form === 'adaptive')
    return { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: thinking } }
  const budget = Math.min(thinkingBudgets[thinking], Math.floor(maxOutput / 2))
  return budget < minThinkingTokens || continuesWithoutThinking(messages)
    ? {}
    : { thinking: { type: 'enabled', budget_tokens: budget } }
}

/** With a budget, the API refuses a tool turn whose earlier answers do not begin with the same model's thinking. */
function continuesWithoutThinking(messages: readonly Anthropic.MessageParam[]): boolean {
  const lastUserIndex = messages.findLastIndex(
    ({ role, content }) =>
      role === 'user' && (typeof content === 'string' || content.every(({ type }) => type !== 'tool_result')),
  )
  return messages
    .slice(lastUserIndex + 1)
    .some(({ role, content }) => role === 'assistant' && typeof content !== 'string' && !isThinkingBlock(content[0]))
}

function isThinkingBlock(block: Anthropic.ContentBlockParam | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking'
}

function toMessagesRequest(
  model: string,
  request: ModelRequest,
  thinking: ThinkingForm,
): Anthropic.MessageCreateParamsStreaming {
  const { system, tools, maxOutput, answerSchema: schema } = request
  const messages = toWireMessages(model, request.messages)
  const { output_config, ...params } = thinkingParams(request, messages, thinking)
  return {
    ...params,
    ...((output_config ?? schema) && {
      output_config: { ...output_config, ...(schema && { format: { type: 'json_schema', schema } }) },
    }),
    model,
    max_tokens: maxOutput,
    stream: true,
    system: system.map((text) => ({ type: 'text' as const, text, cache_control: { type: 'ephemeral' as const } })),
    messages: withCachedPrefix(messages),
    tools: tools.map(({ name, description, parameters }) => {
      return { name, description, input_schema: { ...parameters, type: 'object' as const } }
    }),
  }
}

/** Marks the last block for caching: the chat is the prefix of the next request. */
function withCachedPrefix(messages: Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const last = messages.at(-1)
  if (!last || typeof last.content === 'string') return messages
  const blocks: readonly Anthropic.ContentBlockParam[] = last.content
  const content = blocks.map((block, index) =>
    index === blocks.length - 1 && !isThinkingBlock(block)
      ? ({ ...block, cache_control: { type: 'ephemeral' } } as Anthropic.ContentBlockParam)
      : block,
  )
  return [...messages.slice(0, -1), { ...last, content } as Anthropic.MessageParam]
}

/** Merges results of parallel calls into one user message directly after the calls, as the API requires. */
function toWireMessages(model: string, messages: readonly Message[]): Anthropic.MessageParam[] {
  const wire: { role: 'user' | 'assistant'; content: Anthropic.ContentBlockParam[] }[] = []
  const push = (role: 'user' | 'assistant', content: Anthropic.ContentBlockParam[]) => {
    const last = wire.at(-1)
    if (content.length === 0) return
    if (last?.role === role) last.content.push(...content)
    else wire.push({ role, content })
  }
  for (const message of messages) {
    if (message.role === 'user') push('user', userBlocks(message.content))
    else if (message.role === 'toolResult') {
      const { toolCallId: tool_use_id, isError: is_error } = message
      push('user', [{ type: 'tool_result', tool_use_id, is_error, content: userBlocks(message.content) }])
    } else {
      // The API accepts only thinking that the same model signed.
      const isSameModel = message.provider === provider && message.model === model
      const parts = message.content.filter(({ type }) => isSameModel || type !== 'thinking')
      push('assistant', parts.flatMap(assistantBlock))
    }
  }
  return wire
}

function userBlocks(content: Extract<Message, { role: 'user' }>['content']) {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text' as const, text: content }]
  return content.map((part): Anthropic.TextBlockParam | Anthropic.ImageBlockParam => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const media_type = part.mimeType as Anthropic.Base64ImageSource['media_type']
    return { type: 'image', source: { type: 'base64', data: part.data, media_type } }
  })
}

function assistantBlock(part: AssistantMessage['content'][number]): Anthropic.ContentBlockParam[] {
  if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
  if (part.type === 'toolCall') return [{ type: 'tool_use', id: part.id, name: part.name, input: part.arguments }]
  if (part.redacted) return [{ type: 'redacted_thinking', data: part.thinkingSignature ?? '' }]
  // Thinking without a signature comes from another model and would be refused.
  return part.thinkingSignature === undefined
    ? []
    : [{ type: 'thinking', thinking: part.thinking, signature: part.thinkingSignature }]
}
