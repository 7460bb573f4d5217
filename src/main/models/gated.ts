/**
 * The gate that every request to a model passes (M64). To a remote one nothing goes that is local: not the words of local
 * notes, wherever they stand in it, and nothing that a local model said or summarised with such words before it. A local
 * model gets everything, and its answer is marked where that was so.
 */
import type { AssistantMessage, Message, ToolCallPart, ToolResultMessage } from '../../shared/messages.ts'
import type { Sight } from '../visibility/index.ts'
import type { ChatModel, ModelRequest } from './model.ts'

/** How things stand when a request is about to leave. */
export type Look = () => Promise<Sight>

/** What did not go along. */
export interface HeldBack {
  /** Answers, results and summaries that a local model made of local notes. */
  messages: number
  /** Lines, or parts of such, by the note that they stand in. */
  readonly notes: Map<string, number>
}

export function nothingHeld(): HeldBack {
  return { messages: 0, notes: new Map() }
}

/** The same model behind the gate. */
export function gated(model: ChatModel, look: Look): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      const sight = await look()
      if (!model.isLocal) return yield* model.stream(withheld(request, sight), signal)
      const isMarked = holdsLocal(request, sight)
      for await (const event of model.stream(request, signal))
        yield isMarked && event.type === 'done' ? { ...event, message: { ...event.message, local: true } } : event
    },
  }
}

/** The request as a remote model may see it. The same again changes nothing. */
export function withheld(request: ModelRequest, sight: Sight, held = nothingHeld()): ModelRequest {
  return {
    ...request,
    system: request.system.map((text) => sight.net.withhold(text, counting(held), true)),
    messages: withheldMessages(request.messages, sight, held),
  }
}

export function withheldMessages(messages: readonly Message[], sight: Sight, held = nothingHeld()): Message[] {
  const paths = new Map<string, string>()
  return messages.map((message): Message => {
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'toolCall') paths.set(part.id, pathOf(part))
    if (message.local) {
      held.messages += 1
      return placeholder(message)
    }
    switch (message.role) {
      case 'user':
        return withheldUser(message, sight, held)
      case 'assistant':
        return withheldAnswer(message, sight, held)
      case 'toolResult':
        return withheldResult(message, paths.get(message.toolCallId) ?? '', sight, held)
    }
  })
}

/** Whether a local model sees anything in it that is local. */
export function holdsLocal({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>, sight: Sight): boolean {
  if (messages.some(({ local }) => local)) return true
  const holds = (text: string) => sight.net.holds(text)
  // The prompt speaks of the mark, where the notes do not.
  if (system.slice(1).some(holds)) return true
  return messages.some((message) => textsOf(message).some(holds))
}

function counting(held: HeldBack): (path: string) => void {
  return (path) => held.notes.set(path, (held.notes.get(path) ?? 0) + 1)
}

const placeholderOf = {
  user: '[A summary of what was said before stays on this machine: it was made of notes that are marked local.]',
  assistant: '[An answer stays on this machine: a local model gave it, with notes before it that are marked local.]',
  toolResult: '[A result stays on this machine: it came from notes that are marked local.]',
} as const

function placeholder(message: Message): Message {
  const text = placeholderOf[message.role]
  switch (message.role) {
    case 'user':
      return { ...message, content: text }
    case 'toolResult': {
      const { details: _details, ...rest } = message
      return { ...rest, content: [{ type: 'text', text }] }
    }
    case 'assistant': {
      const calls = message.content.flatMap((part) => (part.type === 'toolCall' ? [withoutArguments(part)] : []))
      return { ...message, content: [{ type: 'text', text }, ...calls] }
    }
  }
}

function withoutArguments({ id, name }: ToolCallPart): ToolCallPart {
  return { type: 'toolCall', id, name, arguments: {} }
}

function withheldUser(message: Extract<Message, { role: 'user' }>, { net }: Sight, held: HeldBack): Message {
  const { content } = message
  if (typeof content === 'string') return { ...message, content: net.withhold(content, counting(held)) }
  return {
    ...message,
    content: content.map((part) =>
      part.type === 'text' ? { ...part, text: net.withhold(part.text, counting(held)) } : part,
    ),
  }
}

function withheldAnswer(message: AssistantMessage, { net }: Sight, held: HeldBack): AssistantMessage {
  const clean = (text: string) => net.withhold(text, counting(held))
  return {
    ...message,
    content: message.content.flatMap((part): AssistantMessage['content'] => {
      if (part.type === 'text') return [{ ...part, text: clean(part.text) }]
      if (part.type === 'toolCall') return [{ ...part, arguments: cleanRecord(part.arguments, clean) }]
      // A thought is signed: it goes as it is, or not at all.
      return clean(part.thinking) === part.thinking ? [part] : []
    }),
  }
}

function withheldResult(message: ToolResultMessage, path: string, sight: Sight, held: HeldBack): ToolResultMessage {
  const recalled = message.details?.kind === 'recall' ? message.details.recall.results.map((one) => one.path) : []
  const known = [path, ...recalled].map((one) => sight.notes.get(one))
  const text = (part: string) => {
    // It was read before somebody marked the note; a failure says what was refused.
    if (known.some((note) => note?.isWhole) && !message.isError) {
      counting(held)(path || (recalled[0] ?? ''))
      return placeholderOf.toolResult
    }
    return sight.net.withhold(
      part,
      counting(held),
      known.every((note) => note === undefined),
    )
  }
  return {
    ...message,
    content: message.content.map((part) => (part.type === 'text' ? { ...part, text: text(part.text) } : part)),
  }
}

/** What a call of ours reads or writes; Anthropic's tool names it from `/memories` on. */
function pathOf({ arguments: { path, old_path: old } }: ToolCallPart): string {
  const named = typeof path === 'string' ? path : typeof old === 'string' ? old : ''
  return named.replace(/^\/memories\//, 'memory/').replace(/^\.\//, '')
}

function cleanRecord(record: Readonly<Record<string, unknown>>, clean: (text: string) => string) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, cleanValue(value, clean)]))
}

function cleanValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, clean))
  if (typeof value !== 'object' || value === null) return value
  return cleanRecord(value as Record<string, unknown>, clean)
}

function textsOf(message: Message): string[] {
  if (typeof message.content === 'string') return [message.content]
  return message.content.map((part) => {
    if (part.type === 'text') return part.text
    if (part.type === 'thinking') return part.thinking
    return part.type === 'toolCall' ? JSON.stringify(part.arguments) : ''
  })
}
