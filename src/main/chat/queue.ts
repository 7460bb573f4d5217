/** Messages that were sent while an answer was being given, by conversation, until they are delivered or taken back. */
import { randomUUID } from 'node:crypto'
import type { Attachment, QueuedMessage } from '../../shared/contract/index.ts'

export interface Waiting {
  readonly id: string
  readonly text: string
  readonly attachments: readonly Attachment[]
  readonly delivery: 'next' | 'after'
}

export class MessageQueue {
  readonly #waiting = new Map<string, Waiting[]>()

  add(session: string, message: Omit<Waiting, 'id'>): void {
    this.#waiting.set(session, [...this.#of(session), { ...message, id: randomUUID() }])
  }

  /** Takes back one message. */
  remove(session: string, id: string): void {
    this.#keep(
      session,
      this.#of(session).filter((message) => message.id !== id),
    )
  }

  /** Those that go with the next request. */
  takeNext(session: string): readonly Waiting[] {
    const all = this.#of(session)
    this.#keep(
      session,
      all.filter(({ delivery }) => delivery !== 'next'),
    )
    return all.filter(({ delivery }) => delivery === 'next')
  }

  /** The one that waits longest. */
  takeFirst(session: string): Waiting | undefined {
    const [first, ...rest] = this.#of(session)
    this.#keep(session, rest)
    return first
  }

  shown(session: string): QueuedMessage[] {
    return this.#of(session).map(({ id, text, attachments, delivery }) => ({
      id,
      text,
      attachments: attachments.length,
      delivery,
    }))
  }

  #of(session: string): readonly Waiting[] {
    return this.#waiting.get(session) ?? []
  }

  #keep(session: string, messages: readonly Waiting[]): void {
    if (messages.length === 0) this.#waiting.delete(session)
    else this.#waiting.set(session, [...messages])
  }
}
