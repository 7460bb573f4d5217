/** Anthropic's Messages API, through its own client. */
import Anthropic from '@anthropic-ai/sdk'
import type { Message, StopReason, Usage } from '../../shared/messages.ts'
import { modelLimits, type ModelLimits } from './catalog.ts'
import { cutStream, providerFailure } from './failures.ts'
import {
  AnswerDraft,
  parseArguments,
  type ChatModel,
  type ModelEvent,
  type ModelRequest,
  type ProviderOptions,
} from './model.ts'

const provider = 'anthropic'
/** Tries again after 429, 5xx and lost connections, before the first byte of an answer only. */
const retries = 3

export function createAnthropicModel(
  model: string,
  options: ProviderOptions,
  limits: ModelLimits = modelLimits(`${provider}/${model}`),
): ChatModel {
  return {
    id: `${provider}/${model}`,
    provider,
    model,
    ...limits,
    stream: (request, signal) => stream(clientOf(options), model, request, signal),
  }
}

/** Names of the models that the key may use. */
export async function listAnthropicModels(options: ProviderOptions, signal: AbortSignal): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { id } of clientOf(options).models.list({ limit: 100 }, { signal })) names.push(id)
    return names
  } catch (error) {
    throw explain(error)
  }
}

function clientOf({ apiKey, baseUrl, timeoutMs }: ProviderOptions): Anthropic {
  return new Anthropic({
    apiKey,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    timeout: timeoutMs,
    maxRetries: retries,
    logLevel: 'off',
  })
}

async function* stream(
  client: Anthropic,
  model: string,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const draft = new AnswerDraft({ provider, model })
  const toolInputs = new Map<number, { id: string; name: string; json: string }>()
  let usage: Usage | undefined
  let stop: StopReason | undefined
  let ended = false
  try {
    const events = await client.messages.create(toWire(model, request), { signal })
    for await (const event of events) {
      if (event.type === 'message_start') usage = toUsage(event.message.usage, undefined)
      else if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
        toolInputs.set(event.index, { id: event.content_block.id, name: event.content_block.name, json: '' })
      } else if (event.type === 'content_block_delta') {
        const { delta } = event
        if (delta.type === 'text_delta') {
          draft.addText(delta.text)
          yield { type: 'text', delta: delta.text }
        } else if (delta.type === 'thinking_delta') {
          draft.addThinking(delta.thinking)
          yield { type: 'thinking', delta: delta.thinking }
        } else if (delta.type === 'signature_delta') {
          const last = draft.content.at(-1)
          if (last?.type === 'thinking') last.thinkingSignature = (last.thinkingSignature ?? '') + delta.signature
        } else if (delta.type === 'input_json_delta') {
          const tool = toolInputs.get(event.index)
          if (tool) tool.json += delta.partial_json
        }
      } else if (event.type === 'content_block_stop') {
        const tool = toolInputs.get(event.index)
        if (tool)
          draft.content.push({ type: 'toolCall', id: tool.id, name: tool.name, arguments: parseArguments(tool.json) })
      } else if (event.type === 'message_delta') {
        stop = toStopReason(event.delta.stop_reason)
        usage = toUsage(event.usage, usage)
      } else if (event.type === 'message_stop') ended = true
    }
  } catch (error) {
    throw explain(error)
  }
  if (!ended) throw cutStream(provider)
  yield { type: 'done', message: draft.finish(stop ?? 'stop', usage ?? toUsage({}, undefined)) }
}

function toWire(
  model: string,
  { system, messages, tools, maxOutput }: ModelRequest,
): Anthropic.MessageCreateParamsStreaming {
  return {
    model,
    max_tokens: maxOutput,
    stream: true,
    system: system.map((text) => ({ type: 'text' as const, text, cache_control: { type: 'ephemeral' as const } })),
    messages: withCachedPrefix(toWireMessages(messages)),
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...parameters, type: 'object' as const },
    })),
  }
}

/** The conversation so far is the prefix of the next request: the provider is told to keep it up to its last block. */
function withCachedPrefix(messages: Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const last = messages.at(-1)
  if (!last || typeof last.content === 'string') return messages
  const blocks: readonly Anthropic.ContentBlockParam[] = last.content
  const content = blocks.map((block, index) =>
    index === blocks.length - 1 && block.type !== 'thinking' && block.type !== 'redacted_thinking'
      ? ({ ...block, cache_control: { type: 'ephemeral' } } as Anthropic.ContentBlockParam)
      : block,
  )
  return [...messages.slice(0, -1), { ...last, content } as Anthropic.MessageParam]
}

/** Results of parallel calls belong into one user message, right after the calls. */
export function toWireMessages(messages: readonly Message[]): Anthropic.MessageParam[] {
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
      push('user', [
        {
          type: 'tool_result',
          tool_use_id: message.toolCallId,
          is_error: message.isError,
          content: userBlocks(message.content),
        },
      ])
    } else push('assistant', message.content.flatMap(assistantBlock))
  }
  return wire
}

type UserBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam

function userBlocks(content: Extract<Message, { role: 'user' }>['content']): UserBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : {
          type: 'image',
          source: {
            type: 'base64',
            data: part.data,
            media_type: part.mimeType as Anthropic.Base64ImageSource['media_type'],
          },
        },
  )
}

function assistantBlock(
  part: Extract<Message, { role: 'assistant' }>['content'][number],
): Anthropic.ContentBlockParam[] {
  if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
  if (part.type === 'toolCall') return [{ type: 'tool_use', id: part.id, name: part.name, input: part.arguments }]
  // Thinking without its signature was written by another model; this one would refuse it.
  return part.thinkingSignature === undefined
    ? []
    : [{ type: 'thinking', thinking: part.thinking, signature: part.thinkingSignature }]
}

type WireUsage = Partial<
  Record<'input_tokens' | 'output_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens', number | null>
>

/** The stream reports input at its start and output at its end; later figures replace earlier ones. */
function toUsage(wire: WireUsage, before: Usage | undefined): Usage {
  const input = wire.input_tokens ?? before?.input ?? 0
  const output = wire.output_tokens ?? before?.output ?? 0
  const cacheRead = wire.cache_read_input_tokens ?? before?.cacheRead ?? 0
  const cacheWrite = wire.cache_creation_input_tokens ?? before?.cacheWrite ?? 0
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite }
}

function toStopReason(reason: string | null): StopReason {
  if (reason === 'tool_use') return 'toolUse'
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' ? 'length' : 'stop'
}

function explain(error: unknown): unknown {
  if (error instanceof Anthropic.APIUserAbortError || !(error instanceof Anthropic.APIError)) return error
  return providerFailure({ provider, status: error.status, message: error.message, cause: error })
}
