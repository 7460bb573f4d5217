/** Anthropic's Messages API, through its own client. */
import Anthropic from '@anthropic-ai/sdk'
import { maxId, maxModels, maxToolCalls } from '../../shared/limits.ts'
import type { Message, StopReason, Usage } from '../../shared/messages.ts'
import { modelLimits, type ModelLimits } from './catalog.ts'
import { failure, isGarbled, isLostConnection, providerFailure } from './failures.ts'
import {
  AnswerDraft,
  ArgumentsDraft,
  clientOptions,
  type ChatModel,
  type ListedModel,
  type ModelEvent,
  type ModelRequest,
  type ProviderOptions,
} from './model.ts'
import { fieldsOf, indexOf, nameOf, textOf, tokensOf } from './wire.ts'

const provider = 'anthropic'

type ThinkingForm = NonNullable<ListedModel['thinking']>

export function createAnthropicModel(
  model: string,
  options: ProviderOptions,
  limits: ModelLimits = modelLimits(`${provider}/${model}`),
  thinking: ThinkingForm = thinkingForm(model),
): ChatModel {
  return {
    id: `${provider}/${model}`,
    provider,
    model,
    ...limits,
    stream: (request, signal) =>
      stream(
        clientOf(options),
        new AnswerDraft({ provider, model }, options.now),
        toWire(model, request, thinking),
        signal,
      ),
  }
}

/** The models that the key may use, with what the list says of them. */
export async function listAnthropicModels(options: ProviderOptions, signal: AbortSignal): Promise<ListedModel[]> {
  const models: ListedModel[] = []
  try {
    for await (const info of clientOf(options).models.list({ limit: 100 }, { signal })) {
      const known = listed(fieldsOf(info) as Partial<Anthropic.ModelInfo>)
      if (known.name !== '') models.push(known)
      // A list that never ends is no list.
      if (models.length >= maxModels) break
    }
    return models
  } catch (error) {
    throw explain(error)
  }
}

/** An older or compatible server leaves most of it out. */
function listed({ id, max_input_tokens, max_tokens, capabilities }: Partial<Anthropic.ModelInfo>): ListedModel {
  const types = capabilities?.thinking?.types
  return {
    name: nameOf(id).slice(0, maxId),
    contextWindow: max_input_tokens ?? undefined,
    maxOutput: max_tokens ?? undefined,
    images: capabilities?.image_input?.supported,
    thinking: types && (types.adaptive?.supported ? 'adaptive' : types.enabled?.supported ? 'budget' : 'none'),
  }
}

