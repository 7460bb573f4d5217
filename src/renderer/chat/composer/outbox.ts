/**
 * Messages that were sent while nobody answered. They wait here, in order, survive a reload of this tab, and are sent as
 * soon as there is somebody again; until then each can be taken back. One of which nobody knows whether it has arrived is
 * not sent a second time by itself.
 */
import { ORPCError } from '@orpc/client'
import { useSyncExternalStore } from 'react'
import { client, connection } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import type { Outgoing } from './composer.tsx'

export interface Unsent extends Outgoing {
  readonly id: string
  readonly agent: string
  /** Undefined for the chat that it would begin. */
  readonly session: string | undefined
  readonly reopen: boolean
  readonly withoutMemory: boolean
  /** Why it was not taken, in words; it waits for the user then. */
  readonly problem?: string
}

const storageName = 'commonplace:unsent'

class Outbox {
  #messages: readonly Unsent[] = stored()
  #isSending = false
  readonly #listeners = new Set<() => void>()
  readonly #begun = new Set<(agent: string, session: string) => void>()

  get messages(): readonly Unsent[] {
    return this.#messages
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Told of every chat that one of these has begun. @returns what ends it */
  onBegun(listener: (agent: string, session: string) => void): () => void {
    this.#begun.add(listener)
    return () => this.#begun.delete(listener)
  }

  add(message: Omit<Unsent, 'id' | 'problem'>): void {
    this.#set([...this.#messages, { ...message, id: crypto.randomUUID() }])
    void this.send()
  }

  remove(id: string): void {
    this.#set(this.#messages.filter((message) => message.id !== id))
  }

  /** Once more, with one that was not taken. */
  retry(id: string): void {
    this.#set(this.#messages.map((message) => (message.id === id ? withoutProblem(message) : message)))
    void this.send()
  }

  /** All that wait, one after the other. */
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

  async #sendOne({ id, agent, session, text, attachments, delivery, reopen, withoutMemory }: Unsent): Promise<void> {
    try {
      const sent = await client.chat.send({
        agent,
        text,
        attachments: [...attachments],
        delivery,
        reopen,
        ...(session === undefined ? { withoutMemory } : { session }),
      })
      // What was meant for the same new chat goes on in it.
      const others = this.#messages.filter((message) => message.id !== id)
      const isBegun = session === undefined
      this.#set(
        others.map((message) =>
          isBegun && message.agent === agent && message.session === undefined
            ? { ...message, session: sent.session }
            : message,
        ),
      )
      if (isBegun) for (const listener of this.#begun) listener(agent, sent.session)
    } catch (error) {
      const problem = error instanceof ORPCError ? explainError(error) : 'unknown'
      this.#set(this.#messages.map((message) => (message.id === id ? { ...message, problem } : message)))
    }
  }

  #set(messages: readonly Unsent[]): void {
    this.#messages = messages
    keep(messages)
    for (const listener of this.#listeners) listener()
  }
}

function withoutProblem({ problem: _told, ...message }: Unsent): Unsent {
  return message
}

/** @throws nothing: what was kept by something else, or not at all, is none */
function stored(): readonly Unsent[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageName) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isUnsent) : []
  } catch {
    return []
  }
}

function isUnsent(kept: unknown): kept is Unsent {
  if (typeof kept !== 'object' || kept === null) return false
  const { id, agent, text, attachments } = kept as Record<string, unknown>
  return [id, agent, text].every((value) => typeof value === 'string') && Array.isArray(attachments)
}

function keep(messages: readonly Unsent[]): void {
  try {
    sessionStorage.setItem(storageName, JSON.stringify(messages))
  } catch {
    // Too large for the browser: they are still here until the tab is closed.
  }
}

export const outbox = new Outbox()

/** Sends what waits whenever there is somebody to take it. */
export function followOutbox(): void {
  connection.onChange(() => void outbox.send())
  void outbox.send()
}

export function useUnsent(agent: string, session: string | undefined): readonly Unsent[] {
  const messages = useSyncExternalStore(outbox.subscribe, () => outbox.messages)
  return messages.filter((message) => message.agent === agent && message.session === session)
}
