/** Chat Completions: the protocol of OpenAI that most other servers speak (Ollama, LM Studio, OpenRouter, DeepSeek, …). */
import OpenAI from 'openai'
import {
  messageText,
  noUsage,
  type ImagePart,
  type Message,
  type StopReason,
  type Usage,
} from '../../shared/messages.ts'
import { failure } from './failures.ts'
import { AnswerDraft, parseArguments, type ModelEvent, type ModelRequest } from './model.ts'
import { explainOpenAi, type OpenAiProvider } from './openai-client.ts'
import { ThinkTags } from './think-tags.ts'

interface ToolDraft {
  id: string
  name: string
  json: string
}

export async function* streamChat(
  provider: OpenAiProvider,
  client: OpenAI,
  model: string,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const draft = new AnswerDraft({ provider, model })
  const tools = new Map<number, ToolDraft>()
  const tags = new ThinkTags()
  let usage = noUsage
  let finish: string | undefined
  let hasBegun = false
  function* say(pieces: ReturnType<ThinkTags['push']>): Generator<ModelEvent> {
    for (const { type, delta } of pieces) {
      if (type === 'text') draft.addText(delta)
      else draft.addThinking(delta)
      yield { type, delta }
    }
  }
  try {
    const chunks = await open(client, toWire(provider, model, request), signal)
    hasBegun = true
    for await (const chunk of chunks) {
      if (chunk.usage) usage = toUsage(chunk.usage)
      const choice = chunk.choices?.[0]
      if (!choice) continue
      finish = choice.finish_reason ?? finish
      const thinking = reasoningOf(choice.delta)
      if (thinking) yield* say([{ type: 'thinking', delta: thinking }])
      yield* say(tags.push((choice.delta?.content ?? '') + (choice.delta?.refusal ?? '')))
      if (choice.delta?.refusal) finish = 'content_filter'
      for (const call of choice.delta?.tool_calls ?? []) collect(tools, call)
    }
    yield* say(tags.end())
  } catch (error) {
    throw explainOpenAi(error, provider, hasBegun)
  }
  if (finish === undefined && tools.size === 0) throw failure('provider_cut', provider)
  for (const [index, { id, name, json }] of [...tools.entries()].sort(([one], [other]) => one - other)) {
    // Some servers send calls without an id; results need one to refer to.
    draft.content.push({
      type: 'toolCall',
      id: id || `call_${Date.now().toString(36)}_${index}`,
      name,
      arguments: parseArguments(json),
    })
  }
  const message =
    finish === 'content_filter'
      ? draft.finish('error', usage, failure('provider_refused', provider))
      : draft.finish(tools.size > 0 ? 'toolUse' : toStopReason(finish), usage)
  yield { type: 'done', message }
}

/** Asks for figures of usage; a server that does not know the option is asked without. */
async function open(
  client: OpenAI,
  wire: OpenAI.ChatCompletionCreateParamsStreaming,
  signal: AbortSignal,
): Promise<AsyncIterable<OpenAI.ChatCompletionChunk>> {
  try {
    return await client.chat.completions.create({ ...wire, stream_options: { include_usage: true } }, { signal })
  } catch (error) {
    const isUnknownOption =
      error instanceof OpenAI.BadRequestError || error instanceof OpenAI.UnprocessableEntityError
        ? /stream_options|include_usage/.test(error.message)
        : false
    if (!isUnknownOption) throw error
    return client.chat.completions.create(wire, { signal })
  }
}

/** Without an index, a name begins the next call and all else belongs to the last. */
function collect(tools: Map<number, ToolDraft>, call: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall): void {
  const index = (call.index as number | undefined) ?? Math.max(0, call.function?.name ? tools.size : tools.size - 1)
  const tool = tools.get(index) ?? { id: '', name: '', json: '' }
  tools.set(index, tool)
  tool.id ||= call.id ?? ''
  tool.name ||= call.function?.name ?? ''
  tool.json += call.function?.arguments ?? ''
}

/** DeepSeek and others stream their reasoning beside the text, under names of their own. */
function reasoningOf(delta: object | undefined): string {
  if (!delta) return ''
  const extra = delta as { reasoning_content?: unknown; reasoning?: unknown }
  const value = extra.reasoning_content ?? extra.reasoning
  return typeof value === 'string' ? value : ''
}

function toWire(
  provider: OpenAiProvider,
  model: string,
  { system, messages, tools, maxOutput, thinking }: ModelRequest,
): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model,
    stream: true,
    ...(thinking === undefined || provider !== 'openai' ? {} : { reasoning_effort: thinking }),
    // OpenAI's reasoning models refuse the older name, other servers do not know the newer one.
    ...(provider === 'openai' ? { max_completion_tokens: maxOutput } : { max_tokens: maxOutput }),
    messages: [{ role: 'system', content: system.join('\n\n') }, ...toWireMessages(messages)],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            function: { name, description, parameters },
          })),
        }),
  }
}

/** A tool's result is text only: pictures that a tool returned follow as a message of the user. */
function toWireMessages(messages: readonly Message[]): OpenAI.ChatCompletionMessageParam[] {
  const wire: OpenAI.ChatCompletionMessageParam[] = []
  let pictures: ImagePart[] = []
  const showPictures = () => {
    if (pictures.length > 0) wire.push({ role: 'user', content: pictures.map(imagePart) })
    pictures = []
  }
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const images = message.content.filter((part) => part.type === 'image')
      const text = messageText(message)
      wire.push({
        role: 'tool',
        tool_call_id: message.toolCallId,
        content: images.length > 0 ? `${text}\n[${images.length} pictures follow]`.trim() : text,
      })
      pictures.push(...images)
      continue
    }
    showPictures()
    if (message.role === 'user') wire.push(toWireUser(message))
    else wire.push(...toWireAssistant(message))
  }
  showPictures()
  return wire
}

function imagePart({ mimeType, data }: ImagePart): OpenAI.ChatCompletionContentPartImage {
  return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }
}

function toWireUser({ content }: Extract<Message, { role: 'user' }>): OpenAI.ChatCompletionUserMessageParam {
  if (typeof content === 'string') return { role: 'user', content }
  return {
    role: 'user',
    content: content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : imagePart(part))),
  }
}

function toWireAssistant(message: Extract<Message, { role: 'assistant' }>): OpenAI.ChatCompletionMessageParam[] {
  const calls = message.content.flatMap((part) =>
    part.type === 'toolCall'
      ? [
          {
            id: part.id,
            type: 'function' as const,
            function: { name: part.name, arguments: JSON.stringify(part.arguments) },
          },
        ]
      : [],
  )
  const text = messageText(message)
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }]
  return [{ role: 'assistant', content: text || null, tool_calls: calls }]
}

function toUsage(wire: OpenAI.CompletionUsage): Usage {
  const cacheRead = wire.prompt_tokens_details?.cached_tokens ?? 0
  return {
    input: Math.max(0, wire.prompt_tokens - cacheRead),
    output: wire.completion_tokens,
    cacheRead,
    cacheWrite: 0,
    totalTokens: wire.prompt_tokens + wire.completion_tokens,
  }
}

function toStopReason(reason: string | undefined): StopReason {
  return reason === 'length' ? 'length' : 'stop'
}
