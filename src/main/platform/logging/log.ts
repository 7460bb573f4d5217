import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join, dirname } from 'node:path'
import type { Logger } from 'pino'
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { systemClock } from '../clock.ts'

export interface Log {
  readonly file: string
  info(details: object, message: string): void
  warn(details: object, message: string): void
  /** Logs an error. @returns a short reference, contained in the log line, to show to the user */
  fault(error: unknown, message: string): string
  close(): void
}

const secretPatterns = [
  /\b(sk|pk|rk)-[A-Za-z0-9_-]{8,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /([?&](?:token|key|api_key)=)[^&\s"]+/gi,
]

/** Redacts API keys, tokens and credentials in URLs. */
export function redact(text: string): string {
  return secretPatterns.reduce((redacted, pattern) => redacted.replace(pattern, '[redacted]'), text)
}

/** Limits of a logged error, UTF-16 code units: a message can quote a whole file. */
const maxMessageLength = 4000
const maxStackLength = 8000

/** Opens `commonplace.log` in a folder (absolute). Never throws: a later write tries to open the file again. */
export function openLog(folder: string): Log {
  const path = join(folder, 'commonplace.log')
  const file = new LogFile(path)
  file.open()
  let loggerCache: Logger | undefined
  const logger = () => (loggerCache ??= startLogger((line) => file.write(redact(line))))
  return {
    file: path,
    info: (details, message) => logger().info(details, message),
    warn: (details, message) => logger().warn(details, message),
    fault(error, message) {
      const reference = randomBytes(4).toString('hex')
      logger().error({ reference, err: describeError(error) }, message)
      return reference
    },
    close: () => file.close(),
  }
}

/** Loads pino for the first line: most commands write no line and start 10 ms faster without pino. */
function startLogger(write: (line: string) => void): Logger {
  const { pino } = createRequire(import.meta.url)('pino') as typeof import('pino')
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write })
}

function describeError(error: unknown): object | string {
  try {
    if (!(error instanceof Error)) return String(error).slice(0, maxMessageLength)
    return {
      message: error.message.slice(0, maxMessageLength),
      stack: error.stack?.slice(0, maxStackLength),
      cause: String(error.cause ?? '').slice(0, maxMessageLength),
    }
  } catch {
    // Any value can be thrown, including ones whose conversion to a string throws.
    return 'an error that cannot be described'
  }
}

/**
 * Log file. Writing never throws: lines that cannot be written (disk full, folder missing) are counted, and the count
 * is logged when writing works again. At 10 MB the file is renamed to `.old`, replacing the previous one. Writes are
 * synchronous so that the last line before a crash is not lost.
 */

/** Interval for checking that the path still leads to the open file, and for opening it again, ms. */
const checkIntervalMs = 1000

export class LogFile {
  readonly #path: string
  readonly #maxBytes: number
  readonly #now: () => number
  #handle: number | undefined
  #size = 0
  #checkedAt = -Infinity
  #droppedCount = 0
  #endsInPartialLine = false

  /** @param options `now` is a monotonic clock, ms */
  constructor(path: string, options: { readonly maxBytes?: number; readonly now?: () => number } = {}) {
    this.#path = path
    this.#maxBytes = options.maxBytes ?? 10 * 1024 * 1024
    this.#now = options.now ?? (() => performance.now())
  }

  open(): void {
    try {
      this.#checkFile()
    } catch {
      // A write after `checkIntervalMs` opens the file again.
      this.close()
    }
  }

  write(line: string): void {
    try {
      this.#checkFile()
      if (this.#handle === undefined) {
        this.#droppedCount += 1
        return
      }
      if (this.#size > 0 && this.#size + line.length > this.#maxBytes) this.#rotate()
      const droppedText = this.#droppedCount > 0 ? droppedLine(this.#droppedCount) : ''
      this.#append(this.#handle, `${this.#endsInPartialLine ? '\n' : ''}${droppedText}${line}`)
      this.#droppedCount = 0
    } catch {
      // An error of the log cannot be logged; a later line contains the number of dropped lines.
      this.#droppedCount += 1
      this.close()
    }
  }

  close(): void {
    const handle = this.#handle
    this.#handle = undefined
    if (handle === undefined) return
    try {
      closeSync(handle)
    } catch {
      // The descriptor is released even if close fails.
    }
  }

  #checkFile(): void {
    const now = this.#now()
    if (now - this.#checkedAt < checkIntervalMs && now >= this.#checkedAt) return
    this.#checkedAt = now
    if (this.#handle !== undefined && isSameFile(this.#handle, this.#path)) {
      this.#size = fstatSync(this.#handle).size
      return
    }
    this.close()
    mkdirSync(dirname(this.#path), { recursive: true })
    this.#handle = openSync(this.#path, 'a')
    this.#size = fstatSync(this.#handle).size
  }

  #rotate(): void {
    this.close()
    renameSync(this.#path, `${this.#path}.old`)
    this.#handle = openSync(this.#path, 'a')
    this.#size = 0
    this.#endsInPartialLine = false
  }

  #append(handle: number, text: string): void {
    const bytes = Buffer.from(text, 'utf8')
    for (let offset = 0; offset < bytes.length;) {
      const written = writeSync(handle, bytes, offset)
      offset += written
      this.#size += written
      this.#endsInPartialLine = offset < bytes.length
      if (written === 0) throw new Error('no space left')
    }
  }
}

function isSameFile(handle: number, path: string): boolean {
  const current = statSync(path, { throwIfNoEntry: false })
  const opened = fstatSync(handle)
  return current !== undefined && current.ino === opened.ino && current.dev === opened.dev
}

function droppedLine(count: number): string {
  return `${JSON.stringify({ level: 40, time: systemClock().toISOString(), dropped: count, msg: 'log lines could not be written' })}\n`
}
