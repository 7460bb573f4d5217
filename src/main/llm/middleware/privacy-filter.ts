/**
 * The gate that every request to a model passes (M64). To a remote one nothing goes that is local: not the words of local
 * notes, wherever they stand in it, and nothing that a local model said or summarised with such words before it. A local
 * model gets everything, and its answer is marked where that was so.
 */
import {
  splitAttachments,
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type ToolResultMessage,
  type UserMessage,
} from '#shared/chat/messages.ts'
import { KnownWords, type Sight } from '#workspace/privacy'
import type { ChatModel, ModelRequest } from '../model.ts'

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
      if (!model.isLocal) {
        for await (const event of model.stream(withheld(request, sight), signal))
          yield event.type === 'done' ? { ...event, message: withOwnWords(event.message, sight) } : event
        return
      }
      const isMarked = holdsLocal(request, sight)
      for await (const event of model.stream(request, signal))
        yield isMarked && event.type === 'done' ? { ...event, message: { ...event.message, local: true } } : event
    },
  }
}

/**
 * What a remote model says of local lines that its request was without, it says by itself. It is noted, for these words come
 * back to it as they are: were they taken out, it would learn which of its guesses are right.
 */
function withOwnWords(message: AssistantMessage, { net }: Sight): AssistantMessage {
  const guessed = saidIn(message).flatMap((text) => net.stretches(text).map(({ start, end }) => text.slice(start, end)))
  return guessed.length === 0 ? message : { ...message, guessed: [...new Set(guessed)] }
}

/** What its own words are in a conversation. */
export function ownWordsOf(messages: readonly Message[]): KnownWords {
  return new KnownWords(messages.flatMap((one) => (one.role === 'assistant' && !one.local && one.guessed) || []))
}

/** The request as a remote model may see it. The same again changes nothing. */
export function withheld(request: ModelRequest, sight: Sight, held = nothingHeld()): ModelRequest {
  return {
    ...request,
    system: request.system.map((text) => sight.net.withhold(text, counting(held), { isNote: true })),
    messages: withheldMessages(request.messages, sight, held),
  }
}

/** @param known words that are the model's own */
export function withheldMessages(
  messages: readonly Message[],
  sight: Sight,
  held = nothingHeld(),
  known = ownWordsOf(messages),
): Message[] {
  const paths = new Map<string, string>()
  const hiding: Hiding = { sight, held, known }
  return messages.map((message): Message => {
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'toolCall') paths.set(part.id, pathOf(part, sight))
    if (message.local) {
      held.messages += 1
      return placeholder(message)
    }
    switch (message.role) {
      case 'user':
        return withheldUser(message, hiding)
      case 'assistant':
        return withheldAnswer(message, hiding)
      case 'toolResult':
        return withheldResult(message, paths.get(message.toolCallId) ?? '', hiding)
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

/** What is to be hidden, from whom, and where that is counted. */
interface Hiding {
  readonly sight: Sight
  readonly held: HeldBack
  readonly known: KnownWords
}

function withheldUser(message: UserMessage, { sight, held, known }: Hiding): Message {
  const { content } = message
  const isAttached = (text: string) =>
    splitAttachments({ ...message, content: [{ type: 'text', text }] }).files.length > 0
  const clean = (text: string) =>
    sight.net.withhold(text, counting(held), { known, isTyped: !message.sources && !isAttached(text) })
  if (typeof content === 'string') return { ...message, content: clean(content) }
  return {
    ...message,
    content: content.map((part) => (part.type === 'text' ? { ...part, text: clean(part.text) } : part)),
  }
}

function withheldAnswer(message: AssistantMessage, { sight, held, known }: Hiding): AssistantMessage {
  const clean = (text: string) => sight.net.withhold(text, counting(held), { known })
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

function withheldResult(message: ToolResultMessage, path: string, hiding: Hiding): ToolResultMessage {
  const { sight, held, known: own } = hiding
  const recalled = message.details?.kind === 'recall' ? message.details.recall.results.map((one) => one.path) : []
  const known = [path, ...recalled].map((one) => sight.notes.get(one))
  const text = (part: string) => {
    // It was read before somebody marked the note; a failure says what was refused.
    if (known.some((note) => note?.isWhole) && !message.isError) {
      counting(held)(path || (recalled[0] ?? ''))
      return placeholderOf.toolResult
    }
    const isNote = known.every((note) => note === undefined)
    return sight.net.withhold(part, counting(held), { isNote, known: own })
  }
  return {
    ...message,
    content: message.content.map((part) => (part.type === 'text' ? { ...part, text: text(part.text) } : part)),
  }
}

/** What a call of ours reads or writes; Anthropic's tool names it from `/memories` on. */
function pathOf({ arguments: { path, old_path: old } }: ToolCallPart, sight: Sight): string {
  const named = typeof path === 'string' ? path : typeof old === 'string' ? old : ''
  const below = /^\/memories(\/.*)$/.exec(named)?.[1]
  if (below === undefined) return named.replace(/^\.\//, '')
  // The folder may lie in the agent's own: of the local notes, the one that is called so is meant.
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

/** The pieces of an answer as they are looked through one by one. */
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
