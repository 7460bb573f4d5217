/**
 * The message type of transcripts, agent loop and interface. Only types and plain helpers: the renderer imports this
 * file without loading zod.
 */
import type { ImagePart, Message, ToolResultMessage, Usage, UserMessage } from './message-schemas.ts'

export type * from './message-schemas.ts'

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }

const fileTag = /^<file name="([^"]*)">\n([\s\S]*)\n<\/file>$/

/** Wraps an attached text file as a text part; `splitAttachments` reverses it. */
export function filePart(name: string, text: string): { type: 'text'; text: string } {
  const plainName = name.replaceAll(/["<>\n]/g, '_')
  return { type: 'text', text: `<file name="${plainName}">\n${text.replaceAll('</file>', '<\\/file>')}\n</file>` }
}

export interface Attachments {
  readonly files: readonly { readonly name: string; readonly text: string }[]
  readonly images: readonly ImagePart[]
}

export function splitAttachments(message: UserMessage): { text: string } & Attachments {
  if (typeof message.content === 'string') return { text: message.content, files: [], images: [] }
  const texts: string[] = []
  const files: { name: string; text: string }[] = []
  const images: ImagePart[] = []
  for (const part of message.content) {
    if (part.type === 'image') {
      images.push(part)
      continue
    }
    const file = fileTag.exec(part.text)
    if (file) files.push({ name: file[1] ?? '', text: (file[2] ?? '').replaceAll('<\\/file>', '</file>') })
    else texts.push(part.text)
  }
  return { text: texts.join('\n'), files, images }
}

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

/** Returns true if a tool of the app changed nothing because its change waits in the inbox. */
export function isSuggestedChange(result: ToolResultMessage): boolean {
  return result.isError && !result.toolName.startsWith('mcp__') && messageText(result).startsWith('write_proposed:')
}

export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content
  const parts: string[] = []
  for (const part of message.content) if (part.type === 'text') parts.push(part.text)
  return parts.join('\n')
}

export function textsInCalls(message: Message): string[] {
  const parts = message.role === 'assistant' ? message.content : []
  const values = parts.flatMap((part) => (part.type === 'toolCall' ? Object.values(part.arguments) : []))
  return values.filter((value) => typeof value === 'string')
}
