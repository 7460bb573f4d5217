import { parseJson } from '#shared/util/json.ts'
import {
  messageText,
  type AssistantMessage,
  type ImagePart,
  type Message,
  type ToolCallPart,
  type UserMessage,
} from '#shared/chat/messages.ts'
import { answersOfToolTurns, callExtras, reasoningOf } from './chat-reasoning.ts'
import type { ModelRequest } from '../../model.ts'
import type { OpenAiProvider } from './openai-client.ts'
import { asObject } from '../../middleware/lenient-json.ts'
import { hasRefused, recordRefusal } from '../../middleware/provider-failures.ts'
import OpenAI from 'openai'

interface TargetModel {
  readonly provider: OpenAiProvider
  readonly model: string
  readonly hasRefused: (part: ChatPart) => boolean
}

function toChatRequest(
  target: TargetModel,
  { system, messages, tools, maxOutput, thinking, answerSchema: schema }: ModelRequest,
): OpenAI.ChatCompletionCreateParamsStreaming {
  const { provider, model, hasRefused } = target
  const takesTools = !hasRefused('tools')
  const wireTools = (takesTools ? tools : []).map((tool) => ({ type: 'function' as const, function: tool }))
  // What changes with each request comes last, so that consecutive bodies begin alike.
  return {
    model,
    stream: true,
    ...(hasRefused('usage') ? {} : { stream_options: { include_usage: true } }),
    ...(thinking === undefined || provider !== 'openai' ? {} : { reasoning_effort: thinking }),
    ...(wireTools.length === 0 ? {} : { tools: wireTools }),
    messages: [
      { role: 'system', content: system.join('\n\n') },
      ...toWireMessages(target, takesTools ? messages : messages.map(withoutCalls)),
    ],
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } }),
    // OpenAI's reasoning models refuse `max_tokens`; other servers lack `max_completion_tokens`.
    ...(provider === 'openai' ? { max_completion_tokens: maxOutput } : { max_tokens: maxOutput }),
  }
}

/** Turns the result of a tool into a user message, and removes calls: for servers that refuse them. */
function withoutCalls(message: Message): Message {
  if (message.role === 'user') return message
  const { timestamp } = message
  if (message.role === 'toolResult')
    return { role: 'user', content: `[${message.toolName}]\n${messageText(message)}`, timestamp }
  return { ...message, content: message.content.filter(({ type }) => type !== 'toolCall') }
}

/** Tool results may contain only text, so their images follow as a user message. */
function toWireMessages(target: TargetModel, messages: readonly Message[]): OpenAI.ChatCompletionMessageParam[] {
  const wire: OpenAI.ChatCompletionMessageParam[] = []
  const toolTurnAnswers = answersOfToolTurns(messages)
  let pendingImages: ImagePart[] = []
  const pushImages = () => {
    if (pendingImages.length > 0) wire.push({ role: 'user', content: pendingImages.map(imagePart) })
    pendingImages = []
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
      pendingImages.push(...images)
      continue
    }
    pushImages()
    if (message.role === 'user') wire.push(toWireUser(message))
    else wire.push(...toWireAssistant(target, message, toolTurnAnswers.has(message)))
  }
  pushImages()
  return wire
}

function imagePart({ mimeType, data }: ImagePart): OpenAI.ChatCompletionContentPartImage {
  return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }
}

function toWireUser({ content }: UserMessage): OpenAI.ChatCompletionUserMessageParam {
  if (typeof content === 'string') return { role: 'user', content }
  const parts = content.map((part) => (part.type === 'text' ? { type: part.type, text: part.text } : imagePart(part)))
  return { role: 'user', content: parts }
}

/** Returns the extra fields of a call; {} if another program stored the signature. */
function extraFieldsOf({ thoughtSignature = '' }: ToolCallPart): Record<string, unknown> {
  const fields = asObject(parseJson(thoughtSignature))
  return Object.fromEntries(callExtras.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])))
}

