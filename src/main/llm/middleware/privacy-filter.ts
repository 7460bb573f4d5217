/**
 * Filters every request to a model. A remote model receives no local text, and no answer that a local model derived from
 * local text. A local model receives everything; its answer is marked `local` if the request contains local text.
 */
import {
  splitAttachments,
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type ToolResultMessage,
  type UserMessage,
} from '#shared/chat/messages.ts'
import { KnownWords, type Snapshot } from '#workspace/privacy'
import type { ChatModel, ModelRequest } from '../model.ts'

export type TakeSnapshot = () => Promise<Snapshot>

export interface RedactionCounts {
  /** Messages that derive from local text and were replaced as a whole. */
  messages: number
  /** Number of redacted passages by note. */
  readonly notes: Map<string, number>
}

export function noRedactions(): RedactionCounts {
  return { messages: 0, notes: new Map() }
}

export function withPrivacyFilter(model: ChatModel, look: TakeSnapshot): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      const sight = await look()
      if (!model.isLocal) {
        for await (const event of model.stream(redactRequest(request, sight), signal))
          yield event.type === 'done' ? { ...event, message: withGuesses(event.message, sight) } : event
        return
      }
      const isMarked = hasLocalText(request, sight)
      for await (const event of model.stream(request, signal))
        yield isMarked && event.type === 'done' ? { ...event, message: { ...event.message, local: true } } : event
    },
  }
}

/**
 * Records text of a remote model that equals local lines, which it did not receive. Later requests contain that text
 * unchanged: a redaction would tell the model which of its guesses are right.
 */
function withGuesses(message: AssistantMessage, { net }: Snapshot): AssistantMessage {
  const guessed = saidIn(message).flatMap((text) => net.matches(text).map(({ start, end }) => text.slice(start, end)))
  return guessed.length === 0 ? message : { ...message, guessed: [...new Set(guessed)] }
}

/** Returns the recorded guesses of the remote models in a chat. */
export function guessesOf(messages: readonly Message[]): KnownWords {
  return new KnownWords(messages.flatMap((one) => (one.role === 'assistant' && !one.local && one.guessed) || []))
}

/** Returns the request without local text. Idempotent. */
export function redactRequest(request: ModelRequest, sight: Snapshot, held = noRedactions()): ModelRequest {
  return {
    ...request,
    system: request.system.map((text) => sight.net.redact(text, counting(held), { isNote: true })),
    messages: redactMessages(request.messages, sight, held),
  }
}

/** @param known the model's own guesses */
export function redactMessages(
  messages: readonly Message[],
  sight: Snapshot,
  held = noRedactions(),
  known = guessesOf(messages),
): Message[] {
  const paths = new Map<string, string>()
  const hiding: RedactionContext = { sight, held, known }
  return messages.map((message): Message => {
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'toolCall') paths.set(part.id, pathOf(part, sight))
    if (message.local) {
      held.messages += 1
      return placeholder(message)
    }
    switch (message.role) {
      case 'user':
        return redactUserMessage(message, hiding)
      case 'assistant':
        return redactAnswer(message, hiding)
      case 'toolResult':
        return redactResult(message, paths.get(message.toolCallId) ?? '', hiding)
    }
  })
}

/** Returns true if a request contains local text. */
export function hasLocalText(
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  sight: Snapshot,
): boolean {
  if (messages.some(({ local }) => local)) return true
  const holds = (text: string) => sight.net.contains(text)
  // The first prompt explains the mark, so it is not checked.
  if (system.slice(1).some(holds)) return true
  return messages.some((message) => textsOf(message).some(holds))
}

function counting(held: RedactionCounts): (path: string) => void {
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

interface RedactionContext {
  readonly sight: Snapshot
  readonly held: RedactionCounts
  readonly known: KnownWords
}

function redactUserMessage(message: UserMessage, { sight, held, known }: RedactionContext): Message {
  const { content } = message
  const isAttached = (text: string) =>
    splitAttachments({ ...message, content: [{ type: 'text', text }] }).files.length > 0
  const clean = (text: string) =>
    sight.net.redact(text, counting(held), { known, isTyped: !message.sources && !isAttached(text) })
  if (typeof content === 'string') return { ...message, content: clean(content) }
  return {
    ...message,
    content: content.map((part) => (part.type === 'text' ? { ...part, text: clean(part.text) } : part)),
  }
}

function redactAnswer(message: AssistantMessage, { sight, held, known }: RedactionContext): AssistantMessage {
  const clean = (text: string) => sight.net.redact(text, counting(held), { known })
  return {
    ...message,
    content: message.content.flatMap((part): AssistantMessage['content'] => {
      if (part.type === 'text') return [{ ...part, text: clean(part.text) }]
      if (part.type === 'toolCall') return [{ ...part, arguments: cleanRecord(part.arguments, clean) }]
      // Thinking is signed, so it is sent unchanged or not at all.
      return clean(part.thinking) === part.thinking ? [part] : []
    }),
  }
}

function redactResult(message: ToolResultMessage, path: string, hiding: RedactionContext): ToolResultMessage {
  const { sight, held, known: own } = hiding
  const recalled = message.details?.kind === 'recall' ? message.details.recall.results.map((one) => one.path) : []
  const known = [path, ...recalled].map((one) => sight.notes.get(one))
  const text = (part: string) => {
    // The note was marked after it was read. An error message is kept.
    if (known.some((note) => note?.isFullyLocal) && !message.isError) {
      counting(held)(path || (recalled[0] ?? ''))
      return placeholderOf.toolResult
    }
    const isNote = known.every((note) => note === undefined)
    return sight.net.redact(part, counting(held), { isNote, known: own })
  }
  return {
    ...message,
    content: message.content.map((part) => (part.type === 'text' ? { ...part, text: text(part.text) } : part)),
  }
}

/** Returns the path that a call reads or writes. Paths of Anthropic's memory tool begin with `/memories`. */
function pathOf({ arguments: { path, old_path: old } }: ToolCallPart, sight: Snapshot): string {
  const named = typeof path === 'string' ? path : typeof old === 'string' ? old : ''
  const below = /^\/memories(\/.*)$/.exec(named)?.[1]
  if (below === undefined) return named.replace(/^\.\//, '')
  // The folder may be inside another one, so a local note with this path ending is meant.
  const place = `memory${below}`
  return [...sight.notes.keys()].find((path) => path === place || path.endsWith(`/${place}`)) ?? place
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

/** Returns all texts of an answer. */
function saidIn({ content }: AssistantMessage): string[] {
  return content.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    if (part.type === 'thinking') return [part.thinking]
    const said: string[] = []
    cleanRecord(part.arguments, (text) => {
      said.push(text)
      return text
    })
    return said
  })
}

function textsOf(message: Message): string[] {
  if (typeof message.content === 'string') return [message.content]
  return message.content.map((part) => {
    if (part.type === 'text') return part.text
    if (part.type === 'thinking') return part.thinking
    return part.type === 'toolCall' ? JSON.stringify(part.arguments) : ''
  })
}
