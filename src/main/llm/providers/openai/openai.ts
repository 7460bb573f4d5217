import OpenAI from 'openai'
import { type ModelEvent, type ModelRequest, type Thought, AnswerDraft } from '../../model.ts'
import { streamChat } from './openai-chat.ts'
import type { OpenAiProvider } from './openai-client.ts'
import { clientOptions, type ProviderOptions } from '../../middleware/provider-fetch.ts'
import { parseJson } from '#shared/util/json.ts'
import { messageText, noUsage, type AssistantMessage, type Message, type Usage } from '#shared/chat/messages.ts'
import type { Clock } from '#platform'
import { createFailure, readStream, toStreamError } from '../../middleware/provider-failures.ts'
import { asArguments, asObject, asIndex, asArray, asText, asTokenCount } from '../../middleware/lenient-json.ts'

const baseUrlsWithoutResponses = new Set<string>()

/** @param model name without provider @throws AppError as `ChatModel.stream` */
export async function* streamOpenAi(
  provider: OpenAiProvider,
  model: string,
  options: ProviderOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const watch = { isDone: false }
  const client = new OpenAI(clientOptions(provider, options, watch))
  if (provider === 'openai' && !baseUrlsWithoutResponses.has(client.baseURL)) {
    try {
      return yield* streamResponses(client, model, request, signal, options.now)
    } catch (error) {
      if (!isMissingEndpoint(error)) throw error
      baseUrlsWithoutResponses.add(client.baseURL)
    }
  }
  yield* streamChat({ provider, model, client, watch }, request, signal, options.now)
}

/** Returns true if the endpoint is missing. A 404 for a missing model differs by the word `model` in its message. */
function isMissingEndpoint(error: unknown): boolean {
  const { cause } = error as { cause?: unknown }
  if (!(cause instanceof OpenAI.APIError)) return false
  return cause.status === 405 || (cause.status === 404 && !/model/i.test(cause.message))
}

const provider = 'openai'

type InputItem = OpenAI.Responses.ResponseInputItem

async function* streamResponses(
  client: OpenAI,
  model: string,
  request: ModelRequest,
  signal: AbortSignal,
  now?: Clock,
): AsyncGenerator<ModelEvent> {
  const answer = new ResponsesAnswer(new AnswerDraft({ provider, model }, now))
  const body = toRequestBody(model, request)
  yield* readStream(OpenAI, provider, answer, () => client.responses.create(body, { signal }), signal)
  yield* answer.emitUnstreamed()
  yield { type: 'done', message: answer.finish() }
}

const separator = '\n\n'

class ResponsesAnswer {
  readonly #draft: AnswerDraft
  /** Thinking by output index; some proxies change ids. */
  readonly #thoughts = new Map<number, Thought>()
  readonly #streamedItems = new Set<number>()
  readonly #openCalls = new Map<number, unknown>()
  /** Index of the last thinking part, by output index. */
  #lastPartByItem = new Map<number, number>()
  #lastMessageIndex: number | undefined
  #response: Readonly<Record<string, unknown>> | undefined
  #isRefused = false

  constructor(draft: AnswerDraft) {
    this.#draft = draft
  }

  get hasEnded(): boolean {
    return this.#response !== undefined
  }

  /** @throws AppError if the event reports a failure */
  *addEvent(event: Readonly<Record<string, unknown>>): Generator<ModelEvent> {
    const delta = asText(event['delta'])
    const outputIndex = asIndex(event['output_index']) ?? -1
    const item = asObject(event['item'])
    switch (event['type']) {
      case 'response.created':
        this.#thoughts.clear()
        this.#streamedItems.clear()
        this.#openCalls.clear()
        this.#lastPartByItem = new Map()
        break
      case 'response.output_item.added':
        if (item['type'] === 'reasoning') this.#thoughtAt(outputIndex)
        if (item['type'] === 'function_call') this.#openCalls.set(outputIndex, item['name'])
        break
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#isRefused ||= event['type'] === 'response.refusal.delta'
        yield* this.#addText(outputIndex, delta)
        break
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        yield* this.#addThinking(outputIndex, asIndex(event['summary_index'] ?? event['content_index']) ?? 0, delta)
        break
      case 'response.function_call_arguments.delta':
        yield { type: 'calling' }
        break
      case 'response.output_item.done':
        yield* this.#addItem(outputIndex, item)
        break
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#response = asObject(event['response'])
        break
      case 'error':
        throw toStreamError(provider, event['error'] ?? event)
      default:
    }
  }

