import type { ImportPlan } from '#shared/contract/index.ts'
import { isRecord } from '#shared/util/json.ts'
import { readChatgptChat } from './chatgpt.ts'
import { noteOfChat, OmittedCounts, type SourceText } from './chats.ts'
import { readClaudeChat, readClaudeMemories, readClaudeProject } from './claude.ts'

export interface ChatExport {
  readonly kind: 'chatgpt' | 'claude'
  readonly files: readonly SourceText[]
  readonly leftParts: ImportPlan['leftParts']
}

/**
 * Reads the JSON files of an export: lists of chats, one chat, or an object with a list named `conversations`; and the
 * projects and memories of Claude.
 * @returns undefined if there is no chat of a known form
 */
export function readChats(values: readonly unknown[]): ChatExport | undefined {
  const items = values.flatMap(itemsOf)
  const isChatgpt = items.some((item) => hasField(item, 'mapping'))
  if (!isChatgpt && !items.some((item) => hasField(item, 'chat_messages'))) return undefined
  const counts = new OmittedCounts()
  const { count } = counts
  const files = items.flatMap((item): SourceText[] => {
    if (!isChatgpt && hasField(item, 'conversations_memory')) return readClaudeMemories(item)
    if (!isChatgpt && hasField(item, 'docs')) return readClaudeProject(item)
    // Other files of an export, such as the one of the user's account.
    if (!hasField(item, isChatgpt ? 'mapping' : 'chat_messages')) return []
    const chat = isChatgpt ? readChatgptChat(item, count) : readClaudeChat(item, count)
    if (chat && chat.messages.length > 0) return [noteOfChat(chat)]
    count(chat ? 'empty' : 'chat')
    return []
  })
  return { kind: isChatgpt ? 'chatgpt' : 'claude', files, leftParts: counts.list() }
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return isRecord(value) && Array.isArray(value['conversations']) ? value['conversations'] : [value]
}

function hasField(value: unknown, name: string): value is Record<string, unknown> {
  return isRecord(value) && Object.hasOwn(value, name)
}
