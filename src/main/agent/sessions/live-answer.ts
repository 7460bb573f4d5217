/**
 * Saves an answer to a `.partial` file while it streams, so that a crash loses almost nothing. The file is deleted when
 * the answer is in the transcript. A partial file without a running turn was left by a crash. It becomes a message
 * marked as interrupted.
 */
import { createWriteStream, type WriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { z } from 'zod'
import type { ChatModel } from '#llm'
import { readIfExists } from '#platform'
import { noUsage, type AssistantMessage } from '#shared/chat/messages.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'

/** Above this many unwritten bytes, the stream waits for the disk. */
const highWaterMark = 1_000_000

const headerSchema = z.object({
  provider: z.string(),
  model: z.string(),
  timestamp: z.number(),
})

export class LiveAnswer {
  readonly #file: string
  readonly #stream: WriteStream

  constructor(file: string, { provider, model }: ChatModel, at: Date) {
    this.#file = file
    this.#stream = createWriteStream(file, { flags: 'a', highWaterMark })
    // Only crash recovery uses the file.
    this.#stream.on('error', () => undefined)
    this.#stream.write(`${JSON.stringify({ provider, model, timestamp: at.getTime() })}\n`)
  }

  /** Queues a delta. Waits for the disk only if too much text is unwritten. Never throws. */
  async add(type: 'text' | 'thinking', delta: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#stream.write(`${JSON.stringify({ [type]: delta })}\n`, () => resolve())) return
    await promise
  }

  /** Deletes the partial file. */
  async end(): Promise<void> {
    this.#stream.end()
    await finished(this.#stream).catch(() => undefined)
    await rm(this.#file, { force: true })
  }
}

/**
 * Turns the partial answer of a crash into a message and deletes its file. The session must have no running turn.
 * Returns undefined if the file is missing or empty.
 */
export async function recoverInterrupted(file: string): Promise<AssistantMessage | undefined> {
  const text = await readIfExists(file)
  if (text === undefined) return undefined
  await rm(file, { force: true })
  return toMessage(text.split('\n').map((line) => parseJson(line)))
}

function toMessage([first, ...deltas]: readonly unknown[]): AssistantMessage | undefined {
  const header = headerSchema.safeParse(first).data
  const textOf = (key: 'text' | 'thinking') =>
    deltas.map((delta) => (isRecord(delta) && typeof delta[key] === 'string' ? delta[key] : '')).join('')
  const [text, thinking] = [textOf('text'), textOf('thinking')]
  if (!header || text + thinking === '') return undefined
  const content: AssistantMessage['content'] = []
  if (thinking !== '') content.push({ type: 'thinking', thinking })
  if (text !== '') content.push({ type: 'text', text })
  return { role: 'assistant', content, usage: noUsage, stopReason: 'aborted', errorCode: 'interrupted', ...header }
}
