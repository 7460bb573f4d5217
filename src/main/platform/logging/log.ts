import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { LogFile } from './log-file.ts'

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
