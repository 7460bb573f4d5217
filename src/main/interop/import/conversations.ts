import { z } from 'zod'
import { isRecord } from '#shared/util/json.ts'
import { toFileName } from '#workspace'

export interface SourceText {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Conversations {
  readonly kind: 'chatgpt' | 'claude'
  readonly files: readonly SourceText[]
  readonly skipped: number
}

interface Message {
  readonly speaker: 'User' | 'Assistant'
  readonly text: string
}

const chatgptSchema = z.looseObject({
  title: z.string().nullish(),
  create_time: z.number().nullish(),
  current_node: z.string().nullish(),
  mapping: z.record(
    z.string(),
    z.looseObject({
      parent: z.string().nullish(),
      message: z
        .looseObject({
          author: z.looseObject({ role: z.string() }),
          content: z.looseObject({ parts: z.array(z.unknown()).optional(), text: z.string().optional() }),
        })
        .nullish(),
    }),
  ),
})

const claudeSchema = z.looseObject({
  name: z.string().nullish(),
  created_at: z.string().nullish(),
  chat_messages: z.array(
    z.looseObject({
      sender: z.string(),
      text: z.string().nullish(),
      content: z.array(z.looseObject({ type: z.string(), text: z.string().nullish() })).optional(),
    }),
  ),
})

/** @returns undefined if the value is not a known export */
export function readConversations(value: unknown): Conversations | undefined {
  if (!Array.isArray(value)) return undefined
  const conversations: readonly unknown[] = value
  const [first] = conversations
  const kind = hasField(first, 'mapping') ? 'chatgpt' : hasField(first, 'chat_messages') ? 'claude' : undefined
  if (!kind) return undefined
  const files = conversations.flatMap((one) => (kind === 'chatgpt' ? fromChatgpt(one) : fromClaude(one)) ?? [])
  return { kind, files, skipped: conversations.length - files.length }
}

const hasField = (value: unknown, name: string) => isRecord(value) && Object.hasOwn(value, name)

function fromChatgpt(value: unknown): SourceText | undefined {
  const parsed = chatgptSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { mapping, current_node, title, create_time } = parsed.data
  const messages: Message[] = []
  const visited = new Set<string>()
  // Follow the parents of the last message: this leaves out edited and regenerated branches.
  for (let id = current_node; typeof id === 'string' && !visited.has(id); id = mapping[id]?.parent) {
    visited.add(id)
    const message = mapping[id]?.message
    const role = message?.author.role
    if (!message || (role !== 'user' && role !== 'assistant')) continue
    const parts = message.content.parts?.filter((part) => typeof part === 'string') ?? [message.content.text ?? '']
    messages.unshift({ speaker: role === 'user' ? 'User' : 'Assistant', text: parts.join('\n') })
  }
  return toDocument(title, create_time ? new Date(create_time * 1000) : undefined, messages)
}

function fromClaude(value: unknown): SourceText | undefined {
  const parsed = claudeSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { name, created_at, chat_messages } = parsed.data
  const messages = chat_messages.map(({ sender, text, content }): Message => {
    const parts = content?.flatMap((part) => (part.type === 'text' && part.text ? [part.text] : []))
    return { speaker: sender === 'human' ? 'User' : 'Assistant', text: text || (parts ?? []).join('\n') }
  })
  return toDocument(name, created_at ? new Date(created_at) : undefined, messages)
}

function toDocument(title: string | null | undefined, createdAt: Date | undefined, messages: readonly Message[]) {
  const nonEmpty = messages.filter(({ text }) => text.trim() !== '')
  if (nonEmpty.length === 0) return undefined
  const date = createdAt && !Number.isNaN(createdAt.getTime()) ? createdAt.toISOString().slice(0, 10) : undefined
  const heading = title?.trim() || 'Conversation'
  const body = nonEmpty.map(({ speaker, text }) => `**${speaker}:** ${text.trim()}`).join('\n\n')
  const path = `${date === undefined ? '' : `${date} `}${toFileName(heading, 'Conversation')}.md`
  return { path, text: `# ${heading}\n\n${date === undefined ? '' : `*${date}*\n\n`}${body}\n` }
}
