/**
 * Messages that the app has not received yet. They survive a reload of the tab. Those that were sent while offline are
 * sent in order after reconnecting; until then the user can take them back. A message whose connection fails, or whose
 * tab is reloaded, during sending is not sent again automatically, since it may have arrived.
 */
import { ORPCError } from '@orpc/client'
import { useSyncExternalStore } from 'react'
import { client, connection } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import type { OutgoingMessage } from './composer.tsx'
import { sendMessage } from './private-lines.tsx'

export interface OutboxMessage extends OutgoingMessage {
  readonly id: string
  readonly agent: string
  /** Undefined if the message starts a new chat. */
  readonly session: string | undefined
  readonly reopen: boolean
  readonly withoutMemory: boolean
  /** Undefined: `chat.default` applies. */
  readonly isPrivate: boolean | undefined
  /** Set if the message was rejected, or `unknown` if it may have arrived. The user must retry or remove it. */
  readonly problem?: string
}

const storageName = 'commonplace:unsent'
/** A message whose sending takes longer is shown as being sent. */
const showSendingAfterMs = 600
/** If sending takes longer, the connection is checked. */
const checkConnectionAfterMs = 2500

type NewMessage = Omit<OutboxMessage, 'id' | 'problem'>

class Outbox {
  #messages: readonly OutboxMessage[] = loadMessages()
  #isSending = false
  /** Messages that are being sent now, by id; true once it takes long enough to show. */
  readonly #sending = new Map<string, boolean>()
  readonly #listeners = new Set<() => void>()
  readonly #chatStartedListeners = new Set<(agent: string, session: string) => void>()

  get messages(): readonly OutboxMessage[] {
    return this.#messages
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onChatStarted(listener: (agent: string, session: string) => void): () => void {
    this.#chatStartedListeners.add(listener)
    return () => this.#chatStartedListeners.delete(listener)
  }

  /** Returns undefined for a message that waits, or whether the one that is being sent is shown. */
  isShownAsSending(id: string): boolean | undefined {
    return this.#sending.get(id)
  }

  /** Sends a message at once. It is stored until the app has it. @returns as `sendMessage` */
  async sendNow(message: NewMessage): Promise<Awaited<ReturnType<typeof sendMessage>>> {
    const id = crypto.randomUUID()
    this.#sending.set(id, false)
    this.#setMessages([...this.#messages, { ...message, id, problem: 'unknown' }])
    // A command can take long to answer, so it is not shown as being sent.
    const showTimer = setTimeout(() => {
      this.#sending.set(id, !message.text.startsWith('/'))
      this.#setMessages([...this.#messages])
    }, showSendingAfterMs)
    const checkTimer = setTimeout(() => void connection.check(), checkConnectionAfterMs)
    const result = await sendMessage({ ...message, attachments: [...message.attachments] })
    clearTimeout(showTimer)
    clearTimeout(checkTimer)
    this.#sending.delete(id)
    this.remove(id)
    return result
  }

  add(message: NewMessage): void {
    this.#setMessages([...this.#messages, { ...message, id: crypto.randomUUID() }])
    void this.send()
  }

  remove(id: string): void {
    this.#setMessages(this.#messages.filter((message) => message.id !== id))
  }

  retry(id: string): void {
    const withoutProblem = ({ problem: _problem, ...message }: OutboxMessage): OutboxMessage => message
    this.#setMessages(this.#messages.map((message) => (message.id === id ? withoutProblem(message) : message)))
    void this.send()
  }

  /** Sends the waiting messages one after the other. Stops when the connection is lost. */
  async send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    try {
      for (;;) {
        const next = this.#messages.find(({ problem }) => problem === undefined)
        if (!next || connection.state !== 'open') return
        await this.#sendOne(next)
      }
    } finally {
      this.#isSending = false
    }
  }

  async #sendOne({ id, problem: _problem, ...message }: OutboxMessage): Promise<void> {
    const { agent, session, attachments } = message
    try {
      const sent = await client.chat.send({ ...message, attachments: [...attachments] })
      // Other messages for the same new chat continue in it.
      const continues = (other: OutboxMessage) =>
        session === undefined && other.session === undefined && other.agent === agent
      const others = this.#messages.filter((other) => other.id !== id)
      this.#setMessages(others.map((other) => (continues(other) ? { ...other, session: sent.session } : other)))
      if (session === undefined) for (const listener of this.#chatStartedListeners) listener(agent, sent.session)
    } catch (error) {
      const problem = error instanceof ORPCError ? explainError(error) : 'unknown'
      this.#setMessages(this.#messages.map((message) => (message.id === id ? { ...message, problem } : message)))
    }
  }

  #setMessages(messages: readonly OutboxMessage[]): void {
    this.#messages = messages
    try {
      sessionStorage.setItem(storageName, JSON.stringify(messages))
    } catch {
      // The storage quota is exceeded: the messages stay in memory until the tab closes.
    }
    for (const listener of this.#listeners) listener()
  }
}

function loadMessages(): readonly OutboxMessage[] {
  try {
    const parsed: unknown = JSON.parse(sessionStorage.getItem(storageName) ?? '[]')
    return Array.isArray(parsed) ? parsed.filter(isOutboxMessage) : []
  } catch {
    return []
  }
}

function isOutboxMessage(value: unknown): value is OutboxMessage {
  if (typeof value !== 'object' || value === null) return false
  const { id, agent, text, attachments } = value as Record<string, unknown>
  return [id, agent, text].every((field) => typeof field === 'string') && Array.isArray(attachments)
}

export const outbox = new Outbox()

export function sendOnReconnect(): void {
  connection.onChange(() => void outbox.send())
  void outbox.send()
}

export function useOutboxMessages(agent: string, session: string | undefined): readonly OutboxMessage[] {
  const messages = useSyncExternalStore(outbox.subscribe, () => outbox.messages)
  return messages.filter(
    (message) =>
      message.agent === agent && message.session === session && outbox.isShownAsSending(message.id) !== false,
  )
}
