/**
 * The fixed part of a chat's requests: system prompt, loaded files and tools. It stays as it was read first, so that
 * consecutive requests have the same beginning and the model server can reuse it. It is read again for another model,
 * after a compaction, after a change of settings, and when the provider's cache has expired.
 */
import type { ToolDefinition } from '#llm'
import type { FileChangeNote } from '#shared/chat/messages.ts'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import type { ContextFile } from './assemble.ts'

export interface FixedPart {
  readonly systemPrompt: string
  readonly files: readonly ContextFile[]
  readonly tools: readonly ToolDefinition[]
}

interface StoredPart {
  readonly part: FixedPart
  /** Model, settings and state of the chat that the part was built for. */
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly usedAt: number
}

/** Maximum number of chats with a stored part. */
const maxChats = 50

export class FixedParts {
  readonly #byChat = new Map<string, StoredPart>()

  /** @param lifetimeMs maximum time since its last use; Infinity for none */
  get(chat: string, at: number, lifetimeMs = Infinity): StoredPart | undefined {
    const stored = this.#byChat.get(chat)
    return stored && at - stored.usedAt <= lifetimeMs ? stored : undefined
  }

  /** Keeps a part until `drop`, or until many other chats have theirs. */
  set(chat: string, stored: StoredPart): void {
    this.#byChat.delete(chat)
    this.#byChat.set(chat, stored)
    const [oldest] = this.#byChat.keys()
    if (this.#byChat.size > maxChats && oldest !== undefined) this.#byChat.delete(oldest)
  }

  drop(chat: string): void {
    this.#byChat.delete(chat)
  }
}

/**
 * Changes of the loaded files since the beginning of a chat. Every request begins with the text that the
 * app read first, so that the provider's prompt cache holds. The app sends a change once, with the next message.
 */

/** Lines of the files by path. */
export type FileLines = ReadonlyMap<string, ReadonlySet<string>>

const linesOf = (text: string | null) => (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')

/** Returns the lines that a chat knows: those of the files as they were read, changed by the notes sent since. */
export function knownLines(files: readonly ContextFile[], sent: readonly FileChangeNote[]): FileLines {
  const loaded = files.filter(({ day }) => day !== 'summary')
  const known = new Map(loaded.map(({ path, text }) => [path, new Set(linesOf(text))]))
  for (const { path, added, removed } of sent) {
    const lines = known.get(path) ?? new Set<string>()
    known.set(path, lines)
    for (const line of removed) lines.delete(line)
    for (const line of added) lines.add(line)
  }
  return known
}

/**
 * Returns the changes that the chat does not know of, without those of session summaries.
 * @param written text that the agent wrote in this chat: neither its lines nor those it replaced are sent
 * @param said other text of the chat, whose lines are not sent again
 */
export function changesSince(
  known: FileLines,
  files: readonly ContextFile[],
  written: string,
  said: string,
): FileChangeNote[] {
  const current = new Map(files.filter(({ day }) => day !== 'summary').map(({ path, text }) => [path, linesOf(text)]))
  const isTitle = (line: string) => /^# \d{4}-\d{2}-\d{2}$/.test(line)
  return [...new Set([...known.keys(), ...current.keys()])].flatMap((path) => {
    const before = known.get(path) ?? new Set()
    const after = current.get(path) ?? []
    const isWritten = (line: string) => isTitle(line) || written.includes(noteIn(line))
    const added = after.filter((line) => !before.has(line) && !isWritten(line) && !said.includes(noteIn(line)))
    const removed = [...before].filter((line) => !after.includes(line) && !isWritten(line))
    return added.length + removed.length === 0 ? [] : [{ path, added, removed }]
  })
}

/** Returns a line without list mark, time and source marks, which the app adds to the text of a note. */
function noteIn(line: string): string {
  return withoutLead(line)
    .replace(/^\d{1,2}:\d{2}\s+|\s*\^\[[^\]]*\]/g, '')
    .trim()
}