function toWireAssistant(
  { provider, model, hasRefused }: TargetModel,
  message: AssistantMessage,
  isInToolTurn: boolean,
): OpenAI.ChatCompletionMessageParam[] {
  const isSameModel = message.provider === provider && message.model === model
  const sendsReasoning = isSameModel && !hasRefused('thinking')
  const needsReasoning = hasRefused('partial thinking') && !hasRefused('thinking')
  const calls = message.content
    .filter((part) => part.type === 'toolCall')
    .map((part) => ({
      id: part.id,
      type: 'function' as const,
      function: { name: part.name, arguments: JSON.stringify(part.arguments) },
      ...(sendsReasoning ? extraFieldsOf(part) : {}),
    }))
  const text = messageText(message)
  if (calls.length === 0 && text === '') return []
  const sends = sendsReasoning && (needsReasoning || isInToolTurn)
  const sentReasoning = sends ? reasoningOf(message) : { fields: {}, content: undefined }
  const hasReasoning = Object.keys(sentReasoning.fields).length > 0 || Boolean(sentReasoning.content)
  // The client library's types lack thinking parts.
  const content = (sentReasoning.content ?? text) as string
  return [
    {
      role: 'assistant',
      // llama-cpp-python refuses null.
      content: calls.length > 0 && provider === 'openai' ? content || null : content,
      ...sentReasoning.fields,
      ...(needsReasoning && !hasReasoning && { reasoning_content: '' }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ]
}

/** Matches models that refuse any answer without its thinking. */
const allThinkingPattern = /deepseek-v[4-9]|kimi-k(2\.[5-9]|[3-9])/i

/**
 * Sends a request; repeats it without the parts that the server refuses.
 * @param isStreamed false to ask for the answer as a whole; its events arrive as in a stream
 * @throws errors of the client library
 */
export async function openStream(
  client: OpenAI,
  provider: OpenAiProvider,
  model: string,
  request: ModelRequest,
  signal: AbortSignal,
  isStreamed = true,
): Promise<AsyncIterable<OpenAI.ChatCompletionChunk>> {
  const isRefused = (part: ChatPart) =>
    hasRefused(client.baseURL, model, part) || (part === 'partial thinking' && allThinkingPattern.test(model))
  for (;;) {
    try {
      const body = toChatRequest({ provider, model, hasRefused: isRefused }, request)
      if (isStreamed) return await client.chat.completions.create(body, { signal })
      const { stream_options: _streamOptions, ...whole } = body
      return await client.post('/chat/completions', { body: { ...whole, stream: false }, stream: true, signal })
    } catch (error) {
      const part = chatParts.find((name) => !isRefused(name) && isRefusalOf(name, error))
      if (!part) throw error
      recordRefusal(client.baseURL, model, part)
    }
  }
}

/** `partial thinking`: answers with thinking of tool turns only; the server needs it with all. */
const chatParts = ['tools', 'usage', 'partial thinking', 'thinking'] as const
type ChatPart = (typeof chatParts)[number]

function isRefusalOf(part: ChatPart, error: unknown): boolean {
  if (!(error instanceof OpenAI.APIError)) return false
  const { message, status } = error
  if (part === 'tools') return toolsPattern.test(message)
  if (status !== 400 && status !== 422) return false
  if (part === 'usage') return /stream_options|include_usage/.test(message)
  if (part === 'partial thinking') return reasoningRequiredPattern.test(message)
  return reasoningFieldPattern.test(message) && unsupportedPattern.test(message)
}

/** Messages of Ollama, vLLM, llama-server and OpenRouter about a model or server without tool calls. */
const toolsPattern =
  /does not support (?:tools|function|tool)|tool choice requires|tools param requires|support tool use|tools? (?:is|are) not supported/i
const reasoningRequiredPattern =
  /reasoning_content\W.{0,80}(missing|must be (passed|provided|present)|required)|(missing|requires?) .{0,20}reasoning_content/is
const reasoningFieldPattern =
  /reasoning_(content|details|text)|thinking_blocks|extra_content|provider_specific_fields|assistant\.reasoning|["'`]reasoning["'`]/i
const unsupportedPattern =
  /unsupported|not (supported|allowed|permitted|recognized)|unexpected|unknown|unrecognized|extra_forbidden|extra (fields|inputs)/i
