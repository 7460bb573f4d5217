/**
 * Saves an answer to a `.partial` file while it streams, so that a crash loses almost nothing. The file is deleted when
 * the answer is in the transcript. A partial file without a lock is left from a crash and becomes a message marked as
 * interrupted.
 */
import { appendFile, rm } from 'node:fs/promises'
import { z } from 'zod'
import { lockForName, readIfExists, type FileLock } from '#platform'
import { noUsage, type AssistantMessage } from '#shared/chat/messages.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'

const writeEveryMs = 150
/** Characters that may wait for the disk before the stream slows. */
const maxUnwritten = 1_000_000

const openingSchema = z.object({
  provider: z.string(),
  model: z.string(),
  timestamp: z.number(),
  local: z.literal(true).optional(),
})
type Opening = z.infer<typeof openingSchema>

export class LiveAnswer {
  readonly #file: string
  #pending: string
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  readonly #lock: ReturnType<typeof takeLock>
  #charactersInFlight = 0

  constructor(
    file: string,
    author: { readonly provider: string; readonly model: string; readonly isLocal: boolean },
    at: Date,
  ) {
    const { provider, model, isLocal } = author
    // After a crash the request is unknown, so mark any answer of a local model as local.
    const opening: Opening = { provider, model, timestamp: at.getTime(), ...(isLocal ? { local: true } : {}) }
    this.#file = file
    this.#lock = takeLock(file)
    this.#pending = `${JSON.stringify(opening)}\n`
    this.#schedule()
  }

  /** Queues a delta. Waits for the disk only if much text is unwritten. Never throws. */
  async add(type: 'text' | 'thinking', delta: string): Promise<void> {
    this.#pending += `${JSON.stringify({ [type]: delta })}\n`
    this.#schedule()
    if (this.#pending.length + this.#charactersInFlight > maxUnwritten) await this.#writing
  }

  /** Deletes the partial file. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#writing
    await rm(this.#file, { force: true })
    if (this.#lock !== 'held') this.#lock?.deleteAndClose()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const text = this.#pending
      this.#pending = ''
      // Ignore write errors: only crash recovery uses the file.
      this.#charactersInFlight += text.length
      this.#writing = this.#writing
        .then(() => appendFile(this.#file, text))
        .catch(() => undefined)
        .then(() => {
          this.#charactersInFlight -= text.length
        })
    }, writeEveryMs)
  }
}

/**
 * Turns the partial answer of a crash into a message and deletes its file. Returns undefined if the file is missing,
 * empty or still in use.
 */
export async function recoverInterrupted(file: string): Promise<AssistantMessage | undefined> {
  if ((await readIfExists(file)) === undefined) return undefined
  const lock = takeLock(file)
  if (lock === 'held') return undefined
  try {
    const parts = ((await readIfExists(file)) ?? '').split('\n').filter(Boolean).map(parseJson)
    await rm(file, { force: true })
    return messageOf(parts)
  } finally {
    lock?.deleteAndClose()
  }
}

function messageOf(parts: readonly unknown[]): AssistantMessage | undefined {
  const opening = openingSchema.safeParse(parts[0]).data
  const text = joinDeltas(parts, 'text')
  const thinking = joinDeltas(parts, 'thinking')
  if (!opening || (text === '' && thinking === '')) return undefined
  return {
    role: 'assistant',
    content: [
      ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ],
    provider: opening.provider,
    model: opening.model,
    usage: noUsage,
    stopReason: 'aborted',
    errorCode: 'interrupted',
    timestamp: opening.timestamp,
    ...(opening.local ? { local: true } : {}),
  }
}

function joinDeltas(parts: readonly unknown[], key: 'text' | 'thinking'): string {
  return parts.map((part) => (isRecord(part) && typeof part[key] === 'string' ? part[key] : '')).join('')
}

/** Returns undefined if locks fail; a second process may then take a streaming answer for a crashed one. */
function takeLock(file: string): FileLock | 'held' | undefined {
  try {
    const lock = lockForName(file)
    if (lock.tryAcquire()) return lock
    lock.close()
    return 'held'
  } catch {
    return undefined
  }
}
