/**
 * An answer while it is being given, on disk: what was said so far is in a file beside the transcript within a moment, so
 * that a crash in mid-answer loses next to nothing. When the answer is in the transcript the file goes; one that is found
 * later, and that nobody holds the lock of, belongs to an answer that was cut off, and becomes a message marked so.
 */
import { appendFile, rm } from 'node:fs/promises'
import { z } from 'zod'
import { lockOf, readIfThere, type FileLock } from '#platform'
import { noUsage, type AssistantMessage } from '#shared/chat/messages.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'

/** What is said is on disk after this, ms. */
const writeEveryMs = 150
/** Characters that may wait for the disk. */
const maxUnwritten = 1_000_000

/** The first line of the file. */
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
  /** Characters that the disk was given and has not taken yet. */
  #unwritten = 0

  constructor(
    file: string,
    by: { readonly provider: string; readonly model: string; readonly isLocal: boolean },
    at: Date,
  ) {
    const { provider, model, isLocal } = by
    // What it was told is not known after a crash: it may have been of local notes.
    const opening: Opening = { provider, model, timestamp: at.getTime(), ...(isLocal ? { local: true } : {}) }
    this.#file = file
    this.#lock = takeLock(file)
    this.#pending = `${JSON.stringify(opening)}\n`
    this.#schedule()
  }

  /** Resolves at once, unless the disk is far behind: then whoever reads the answer waits for it, and so does its giver. */
  async add(type: 'text' | 'thinking', delta: string): Promise<void> {
    this.#pending += `${JSON.stringify({ [type]: delta })}\n`
    this.#schedule()
    if (this.#pending.length + this.#unwritten > maxUnwritten) await this.#writing
  }

  /** The answer is in the transcript, or there is none. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#writing
    await rm(this.#file, { force: true })
    if (this.#lock !== 'held') this.#lock?.discard()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const text = this.#pending
      this.#pending = ''
      // Nothing hangs on it but the rescue after a crash: a full disk is told by the transcript.
      this.#unwritten += text.length
      this.#writing = this.#writing
        .then(() => appendFile(this.#file, text))
        .catch(() => undefined)
        .then(() => {
          this.#unwritten -= text.length
        })
    }, writeEveryMs)
  }
}

/** What a crash left of an answer, as a message; undefined when there is none, or it is still being given. */
export async function takeInterrupted(file: string): Promise<AssistantMessage | undefined> {
  if ((await readIfThere(file)) === undefined) return undefined
  const lock = takeLock(file)
  if (lock === 'held') return undefined
  try {
    const parts = ((await readIfThere(file)) ?? '').split('\n').filter(Boolean).map(parseJson)
    await rm(file, { force: true })
    return messageOf(parts)
  } finally {
    lock?.discard()
  }
}

function messageOf(parts: readonly unknown[]): AssistantMessage | undefined {
  const opening = openingSchema.safeParse(parts[0]).data
  const text = joined(parts, 'text')
  const thinking = joined(parts, 'thinking')
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

function joined(parts: readonly unknown[], key: 'text' | 'thinking'): string {
  return parts.map((part) => (isRecord(part) && typeof part[key] === 'string' ? part[key] : '')).join('')
}

/** Undefined where none can be had: then a second process may take an answer that is being given for one that was cut. */
function takeLock(file: string): FileLock | 'held' | undefined {
  try {
    const lock = lockOf(file)
    if (lock.tryTake()) return lock
    lock.close()
    return 'held'
  } catch {
    return undefined
  }
}
