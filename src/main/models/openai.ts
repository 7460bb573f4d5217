/** OpenAI's Chat Completions, and the many servers that speak it (Ollama, LM Studio, OpenRouter, DeepSeek, …). */
import OpenAI from 'openai'
import { messageText, noUsage, type Message, type StopReason, type Usage } from '../../shared/messages.ts'
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

type OpenAiProvider = 'openai' | 'openai-compatible'

/** Tries again after 429, 5xx and lost connections, before the first byte of an answer only. */
const retries = 3

export function createOpenAiModel(
  provider: OpenAiProvider,
  model: string,
  options: ProviderOptions,
  limits: ModelLimits = modelLimits(`${provider}/${model}`),
): ChatModel {
  return {
    id: `${provider}/${model}`,
    provider,
    model,
    ...limits,
    stream: (request, signal) => stream(provider, clientOf(options), model, request, signal),
  }
}

export async function listOpenAiModels(
  provider: OpenAiProvider,
  options: ProviderOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { id } of clientOf(options).models.list({ signal })) names.push(id)
    return names.sort()
  } catch (error) {
    throw explain(error, provider)
  }
}

function clientOf({ apiKey, baseUrl, timeoutMs }: ProviderOptions): OpenAI {
  return new OpenAI({
    apiKey,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    timeout: timeoutMs,
    maxRetries: retries,
    logLevel: 'off',
  })
}

interface ToolDraft {
  id: string
  name: string
  json: string
}

async function* stream(
  provider: OpenAiProvider,
  client: OpenAI,
  model: string,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const draft = new AnswerDraft({ provider, model })
  const tools = new Map<number, ToolDraft>()
  let usage = noUsage
  let finish: string | undefined
  try {
    const chunks = await client.chat.completions.create(toWire(provider, model, request), { signal })
    for await (const chunk of chunks) {
      if (chunk.usage) usage = toUsage(chunk.usage)
      const choice = chunk.choices?.[0]
      if (!choice) continue
      finish = choice.finish_reason ?? finish
      const thinking = reasoningOf(choice.delta)
      if (thinking) {
        draft.addThinking(thinking)
        yield { type: 'thinking', delta: thinking }
      }
      if (choice.delta?.content) {
        draft.addText(choice.delta.content)
        yield { type: 'text', delta: choice.delta.content }
      }
      for (const [position, call] of (choice.delta?.tool_calls ?? []).entries())
        collect(tools, call, call.index ?? position)
    }
  } catch (error) {
    throw explain(error, provider)
  }
  if (finish === undefined && tools.size === 0) throw cutStream(provider)
  for (const [index, { id, name, json }] of [...tools.entries()].sort(([one], [other]) => one - other)) {
    // Some servers send calls without an id; results need one to refer to.
    draft.content.push({
      type: 'toolCall',
      id: id || `call_${Date.now().toString(36)}_${index}`,
      name,
      arguments: parseArguments(json),
    })
  }
  yield { type: 'done', message: draft.finish(tools.size > 0 ? 'toolUse' : toStopReason(finish), usage) }
}

function collect(
  tools: Map<number, ToolDraft>,
  call: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall,
  index: number,
): void {
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
  { system, messages, tools, maxOutput }: ModelRequest,
): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    // OpenAI's reasoning models refuse the older name, other servers do not know the newer one.
    ...(provider === 'openai' ? { max_completion_tokens: maxOutput } : { max_tokens: maxOutput }),
    messages: [{ role: 'system', content: system.join('\n\n') }, ...messages.flatMap(toWireMessage)],
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

function toWireMessage(message: Message): OpenAI.ChatCompletionMessageParam[] {
  if (message.role === 'toolResult') {
    return [{ role: 'tool', tool_call_id: message.toolCallId, content: messageText(message) }]
  }
  if (message.role === 'user') {
    if (typeof message.content === 'string') return [{ role: 'user', content: message.content }]
    return [
      {
        role: 'user',
        content: message.content.map((part) =>
          part.type === 'text'
            ? { type: 'text', text: part.text }
            : { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } },
        ),
      },
    ]
  }
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

function explain(error: unknown, provider: string): unknown {
  if (error instanceof OpenAI.APIUserAbortError || !(error instanceof OpenAI.APIError)) return error
  return providerFailure({ provider, status: error.status, message: error.message, cause: error })
}
