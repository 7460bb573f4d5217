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
import type { Clock } from '../clock.ts'
import { maxToolCalls } from '../../shared/limits.ts'
import { failure } from './failures.ts'
import { AnswerDraft, ArgumentsDraft, type ModelEvent, type ModelRequest } from './model.ts'
import { explainOpenAi, type OpenAiProvider } from './openai-client.ts'
import { ThinkTags } from './think-tags.ts'
import { fieldsOf, indexOf, listOf, nameOf, textOf, tokensOf } from './wire.ts'

interface ToolDraft {
  id: string
  name: string
  readonly arguments: ArgumentsDraft
}

export async function* streamChat(
  provider: OpenAiProvider,
  client: OpenAI,
  model: string,
  request: ModelRequest,
  signal: AbortSignal,
  now?: Clock,
): AsyncGenerator<ModelEvent> {
  const draft = new AnswerDraft({ provider, model }, now)
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
      const { usage: used, choices } = fieldsOf(chunk)
      if (used) usage = toUsage(fieldsOf(used))
      const choice = fieldsOf(listOf(choices)[0])
      const delta = fieldsOf(choice['delta'])
      finish = nameOf(choice['finish_reason']) || finish
      const thinking = textOf(delta['reasoning_content'] ?? delta['reasoning'])
      if (thinking) yield* say([{ type: 'thinking', delta: thinking }])
      const refusal = textOf(delta['refusal'])
      yield* say(tags.push(textOf(delta['content']) + refusal))
      if (refusal) finish = 'content_filter'
      for (const call of listOf(delta['tool_calls'])) {
        collect(tools, fieldsOf(call))
        yield { type: 'calling' }
      }
    }
    yield* say(tags.end())
  } catch (error) {
    throw explainOpenAi(error, provider, hasBegun)
  }
  if (finish === undefined && tools.size === 0) throw failure('provider_cut', provider)
  for (const [, call] of [...tools.entries()].sort(([one], [other]) => one - other))
    draft.addCall(call.id, call.name, call.arguments.json)
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
function collect(tools: Map<number, ToolDraft>, call: Readonly<Record<string, unknown>>): void {
  const { name: sent, arguments: given } = fieldsOf(call['function'])
  const name = nameOf(sent)
  const index = indexOf(call['index']) ?? Math.max(0, name ? tools.size : tools.size - 1)
  const tool = tools.get(index) ?? { id: '', name: '', arguments: new ArgumentsDraft() }
  // One more than are carried out stands for all the others.
  if (!tools.has(index) && tools.size > maxToolCalls) return
  tools.set(index, tool)
  tool.id ||= nameOf(call['id'])
  tool.name ||= name
  // Some servers send them as the object that they are.
  tool.arguments.add(typeof given === 'object' && given !== null ? JSON.stringify(given) : textOf(given))
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

function toUsage(wire: Readonly<Record<string, unknown>>): Usage {
  const prompt = tokensOf(wire['prompt_tokens']) ?? 0
  const output = tokensOf(wire['completion_tokens']) ?? 0
  const cacheRead = Math.min(prompt, tokensOf(fieldsOf(wire['prompt_tokens_details'])['cached_tokens']) ?? 0)
  return { input: prompt - cacheRead, output, cacheRead, cacheWrite: 0, totalTokens: prompt + output }
}

function toStopReason(reason: string | undefined): StopReason {
  return reason === 'length' ? 'length' : 'stop'
}
