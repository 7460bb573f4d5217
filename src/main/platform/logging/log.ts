import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../clock.ts'

export interface Log {
  readonly file: string
  info(details: object, message: string): void
  warn(details: object, message: string): void
  fault(error: unknown, message: string): string
}

const secretPatterns = [
  /\b(sk|pk|rk)-[A-Za-z0-9_-]{8,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /([?&](?:token|key|api_key)=)[^&\s"]+/gi,
]

export function redact(text: string): string {
  return secretPatterns.reduce((redacted, pattern) => redacted.replace(pattern, '[redacted]'), text)
}

/** Limits of a logged error, UTF-16 code units: a message can quote a whole file. */
const maxMessageLength = 4000
const maxStackLength = 8000

const levels = { info: 30, warn: 40, error: 50 }

/**
 * Opens `commonplace.log` in a folder (absolute). Never throws: lines that cannot be written (disk full, folder missing)
 * are counted, and the count is written when writing works again. At `maxBytes` the file is renamed to `.old`, replacing
 * the previous one. Writes are synchronous so that the last line before a crash is not lost.
 */
export function openLog(folder: string, maxBytes = 10 * 1024 * 1024): Log {
  const file = join(folder, 'commonplace.log')
  let droppedCount = 0
  const append = (line: string) => {
    try {
      mkdirSync(folder, { recursive: true })
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (size > 0 && size + line.length > maxBytes) renameSync(file, `${file}.old`)
      const details = { dropped: droppedCount }
      // The first line break ends a line that a full disk has cut.
      const dropped = droppedCount > 0 ? `\n${formatLine(levels.warn, details, 'log lines could not be written')}` : ''
      appendFileSync(file, dropped + line)
      droppedCount = 0
    } catch {
      // An error of the log cannot be logged.
      droppedCount += 1
    }
  }
  const write = (level: keyof typeof levels, details: object, message: string) =>
    append(redact(formatLine(levels[level], details, message)))
  append('')
  return {
    file,
    info: (details, message) => write('info', details, message),
    warn: (details, message) => write('warn', details, message),
    fault(error, message) {
      const reference = randomBytes(4).toString('hex')
      write('error', { reference, err: describeError(error) }, message)
      return reference
    },
  }
}

function formatLine(level: number, details: object, msg: string): string {
  const time = systemClock().toISOString()
  try {
    return `${JSON.stringify({ level, time, ...details, msg })}\n`
  } catch {
    // For example a cyclic object.
    return `${JSON.stringify({ level, time, msg })}\n`
  }
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
