/**
 * The message type of transcripts, agent loop and interface. Only types and plain helpers: the renderer imports this
 * file without loading zod.
 */
import type { ImagePart, Message, ToolResultMessage, Usage, UserMessage } from './message-schemas.ts'
import { isRecord } from '../util/json.ts'

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

/** Custom entry appended to the last entry of the branch that becomes active. */
export const branchEntry = 'commonplace.branch'

export interface BranchMark {
  /** Id of the first deleted message; the branch is no longer offered. */
  readonly deleted?: string | undefined
  readonly restored?: string | undefined
}

/** Returns the messages whose branch was deleted and not restored. @param marks data of all branch entries, in order */
export function deletedBranches(marks: readonly unknown[]): Set<string> {
  const ids = new Set<string>()
  for (const { deleted, restored } of marks.filter(isRecord)) {
    if (typeof deleted === 'string') ids.add(deleted)
    if (typeof restored === 'string') ids.delete(restored)
  }
  return ids
}

/** Custom entry that turns memory off or on; the last one applies. Without one, memory is on. */
export const memoryToggleEntry = 'commonplace.memory'

export function isTurnedOff(data: unknown): boolean {
  return isRecord(data) && data['isOff'] === true
}

/** Custom entry that turns the recall of notes for each message off or on, with data as `memoryToggleEntry`. */
export const recallToggleEntry = 'commonplace.recall'

/** Custom entry that makes a chat private, or open again; the last one applies. Without one, a chat is open. */
export const privacyToggleEntry = 'commonplace.privacy'

/** Returns true if the data of such an entry makes the chat private. Invalid data does, too. */
export function isPrivateChat(data: unknown): boolean {
  return data !== undefined && !(isRecord(data) && data['isPrivate'] === false)
}

/** Slash commands, their names in simplified and traditional Chinese, and the name of their argument, if they have one. */
export const commands = [
  { name: 'new', chinese: ['新对话', '新對話'], argument: 'message' },
  { name: 'reset', chinese: ['重置', '重設'], argument: 'message' },
  { name: 'compact', chinese: ['压缩', '壓縮'], argument: 'focus' },
  { name: 'remember', chinese: ['记住', '記住'], argument: 'text' },
  { name: 'search', chinese: ['搜索', '搜尋'], argument: 'query' },
  { name: 'context', chinese: ['上下文', '上下文'], argument: null },
  { name: 'status', chinese: ['状态', '狀態'], argument: null },
  { name: 'model', chinese: ['模型', '模型'], argument: 'model' },
  { name: 'agent', chinese: ['智能体', '助理'], argument: null },
  { name: 'help', chinese: ['帮助', '說明'], argument: null },
] as const

export interface CommandCall {
  readonly name: (typeof commands)[number]['name']
  readonly argument: string
}

/** Chinese input methods type `、` or `／` for `/`. @returns undefined if the message is not a command */
export function parseCommand(message: string): CommandCall | undefined {
  const [, typed = ''] = /^[/／、](.*)$/s.exec(message.trim()) ?? []
  const [word = ''] = /^[a-z]+(?!\S)/.exec(typed) ?? []
  for (const { name, chinese } of commands) {
    // Chinese is written without spaces: /记住明天交房租.
    const used = name === word ? name : chinese.find((other) => typed.startsWith(other))
    if (used !== undefined) return { name, argument: typed.slice(used.length).trim() }
  }
  return undefined
}

/** Returns the name after the slash if no command has it; undefined for other messages, such as `/etc/hosts`. */
export function unknownCommand(message: string): string | undefined {
  return parseCommand(message) ? undefined : /^[/／]([a-z][\w-]*)(?=\s|$)/i.exec(message.trim())?.[1]
}