  /** Emits the items of the final response if none was streamed. @throws AppError, `provider_cut` without a final response */
  *emitUnstreamed(): Generator<ModelEvent> {
    const response = this.#response
    if (!response) throw createFailure('provider_cut', provider)
    if (response['status'] === 'failed') throw toStreamError(provider, response['error'])
    if (this.#draft.content.some((part) => part.type !== 'thinking' || part.thinking !== '')) return
    for (const [outputIndex, item] of asArray(response['output']).entries())
      yield* this.#addItem(outputIndex, asObject(item))
  }

  finish(): AssistantMessage {
    const { usage: wireUsage, incomplete_details } = this.#response ?? {}
    const usage = wireUsage ? toUsage(asObject(wireUsage)) : noUsage
    const { reason } = asObject(incomplete_details)
    if (this.#isRefused || reason === 'content_filter')
      return this.#draft.finish('error', usage, createFailure('provider_refused', provider))
    for (const name of this.#openCalls.values()) this.#draft.recordCutCall(name)
    if (this.#draft.content.some((part) => part.type === 'toolCall')) return this.#draft.finish('toolUse', usage)
    return this.#draft.finish(reason === 'max_output_tokens' ? 'length' : 'stop', usage)
  }

  *#addText(outputIndex: number, delta: string): Generator<ModelEvent> {
    if (delta === '') return
    const isNewMessage = this.#lastMessageIndex !== undefined && this.#lastMessageIndex !== outputIndex
    const text = isNewMessage && this.#draft.content.at(-1)?.type === 'text' ? separator + delta : delta
    this.#lastMessageIndex = outputIndex
    this.#streamedItems.add(outputIndex)
    this.#draft.addText(text)
    yield { type: 'text', delta: text }
  }

  *#addThinking(outputIndex: number, part: number, delta: string): Generator<ModelEvent> {
    if (delta === '') return
    const thought = this.#thoughtAt(outputIndex)
    const isNewPart = thought.thinking !== '' && (this.#lastPartByItem.get(outputIndex) ?? part) !== part
    this.#lastPartByItem.set(outputIndex, part)
    const text = isNewPart ? separator + delta : delta
    thought.thinking += text
    yield { type: 'thinking', delta: text }
  }

  #thoughtAt(outputIndex: number): Thought {
    const thought = this.#thoughts.get(outputIndex) ?? this.#draft.openThought()
    this.#thoughts.set(outputIndex, thought)
    return thought
  }

  *#addItem(outputIndex: number, item: Readonly<Record<string, unknown>>): Generator<ModelEvent> {
    if (item['type'] === 'function_call') {
      this.#openCalls.delete(outputIndex)
      if (item['status'] === 'incomplete') this.#draft.recordCutCall(item['name'])
      else this.#draft.addCall(item['call_id'], item['name'], asArguments(item['arguments']))
    } else if (item['type'] === 'message') {
      if (this.#streamedItems.has(outputIndex) || this.#streamedItems.has(-1)) return
      this.#isRefused ||= asArray(item['content']).some((part) => asObject(part)['type'] === 'refusal')
      for (const part of asArray(item['content']))
        yield* this.#addText(outputIndex, asText(asObject(part)['text'] ?? asObject(part)['refusal']))
    } else if (item['type'] === 'reasoning') {
      // Deltas without an output index are stored at -1.
      const wasUnnumbered = !this.#thoughts.has(outputIndex) && this.#thoughts.has(-1)
      const thought = this.#thoughtAt(wasUnnumbered ? -1 : outputIndex)
      if (thought.thinking === '') {
        const parts = [...asArray(item['summary']), ...asArray(item['content'])]
        for (const [index, part] of parts.entries())
          yield* this.#addThinking(outputIndex, index, asText(asObject(part)['text']))
      }
      // Only encrypted thinking can be sent back.
      if (asText(item['encrypted_content']) !== '') thought.thinkingSignature = JSON.stringify(item)
    }
  }
}

function toRequestBody(
  model: string,
  { system, messages, tools, maxOutput, thinking, answerSchema: schema }: ModelRequest,
): OpenAI.Responses.ResponseCreateParamsStreaming {
  return {
    model,
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    instructions: system.join('\n\n'),
    max_output_tokens: maxOutput,
    input: messages.flatMap((message) => toItems(model, message)),
    ...(thinking === undefined ? {} : { reasoning: { effort: thinking, summary: 'auto' as const } }),
    ...(schema && { text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } } }),
    tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })),
  }
}

function toItems(model: string, message: Message): InputItem[] {
  if (message.role === 'user') return [{ role: 'user', content: inputContent(message.content) }]
  if (message.role === 'toolResult') {
    const hasImage = message.content.some((part) => part.type === 'image')
    const output = hasImage ? inputContent(message.content) : messageText(message)
    return [{ type: 'function_call_output', call_id: message.toolCallId, output }]
  }
  // The API accepts only thinking that the same model encrypted, followed by its output.
  const isSameModel = message.provider === provider && message.model === model
  const lastOutput = message.content.findLastIndex((part) => part.type !== 'thinking')
  return message.content.flatMap((part, index): InputItem[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ role: 'assistant', content: part.text }]
    if (part.type === 'toolCall')
      return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: JSON.stringify(part.arguments) }]
    const item = isSameModel && index < lastOutput ? reasoningItem(part.thinkingSignature) : undefined
    return item ? [item] : []
  })
}

function reasoningItem(signature: string | undefined): OpenAI.Responses.ResponseReasoningItem | undefined {
  const { type, id, summary, encrypted_content } = asObject(parseJson(signature ?? ''))
  if (type !== 'reasoning' || typeof encrypted_content !== 'string' || encrypted_content === '') return undefined
  const parts = asArray(summary) as OpenAI.Responses.ResponseReasoningItem['summary']
  return { type, id: asText(id), summary: parts, encrypted_content }
}

function inputContent(
  content: Extract<Message, { role: 'user' }>['content'],
): OpenAI.Responses.ResponseInputMessageContentList {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return parts.map((part) =>
    part.type === 'text'
      ? { type: 'input_text', text: part.text }
      : { type: 'input_image', detail: 'auto', image_url: `data:${part.mimeType};base64,${part.data}` },
  )
}

function toUsage(wire: Readonly<Record<string, unknown>>): Usage {
  const details = asObject(wire['input_tokens_details'])
  const cacheRead = asTokenCount(details['cached_tokens']) ?? 0
  const cacheWrite = asTokenCount(details['cache_write_tokens']) ?? 0
  const all = asTokenCount(wire['input_tokens']) ?? 0
  const output = asTokenCount(wire['output_tokens']) ?? 0
  const input = Math.max(0, all - cacheRead - cacheWrite)
  return { input, output, cacheRead, cacheWrite, totalTokens: all + output }
}
