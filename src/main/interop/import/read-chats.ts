import { JSONParser } from '@streamparser/json'
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
 * Reads the JSON files of an export, whose chats are not in memory at the same time: lists of chats, one chat, or an
 * object with a list named `conversations`; then the projects and memories of Claude.
 * @param files chunks of each
 * @returns undefined if there is no chat of a known form
 */
export async function readChats(files: readonly AsyncIterable<Uint8Array>[]): Promise<ChatExport | undefined> {
  let kind: ChatExport['kind'] | undefined
  const counts = new OmittedCounts()
  const { count } = counts
  const texts: SourceText[] = []
  const add = (item: unknown) => {
    kind ??= hasField(item, 'mapping') ? 'chatgpt' : hasField(item, 'chat_messages') ? 'claude' : undefined
    const isChatgpt = kind === 'chatgpt'
    if (kind === 'claude' && hasField(item, 'conversations_memory')) texts.push(...readClaudeMemories(item))
    else if (kind === 'claude' && hasField(item, 'docs')) texts.push(...readClaudeProject(item))
    // Other files of an export, such as the one of the user's account.
    if (!kind || !hasField(item, isChatgpt ? 'mapping' : 'chat_messages')) return
    const chat = isChatgpt ? readChatgptChat(item, count) : readClaudeChat(item, count)
    if (chat && chat.messages.length > 0) texts.push(noteOfChat(chat))
    else count(chat ? 'empty' : 'chat')
  }
  let brokenFiles = 0
  for (const chunks of files) if (!(await readItems(chunks, add))) brokenFiles += 1
  if (!kind) return undefined
  // At least the chat in which the file breaks off is lost.
  count('chat', brokenFiles)
  return { kind, files: texts, leftParts: counts.list() }
}

/** Calls `add` with each item of a list, or with an object as a whole. @returns false if the text is not complete JSON */
async function readItems(chunks: AsyncIterable<Uint8Array>, add: (item: unknown) => void): Promise<boolean> {
  const parser = new JSONParser({ paths: ['$.*', '$.conversations.*'], keepStack: false })
  const object: Record<string, unknown> = {}
  let isBroken = false
  parser.onValue = ({ value, key, parent }) => {
    if (Array.isArray(parent)) add(value)
    else if (key !== 'conversations' || !Array.isArray(value)) object[String(key)] = value
  }
  parser.onError = () => {
    isBroken = true
  }
  for await (const chunk of chunks) {
    if (isBroken) break
    parser.write(chunk)
  }
  if (!parser.isEnded && !isBroken) parser.end()
  if (Object.keys(object).length > 0) add(object)
  return !isBroken
}

function hasField(value: unknown, name: string): value is Record<string, unknown> {
  return isRecord(value) && Object.hasOwn(value, name)
}
