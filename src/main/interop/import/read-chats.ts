import { JSONParser } from '@streamparser/json'
import { isRecord } from '#shared/util/json.ts'
import { readChatgptChat, readDeepseekChat } from './chat-trees.ts'
import { memoryNote, noteOfChat, type CountOmitted, type FileOf, type ImportedChat, type SourceText } from './chats.ts'
import { readClaudeChat, readClaudeMemories, readClaudeProject } from './claude.ts'
import { readGeminiActivity, readGeminiChat, toGeminiEntry, type GeminiEntry } from './gemini.ts'

export interface ChatExport {
  readonly kind: 'chatgpt' | 'claude' | 'deepseek' | 'gemini'
  readonly files: readonly SourceText[]
  /** Parts of the service's memory of the user, in Markdown. */
  readonly memories: readonly string[]
}

const readers = {
  chatgpt: readChatgptChat,
  claude: readClaudeChat,
  deepseek: readDeepseekChat,
  gemini: readGeminiChat,
} as const

/** Returns the service of a chat; undefined for another value. */
function serviceOf(item: unknown): ChatExport['kind'] | undefined {
  if (hasField(item, 'mapping')) return hasField(item, 'inserted_at') ? 'deepseek' : 'chatgpt'
  if (hasField(item, 'chat_messages')) return 'claude'
  return hasField(item, 'conversation_turns') ? 'gemini' : undefined
}

/**
 * Reads the JSON files of an export, whose chats are not in memory at the same time: lists of chats, one chat, or an
 * object with a list named `conversations`; then the projects and memories of Claude.
 * @param files chunks of each
 * @returns undefined if there is no chat of a known form
 */
export async function readChats(
  files: readonly AsyncIterable<Uint8Array>[],
  fileOf: FileOf,
  count: CountOmitted,
): Promise<ChatExport | undefined> {
  let kind: ChatExport['kind'] | undefined
  const texts: SourceText[] = []
  const projects = new Map<unknown, unknown>()
  let memory: Record<string, unknown> | undefined
  const activity: GeminiEntry[] = []
  const addChat = (chat: ImportedChat | undefined) => {
    if (chat && chat.messages.length > 0) texts.push(noteOfChat(chat))
    else count(chat ? 'empty' : 'chat')
  }
  const add = (item: unknown) => {
    const service = serviceOf(item)
    const entry = service ? undefined : toGeminiEntry(item)
    kind ??= service ?? (entry ? 'gemini' : hasField(item, 'conversations_memory') ? 'claude' : undefined)
    if (service) addChat(readers[service](item as Record<string, unknown>, count, fileOf))
    else if (entry) activity.push(entry)
    else if (kind === 'claude' && hasField(item, 'conversations_memory')) memory = item
    else if (kind === 'claude' && hasField(item, 'docs')) {
      projects.set(item['uuid'], item['name'])
      texts.push(...readClaudeProject(item, count))
    }
    // Other files of an export, such as the one of the user's account, are not read.
  }
  let brokenFiles = 0
  for (const chunks of files) if (!(await readItems(chunks, add))) brokenFiles += 1
  for (const chat of readGeminiActivity(activity, count, fileOf)) addChat(chat)
  if (!kind) return undefined
  const memories = memory ? readClaudeMemories(memory, projects) : []
  if (memories.length > 0) texts.push({ path: memoryNote, text: `# Claude memory\n\n${memories.join('\n\n')}\n` })
  // At least the chat in which the file breaks off is lost.
  count('chat', brokenFiles)
  return { kind, files: texts, memories }
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
