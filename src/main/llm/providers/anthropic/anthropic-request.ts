import type Anthropic from '@anthropic-ai/sdk'
import type { Message } from '#shared/chat/messages.ts'
import type { ListedModel } from '../../catalog/model-lists.ts'
import type { ModelRequest } from '../../model.ts'

export type ThinkingForm = NonNullable<ListedModel['thinking']>

/** Derives the form of the thinking parameter from a model's name, without provider. */
export function thinkingForm(model: string): ThinkingForm {
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

export function toMessagesRequest(
  provider: string,
  model: string,
  request: ModelRequest,
  thinking: ThinkingForm,
): Anthropic.MessageCreateParamsStreaming {
  const { system, tools, maxOutput, answerSchema: schema } = request
  const messages = toWireMessages({ provider, model }, request.messages)
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

/** Marks the last block for caching: the conversation is the prefix of the next request. */
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

/** Merges results of parallel calls into one user message directly after the calls, as the API requires. */
function toWireMessages(
  { provider, model }: { readonly provider: string; readonly model: string },
  messages: readonly Message[],
): Anthropic.MessageParam[] {
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
    } else {
      // The API accepts only thinking that the same model signed.
      const isSameModel = message.provider === provider && message.model === model
      const parts = message.content.filter(({ type }) => isSameModel || type !== 'thinking')
      push('assistant', parts.flatMap(assistantBlock))
    }
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
  // Thinking without a signature comes from another model and would be refused.
  return part.thinkingSignature === undefined
    ? []
    : [{ type: 'thinking', thinking: part.thinking, signature: part.thinkingSignature }]
}
