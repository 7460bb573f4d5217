/** A request in the form of Chat Completions, as each server wants it: what it was found not to take is left out. */
import type OpenAI from 'openai'
import { parseJson } from '#shared/util/json.ts'
import {
  messageText,
  type AssistantMessage,
  type ImagePart,
  type Message,
  type ToolCallPart,
} from '#shared/chat/messages.ts'
import type { Dialect } from './server-capabilities.ts'
import { answersOfToolTurns, callExtras, reasoningOf } from './chat-reasoning.ts'
import type { ModelRequest } from '../../model.ts'
import type { OpenAiProvider } from './openai-client.ts'
import { fieldsOf } from '../../middleware/lenient-json.ts'

interface Addressee {
  readonly provider: OpenAiProvider
  readonly model: string
  readonly dialect: Dialect
}

export function toChatRequest(
  to: Addressee,
  { system, messages, tools, maxOutput, thinking }: ModelRequest,
): OpenAI.ChatCompletionCreateParamsStreaming {
  const { provider, model, dialect } = to
  return {
    model,
    stream: true,
    ...(dialect.takesUsageOption ? { stream_options: { include_usage: true } } : {}),
    ...(thinking === undefined || provider !== 'openai' ? {} : { reasoning_effort: thinking }),
    // OpenAI's reasoning models refuse the older name, other servers do not know the newer one.
    ...(provider === 'openai' ? { max_completion_tokens: maxOutput } : { max_tokens: maxOutput }),
    messages: [{ role: 'system', content: system.join('\n\n') }, ...toWireMessages(to, messages)],
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
function toWireMessages(to: Addressee, messages: readonly Message[]): OpenAI.ChatCompletionMessageParam[] {
  const wire: OpenAI.ChatCompletionMessageParam[] = []
  const inToolTurns = answersOfToolTurns(messages)
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
    else wire.push(...toWireAssistant(to, message, inToolTurns.has(message)))
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

/** What came beside a call; other programs keep other things in this place. */
function signatureOf({ thoughtSignature = '' }: ToolCallPart): Record<string, unknown> {
  const sent = fieldsOf(parseJson(thoughtSignature))
  return Object.fromEntries(callExtras.flatMap((name) => (sent[name] ? [[name, sent[name]]] : [])))
}

function toWireAssistant(
  { provider, model, dialect: { reasoning } }: Addressee,
  message: AssistantMessage,
  isOfToolTurn: boolean,
): OpenAI.ChatCompletionMessageParam[] {
  const isOwn = message.provider === provider && message.model === model
  const mayKnow = isOwn && reasoning !== 'never'
  const calls = message.content.flatMap((part) =>
    part.type === 'toolCall'
      ? [
          {
            id: part.id,
            type: 'function' as const,
            function: { name: part.name, arguments: JSON.stringify(part.arguments) },
            ...(mayKnow ? signatureOf(part) : {}),
          },
        ]
      : [],
  )
  const text = messageText(message)
  if (calls.length === 0 && text === '') return []
  const isAsked = reasoning === 'everywhere' || isOfToolTurn
  const thoughts = mayKnow && isAsked ? reasoningOf(message) : { fields: {}, content: undefined }
  const isMissing = reasoning === 'everywhere' && Object.keys(thoughts.fields).length === 0 && !thoughts.content
  // Parts of thought in a content are no part of the protocol that the client's types know.
  const content = (thoughts.content ?? text) as string
  return [
    {
      role: 'assistant',
      content: calls.length > 0 ? content || null : content,
      ...thoughts.fields,
      ...(isMissing ? { reasoning_content: '' } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ]
}
