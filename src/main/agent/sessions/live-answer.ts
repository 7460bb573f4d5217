/**
 * Saves an answer to a `.partial` file while it streams, so that a crash loses almost nothing. The file is deleted when
 * the answer is in the transcript. A partial file that no process has locked was left by a crash. It becomes a message
 * marked as interrupted.
 */
import { appendFile, rm } from 'node:fs/promises'
import { z } from 'zod'
import type { ChatModel } from '#llm'
import { lockForName, readIfExists, type FileLock } from '#platform'
import { noUsage, type AssistantMessage } from '#shared/chat/messages.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'

const writeEveryMs = 150
/** Above this many unwritten characters, the stream waits for the disk. */
const maxUnwrittenCharacters = 1_000_000

const headerSchema = z.object({
  provider: z.string(),
  model: z.string(),
  timestamp: z.number(),
  local: z.literal(true).optional(),
})
type Header = z.infer<typeof headerSchema>

export class LiveAnswer {
  readonly #file: string
  #pending: string
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  readonly #lock: ReturnType<typeof takeLock>
  #charactersInFlight = 0

  constructor(file: string, { provider, model }: ChatModel, at: Date) {
    const header: Header = { provider, model, timestamp: at.getTime() }
    this.#file = file
    this.#lock = takeLock(file)
    this.#pending = `${JSON.stringify(header)}\n`
    this.#scheduleWrite()
  }

  /** Queues a delta. Waits for the disk only if too much text is unwritten. Never throws. */
  async add(type: 'text' | 'thinking', delta: string): Promise<void> {
    this.#pending += `${JSON.stringify({ [type]: delta })}\n`
    this.#scheduleWrite()
    if (this.#pending.length + this.#charactersInFlight > maxUnwrittenCharacters) await this.#writing
  }

  /** Deletes the partial file. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#writing
    await rm(this.#file, { force: true })
    if (this.#lock !== 'locked') this.#lock?.deleteAndClose()
  }

  #scheduleWrite(): void {
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
  if (lock === 'locked') return undefined
  try {
    const lines = ((await readIfExists(file)) ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => parseJson(line))
    await rm(file, { force: true })
    return toMessage(lines)
  } finally {
    lock?.deleteAndClose()
  }
}

function toMessage(lines: readonly unknown[]): AssistantMessage | undefined {
  const header = headerSchema.safeParse(lines[0]).data
  const text = joinDeltas(lines, 'text')
  const thinking = joinDeltas(lines, 'thinking')
  if (!header || (text === '' && thinking === '')) return undefined
  return {
    role: 'assistant',
    content: [
      ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ],
    provider: header.provider,
    model: header.model,
    usage: noUsage,
    stopReason: 'aborted',
    errorCode: 'interrupted',
    timestamp: header.timestamp,
    ...(header.local ? { local: true } : {}),
  }
}

function joinDeltas(lines: readonly unknown[], key: 'text' | 'thinking'): string {
  return lines.map((line) => (isRecord(line) && typeof line[key] === 'string' ? line[key] : '')).join('')
}

/** Returns undefined if locks fail; another process may then mistake the running answer for one left by a crash. */
function takeLock(file: string): FileLock | 'locked' | undefined {
  try {
    const lock = lockForName(file)
    if (lock.tryAcquire()) return lock
    lock.close()
    return 'locked'
  } catch {
    return undefined
  }
}
