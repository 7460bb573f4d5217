/**
 * An answer while it is being given, on disk: what was said so far is in a file beside the transcript within a moment, so
 * that a crash in mid-answer loses next to nothing. When the answer is in the transcript the file goes; one that is found
 * later belongs to an answer that was cut off, and becomes a message marked so.
 */
import { appendFile, readFile, rm } from 'node:fs/promises'
import { isSystemError } from '../../shared/errors.ts'
import { noUsage, type AssistantMessage } from '../../shared/messages.ts'
import { parseJson } from '../../shared/json.ts'

/** What is said is on disk after this, ms. */
const writeEveryMs = 150
/** Characters that may wait for the disk. */
const mostUnwritten = 1_000_000

interface Opening {
  readonly pid: number
  readonly provider: string
  readonly model: string
  readonly timestamp: number
}

export class LiveAnswer {
  readonly #file: string
  #pending: string
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  /** Characters that the disk was given and has not taken yet. */
  #unwritten = 0

  constructor(file: string, by: { readonly provider: string; readonly model: string }) {
    const { provider, model } = by
    const opening: Opening = { pid: process.pid, provider, model, timestamp: Date.now() }
    this.#file = file
    this.#pending = `${JSON.stringify(opening)}\n`
    this.#schedule()
  }

  /** Resolves at once, unless the disk is far behind: then whoever reads the answer waits for it, and so does its giver. */
  async add(type: 'text' | 'thinking', delta: string): Promise<void> {
    this.#pending += `${JSON.stringify({ [type]: delta })}\n`
    this.#schedule()
    if (this.#pending.length + this.#unwritten > mostUnwritten) await this.#writing
  }

  /** The answer is in the transcript, or there is none. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#writing
    await rm(this.#file, { force: true })
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
  let lines: string[]
  try {
    lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
  const parts = lines.map(parseJson)
  const opening = parts[0] as Opening | undefined
  if (opening && opening.pid !== process.pid && isRunning(opening.pid)) return undefined
  await rm(file, { force: true })
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
  }
}

function joined(parts: readonly unknown[], key: 'text' | 'thinking'): string {
  return parts.map((part) => (part as Partial<Record<typeof key, string>> | undefined)?.[key] ?? '').join('')
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isSystemError(error, 'EPERM')
  }
}
