/**
 * The one message type of the app: what a transcript stores, what the agent loop works on, what the interface shows.
 * The layout is the one that pi and early OpenClaw write, so that their transcripts open here; each model provider
 * converts it to its own wire format at its edge.
 */
import { z } from 'zod'
import { errorDataSchema } from './errors.ts'
import { sourceKinds } from './provenance.ts'
import { toolDetailsSchema } from './tool-details.ts'

export const textPartSchema = z.object({ type: z.literal('text'), text: z.string() })
export const imagePartSchema = z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() })
export const thinkingPartSchema = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  /** What the provider wants to get back with it, unread. */
  thinkingSignature: z.string().optional(),
  /** The provider shows nothing of this thought; the signature stands for it. */
  redacted: z.boolean().optional(),
})
export const toolCallPartSchema = z.object({
  type: z.literal('toolCall'),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** What the provider wants to get back with the call, unread. */
  thoughtSignature: z.string().optional(),
})

/** Tokens as the provider reports them. `input` excludes what was read from or written to a prompt cache. */
export const usageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  totalTokens: z.number(),
  /** US dollars, where the model has a price. */
  cost: z.looseObject({ total: z.number() }).optional(),
})
export type Usage = z.infer<typeof usageSchema>

/** A place that is trusted less than the user (M63). */
export const sourceSchema = z.object({ kind: z.enum(sourceKinds), name: z.string() })

/** What was read or said with local notes before a local model: no remote one ever gets it (M64). */
const localSchema = z.literal(true).optional()

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }

export const userMessageSchema = z.object({
  role: z.literal('user'),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema]))]),
  timestamp: z.number(),
  local: localSchema,
  /** Of a summary: where some of what it stands for comes from (M63). */
  sources: z.array(sourceSchema).optional(),
})

export const stopReasonSchema = z.enum(['stop', 'length', 'toolUse', 'error', 'aborted'])
export type StopReason = z.infer<typeof stopReasonSchema>

export const assistantMessageSchema = z.object({
  role: z.literal('assistant'),
  content: z.array(z.discriminatedUnion('type', [textPartSchema, thinkingPartSchema, toolCallPartSchema])),
  provider: z.string(),
  model: z.string(),
  usage: usageSchema,
  stopReason: stopReasonSchema,
  /** The tool that was about to be called where the answer reached its longest; nothing of the call was kept. */
  cutCall: z.string().optional(),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  errorData: errorDataSchema.optional(),
  timestamp: z.number(),
  local: localSchema,
})

export const toolResultMessageSchema = z.object({
  role: z.literal('toolResult'),
  toolCallId: z.string(),
  toolName: z.string(),
  content: z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema])),
  details: toolDetailsSchema.optional(),
  isError: z.boolean(),
  timestamp: z.number(),
  local: localSchema,
})

export const messageSchema = z.discriminatedUnion('role', [
  userMessageSchema,
  assistantMessageSchema,
  toolResultMessageSchema,
])

export type ToolCallPart = z.infer<typeof toolCallPartSchema>
export type UserMessage = z.infer<typeof userMessageSchema>
export type AssistantMessage = z.infer<typeof assistantMessageSchema>
export type ToolResultMessage = z.infer<typeof toolResultMessageSchema>
export type ImagePart = z.infer<typeof imagePartSchema>
export type Message = z.infer<typeof messageSchema>

const fileTag = /^<file name="([^"]*)">\n([\s\S]*)\n<\/file>$/

/** A text file that goes with a message, as the text part that stands for it. */
export function filePart(name: string, text: string): { type: 'text'; text: string } {
  const plainName = name.replaceAll(/["<>\n]/g, '_')
  return { type: 'text', text: `<file name="${plainName}">\n${text.replaceAll('</file>', '<\\/file>')}\n</file>` }
}

export interface Attachments {
  readonly files: readonly { readonly name: string; readonly text: string }[]
  readonly images: readonly ImagePart[]
}

/** What the user wrote, apart from what they attached. */
export function splitAttachments(message: UserMessage): { text: string } & Attachments {
  if (typeof message.content === 'string') return { text: message.content, files: [], images: [] }
  const own: string[] = []
  const files: { name: string; text: string }[] = []
  const images: ImagePart[] = []
  for (const part of message.content) {
    if (part.type === 'image') {
      images.push(part)
      continue
    }
    const file = fileTag.exec(part.text)
    if (file) files.push({ name: file[1] ?? '', text: (file[2] ?? '').replaceAll('<\\/file>', '</file>') })
    else own.push(part.text)
  }
  return { text: own.join('\n'), files, images }
}

/** Adds up what several requests used. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    totalTokens: one.totalTokens + other.totalTokens,
    ...(one.cost || other.cost ? { cost: { total: (one.cost?.total ?? 0) + (other.cost?.total ?? 0) } } : {}),
  }
}

/** The plain text of a message: its text parts, joined; thinking, tool calls and images left out. */
export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content
  const parts: string[] = []
  for (const part of message.content) if (part.type === 'text') parts.push(part.text)
  return parts.join('\n')
}
