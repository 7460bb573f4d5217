/**
 * OpenAI's Responses API. Nothing is kept on the provider's side: each request carries the whole conversation, and the
 * model's reasoning goes back as the encrypted items in which it came.
 */
import OpenAI from 'openai'
import { messageText, noUsage, type Message, type Usage } from '../../shared/messages.ts'
import type { Clock } from '../clock.ts'
import { failure, providerFailure } from './failures.ts'
import { AnswerDraft, type ModelEvent, type ModelRequest } from './model.ts'
import { explainOpenAi } from './openai-client.ts'
import { fieldsOf, nameOf, textOf, tokensOf } from './wire.ts'

const provider = 'openai'

type InputItem = OpenAI.Responses.ResponseInputItem

export async function* streamResponses(
  client: OpenAI,
  model: string,
  request: ModelRequest,
  signal: AbortSignal,
  now?: Clock,
): AsyncGenerator<ModelEvent> {
  const draft = new AnswerDraft({ provider, model }, now)
  let response: Readonly<Record<string, unknown>> | undefined
  let isRefused = false
  let hasBegun = false
  try {
    const events = await client.responses.create(toWire(model, request), { signal })
    hasBegun = true
    for await (const event of events) {
      switch (event.type) {
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          isRefused ||= event.type === 'response.refusal.delta'
          draft.addText(textOf(event.delta))
          yield { type: 'text', delta: textOf(event.delta) }
          break
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          draft.addThinking(textOf(event.delta))
          yield { type: 'thinking', delta: textOf(event.delta) }
          break
        case 'response.function_call_arguments.delta':
          yield { type: 'calling' }
          break
        case 'response.output_item.done':
          collect(draft, fieldsOf(event.item))
          break
        case 'response.completed':
        case 'response.incomplete':
        case 'response.failed':
          response = fieldsOf(event.response)
          break
        case 'error':
          throw failed(event)
        default:
      }
    }
  } catch (error) {
    throw explainOpenAi(error, provider, hasBegun)
  }
  if (!response) throw failure('provider_cut', provider)
  if (response['status'] === 'failed') throw failed(response['error'])
  yield { type: 'done', message: finished(draft, response, isRefused) }
}

function finished(draft: AnswerDraft, response: Readonly<Record<string, unknown>>, isRefused: boolean) {
  const usage = response['usage'] ? toUsage(fieldsOf(response['usage'])) : noUsage
  const { reason } = fieldsOf(response['incomplete_details'])
  if (isRefused || reason === 'content_filter')
    return draft.finish('error', usage, failure('provider_refused', provider))
  if (draft.content.some((part) => part.type === 'toolCall')) return draft.finish('toolUse', usage)
  return draft.finish(reason === 'max_output_tokens' ? 'length' : 'stop', usage)
}

/** Calls and reasoning are taken whole, when their item is complete; text has streamed by then. */
function collect(draft: AnswerDraft, item: Readonly<Record<string, unknown>>): void {
  if (item['type'] === 'function_call') draft.addCall(item['call_id'], item['name'], textOf(item['arguments']))
  else if (item['type'] === 'reasoning') {
    const last = draft.content.at(-1)
    const isShown = last?.type === 'thinking' && last.thinkingSignature === undefined
    if (isShown) last.thinkingSignature = JSON.stringify(item)
    else draft.content.push({ type: 'thinking', thinking: '', thinkingSignature: JSON.stringify(item) })
  }
}

function failed(error: unknown): Error {
  const code = nameOf(fieldsOf(error)['code'])
  const message = textOf(fieldsOf(error)['message'])
  const isServerError = code === 'server_error'
  return providerFailure({
    provider,
    status: code === 'rate_limit_exceeded' ? 429 : isServerError ? 500 : 400,
    kind: code,
    message,
    isTimeout: false,
    hasBegun: true,
    headers: undefined,
    cause: undefined,
  })
}

function toWire(
  model: string,
  { system, messages, tools, maxOutput, thinking }: ModelRequest,
): OpenAI.Responses.ResponseCreateParamsStreaming {
  return {
    model,
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    instructions: system.join('\n\n'),
    max_output_tokens: maxOutput,
    input: messages.flatMap(toItems),
    ...(thinking === undefined ? {} : { reasoning: { effort: thinking, summary: 'auto' as const } }),
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      name,
      description,
      parameters,
      strict: false,
    })),
  }
}

function toItems(message: Message): InputItem[] {
  if (message.role === 'user') return [{ role: 'user', content: inputContent(message.content) }]
  if (message.role === 'toolResult') {
    const hasImage = message.content.some((part) => part.type === 'image')
    const output = hasImage ? inputContent(message.content) : messageText(message)
    return [{ type: 'function_call_output', call_id: message.toolCallId, output }]
  }
  return message.content.flatMap((part): InputItem[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ role: 'assistant', content: part.text }]
    if (part.type === 'toolCall')
      return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: JSON.stringify(part.arguments) }]
    const item = message.provider === provider ? reasoningItem(part.thinkingSignature) : undefined
    return item ? [item] : []
  })
}

/** Only what this provider encrypted itself can go back to it. */
function reasoningItem(signature: string | undefined): OpenAI.Responses.ResponseReasoningItem | undefined {
  if (!signature?.startsWith('{')) return undefined
  const item = JSON.parse(signature) as Partial<OpenAI.Responses.ResponseReasoningItem>
  return item.type === 'reasoning' && item.encrypted_content
    ? (item as OpenAI.Responses.ResponseReasoningItem)
    : undefined
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
  const details = fieldsOf(wire['input_tokens_details'])
  const cacheRead = tokensOf(details['cached_tokens']) ?? 0
  const cacheWrite = tokensOf(details['cache_write_tokens']) ?? 0
  const input = tokensOf(wire['input_tokens']) ?? 0
  const output = tokensOf(wire['output_tokens']) ?? 0
  return {
    input: Math.max(0, input - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output,
  }
}