/** By name, for a model that no list has described. */
function thinkingForm(model: string): ThinkingForm {
  if (/claude-(2|instant|3-(opus|sonnet|haiku|5))/.test(model)) return 'none'
  return /claude-(3-7|(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$)/.test(model) ? 'budget' : 'adaptive'
}

function clientOf(options: ProviderOptions): Anthropic {
  return new Anthropic(clientOptions(provider, options))
}

async function* stream(
  client: Anthropic,
  draft: AnswerDraft,
  wire: Anthropic.MessageCreateParamsStreaming,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const calls = new Map<number, { id: unknown; name: unknown; arguments: ArgumentsDraft }>()
  let usage: Usage | undefined
  let stop: unknown
  let ended = false
  let hasBegun = false
  try {
    const events = await client.messages.create(wire, { signal })
    hasBegun = true
    for await (const sent of events) {
      const event = fieldsOf(sent)
      const index = indexOf(event['index']) ?? -1
      switch (event['type']) {
        case 'message_start':
          usage = toUsage(fieldsOf(fieldsOf(event['message'])['usage']), undefined)
          yield { type: 'usage', usage }
          break
        case 'content_block_start': {
          const { type, id, name, data } = fieldsOf(event['content_block'])
          if (type === 'tool_use' && calls.size <= maxToolCalls)
            calls.set(index, { id, name, arguments: new ArgumentsDraft() })
          else if (type === 'redacted_thinking')
            draft.content.push({ type: 'thinking', thinking: '', thinkingSignature: textOf(data), redacted: true })
          // Each thought has a signature of its own.
          else if (type === 'thinking') draft.content.push({ type: 'thinking', thinking: '' })
          break
        }
        case 'content_block_delta': {
          const said = takeDelta(draft, calls.get(index)?.arguments, fieldsOf(event['delta']))
          if (said) yield said
          break
        }
        case 'content_block_stop': {
          const call = calls.get(index)
          if (call) draft.addCall(call.id, call.name, call.arguments.json)
          break
        }
        case 'message_delta':
          stop = fieldsOf(event['delta'])['stop_reason']
          usage = toUsage(fieldsOf(event['usage']), usage)
          break
        case 'message_stop':
          ended = true
          break
        default:
      }
    }
  } catch (error) {
    throw explain(error, hasBegun)
  }
  if (!ended) throw failure('provider_cut', provider)
  const used = usage ?? toUsage({}, undefined)
  const message =
    stop === 'refusal'
      ? draft.finish('error', used, failure('provider_refused', provider))
      : draft.finish(toStopReason(stop), used)
  yield { type: 'done', message }
}

/** @returns what is to be told of it */
function takeDelta(
  draft: AnswerDraft,
  input: ArgumentsDraft | undefined,
  delta: Readonly<Record<string, unknown>>,
): ModelEvent | undefined {
  switch (delta['type']) {
    case 'text_delta':
      draft.addText(textOf(delta['text']))
      return { type: 'text', delta: textOf(delta['text']) }
    case 'thinking_delta':
      draft.addThinking(textOf(delta['thinking']))
      return { type: 'thinking', delta: textOf(delta['thinking']) }
    case 'signature_delta': {
      const last = draft.content.at(-1)
      if (last?.type === 'thinking')
        last.thinkingSignature = (last.thinkingSignature ?? '') + textOf(delta['signature'])
      return undefined
    }
    case 'input_json_delta':
      input?.add(textOf(delta['partial_json']))
      return { type: 'calling' }
    default:
      return undefined
  }
}

/** Tokens of thought where the model wants a number; at least 1024, and less than the whole answer. */
const thinkingBudgets = { low: 2048, medium: 8192, high: 24_000 } as const
const minThinking = 1024

function thinkingParams(
  { thinking, maxOutput }: ModelRequest,
  form: ThinkingForm,
): Pick<Anthropic.MessageCreateParams, 'thinking' | 'output_config'> {
  if (thinking === undefined || form === 'none') return {}
  if (form === 'adaptive')
    return { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: thinking } }
  const budget = Math.min(thinkingBudgets[thinking], Math.floor(maxOutput / 2))
  return budget < minThinking ? {} : { thinking: { type: 'enabled', budget_tokens: budget } }
}

function toWire(model: string, request: ModelRequest, thinking: ThinkingForm): Anthropic.MessageCreateParamsStreaming {
  const { system, messages, tools, maxOutput } = request
  return {
    ...thinkingParams(request, thinking),
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
  if (part.redacted) return [{ type: 'redacted_thinking', data: part.thinkingSignature ?? '' }]
  // Thinking without its signature was written by another model; this one would refuse it.
  return part.thinkingSignature === undefined
    ? []
    : [{ type: 'thinking', thinking: part.thinking, signature: part.thinkingSignature }]
}

/** The stream reports input at its start and output at its end; later figures replace earlier ones. */
function toUsage(wire: Readonly<Record<string, unknown>>, before: Usage | undefined): Usage {
  const input = tokensOf(wire['input_tokens']) ?? before?.input ?? 0
  const output = tokensOf(wire['output_tokens']) ?? before?.output ?? 0
  const cacheRead = tokensOf(wire['cache_read_input_tokens']) ?? before?.cacheRead ?? 0
  const cacheWrite = tokensOf(wire['cache_creation_input_tokens']) ?? before?.cacheWrite ?? 0
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite }
}

function toStopReason(reason: unknown): StopReason {
  if (reason === 'tool_use') return 'toolUse'
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' ? 'length' : 'stop'
}

function explain(error: unknown, hasBegun = false): unknown {
  if (error instanceof Anthropic.APIUserAbortError) return error
  if (isLostConnection(error)) return failure('provider_cut', provider, error)
  if (isGarbled(error)) return failure('provider_garbled', provider, error)
  if (!(error instanceof Anthropic.APIError)) return error
  return providerFailure({
    provider,
    status: error.status,
    kind: error.type ?? '',
    message: error.message,
    hasBegun,
    isTimeout: error instanceof Anthropic.APIConnectionTimeoutError,
    headers: error.headers,
    cause: error,
  })
}
