import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { queuedMessageSchema } from '#shared/contract/chat.ts'
import { attachmentSchema } from '#shared/contract/chats.ts'
import type { QueuedMessage } from '#shared/contract/index.ts'
import { KeyedQueue, parseStored, readIfExists, writeDurably } from '#platform'
import { listEntryNames } from '#workspace'

const entrySchema = queuedMessageSchema.extend({
  attachments: z.array(attachmentSchema).readonly(),
  model: z.string().optional(),
  /** True if the text is no command, even if it begins like one. */
  isMessage: z.boolean().optional(),
})
export type QueuedEntry = Readonly<z.infer<typeof entrySchema>>

export class MessageQueue {
  readonly #folder: string
  readonly #entries = new Map<string, readonly QueuedEntry[]>()
  /** Ids of messages taken from the queue that are not in the transcript yet; they stay on disk. */
  readonly #taken = new Set<string>()
  readonly #writes = new KeyedQueue()

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Loads the messages that were queued when the app ended. Skips invalid files. @throws file system errors */
  static async open(folder: string): Promise<MessageQueue> {
    const queue = new MessageQueue(folder)
    for (const name of (await listEntryNames(folder)) ?? []) {
      if (!name.endsWith('.json')) continue
      const entries = parseStored(z.array(entrySchema), (await readIfExists(join(folder, name))) ?? '')
      if (entries) queue.#entries.set(name.slice(0, -'.json'.length), entries)
    }
    return queue
  }

  /** Adds a message. @throws the file system error if it cannot be saved; then the message is not queued */
  async add(session: string, message: Omit<QueuedEntry, 'id'>): Promise<void> {
    await this.#update(session, (entries) => [...entries, { ...message, id: randomUUID() }])
  }

  async remove(session: string, id: string): Promise<void> {
    if (this.#taken.has(id)) return
    this.#taken.add(id)
    await this.markDelivered(session, id)
  }

  /** Takes all messages with delivery `next`; `markDelivered` or `requeue` must follow for each. */
  takeNext(session: string): readonly QueuedEntry[] {
    return this.#take(this.#queued(session).filter(({ delivery }) => delivery === 'next'))
  }

  takeFirst(session: string): QueuedEntry | undefined {
    return this.#take(this.#queued(session).slice(0, 1))[0]
  }

  async markDelivered(session: string, id: string): Promise<void> {
    await this.#update(session, (entries) => entries.filter((entry) => entry.id !== id))
    this.#taken.delete(id)
  }

  requeue({ id }: QueuedEntry): void {
    this.#taken.delete(id)
  }

  list(session: string): QueuedMessage[] {
    return this.#queued(session).map(({ id, text, delivery }) => ({ id, text, delivery }))
  }

  #queued(session: string): QueuedEntry[] {
    return (this.#entries.get(session) ?? []).filter(({ id }) => !this.#taken.has(id))
  }

  #take(messages: readonly QueuedEntry[]): readonly QueuedEntry[] {
    for (const { id } of messages) this.#taken.add(id)
    return messages
  }

  #update(session: string, change: (entries: readonly QueuedEntry[]) => readonly QueuedEntry[]): Promise<void> {
    return this.#writes.run(session, async () => {
      const entries = change(this.#entries.get(session) ?? [])
      const file = join(this.#folder, `${session}.json`)
      if (entries.length === 0) await rm(file, { force: true })
      else await writeDurably(file, JSON.stringify(entries))
      this.#entries.set(session, entries)
    })
  }
}
