/**
 * The fixed part of a chat's requests: system prompt, loaded files and tools. It stays as it was read first, so that
 * consecutive requests have the same beginning and the model server can reuse it. It is read again for another model,
 * after a compaction, after a change of settings, and when the provider's cache has expired.
 */
import type { ToolDefinition } from '#llm'
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
