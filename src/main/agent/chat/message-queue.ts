import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { attachmentSchema } from '#shared/contract/sessions.ts'
import type { Attachment, QueuedMessage } from '#shared/contract/index.ts'
import { isSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { KeyedQueue, readIfExists, writeDurably } from '#platform'

export interface QueuedEntry {
  readonly id: string
  readonly text: string
  readonly attachments: readonly Attachment[]
  /** `next`: within the running turn; `after`: once it has ended. */
  readonly delivery: 'next' | 'after'
}

const fileSchema = z.array(
  z.object({
    id: z.string(),
    text: z.string(),
    attachments: z.array(attachmentSchema),
    delivery: z.enum(['next', 'after']),
  }),
)

const extension = '.json'

export class MessageQueue {
  readonly #folder: string
  readonly #queued = new Map<string, readonly QueuedEntry[]>()
  /** Messages taken from the queue that are not in the transcript yet. */
  readonly #taken = new Map<string, readonly QueuedEntry[]>()
  readonly #writes = new KeyedQueue()

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Loads the messages that were queued when the app ended. Skips invalid files. @throws file system errors */
  static async open(folder: string): Promise<MessageQueue> {
    const queue = new MessageQueue(folder)
    for (const name of await fileNamesIn(folder)) {
      if (!name.endsWith(extension)) continue
      const parsed = fileSchema.safeParse(parseJson((await readIfExists(join(folder, name))) ?? ''))
      if (parsed.success) queue.#queued.set(name.slice(0, -extension.length), parsed.data)
    }
    return queue
  }

  /** Adds a message. @throws the file system error if it cannot be saved; then the message is not queued */
  async add(session: string, message: Omit<QueuedEntry, 'id'>): Promise<void> {
    const entry = { ...message, id: randomUUID() }
    this.#queued.set(session, [...messagesOf(this.#queued, session), entry])
    try {
      await this.#save(session)
    } catch (error) {
      removeMessage(this.#queued, session, entry.id)
      throw error
    }
  }

  async remove(session: string, id: string): Promise<void> {
    removeMessage(this.#queued, session, id)
    await this.#save(session)
  }

  /** Takes all messages with delivery `next`; `markDelivered` or `requeue` must follow for each. */
  takeNext(session: string): readonly QueuedEntry[] {
    return this.#take(
      session,
      messagesOf(this.#queued, session).filter(({ delivery }) => delivery === 'next'),
    )
  }

  takeFirst(session: string): QueuedEntry | undefined {
    return this.#take(session, messagesOf(this.#queued, session).slice(0, 1))[0]
  }

  /** Removes a taken message from disk once the transcript has it. */
  async markDelivered(session: string, id: string): Promise<void> {
    removeMessage(this.#taken, session, id)
    await this.#save(session)
  }

  /** Puts a taken message back to the front of the queue. */
  requeue(session: string, message: QueuedEntry): void {
    removeMessage(this.#taken, session, message.id)
    this.#queued.set(session, [message, ...messagesOf(this.#queued, session)])
  }

  list(session: string): QueuedMessage[] {
    return messagesOf(this.#queued, session).map(({ id, text, attachments, delivery }) => ({
      id,
      text,
      attachments: attachments.length,
      delivery,
    }))
  }

  #take(session: string, messages: readonly QueuedEntry[]): readonly QueuedEntry[] {
    for (const { id } of messages) removeMessage(this.#queued, session, id)
    this.#taken.set(session, [...messagesOf(this.#taken, session), ...messages])
    return messages
  }

  #save(session: string): Promise<void> {
    return this.#writes.run(session, async () => {
      const messages = [...messagesOf(this.#taken, session), ...messagesOf(this.#queued, session)]
      const file = join(this.#folder, `${session}${extension}`)
      if (messages.length === 0) await rm(file, { force: true })
      else await writeDurably(file, JSON.stringify(messages))
    })
  }
}

function messagesOf(queues: ReadonlyMap<string, readonly QueuedEntry[]>, session: string): readonly QueuedEntry[] {
  return queues.get(session) ?? []
}

function removeMessage(queues: Map<string, readonly QueuedEntry[]>, session: string, id: string): void {
  const remaining = messagesOf(queues, session).filter((message) => message.id !== id)
  if (remaining.length === 0) queues.delete(session)
  else queues.set(session, remaining)
}

async function fileNamesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return []
    throw error
  }
}
