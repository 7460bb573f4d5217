/** The log: JSON lines in the state folder, with what could be a secret taken out. */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'

export interface Log {
  /** Where it is written. */
  readonly file: string
  info(details: object, message: string): void
  warn(details: object, message: string): void
  /** @returns a short reference that the user can be shown and that stands in the log */
  fault(error: unknown, message: string): string
  close(): void
}

const secrets = [
  /\b(sk|pk|rk)-[A-Za-z0-9_-]{8,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /([?&](?:token|key|api_key)=)[^&\s"]+/gi,
]

/** Takes out what looks like a key, wherever it stands. */
export function redact(text: string): string {
  return secrets.reduce((redacted, pattern) => redacted.replace(pattern, '[redacted]'), text)
}

export function openLog(folder: string): Log {
  mkdirSync(folder, { recursive: true })
  // Few lines are written, and the last of them before a crash must be there: so at once, not buffered.
  const file = join(folder, 'commonplace.log')
  const destination = pino.destination({ dest: file, sync: true, mkdir: true })
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => void destination.write(redact(line)) },
  )
  return {
    file,
    info: (details, message) => logger.info(details, message),
    warn: (details, message) => logger.warn(details, message),
    fault(error, message) {
      const reference = randomBytes(4).toString('hex')
      logger.error(
        {
          reference,
          err:
            error instanceof Error
              ? { message: error.message, stack: error.stack, cause: String(error.cause ?? '') }
              : String(error),
        },
        message,
      )
      return reference
    },
    close: () => destination.flushSync(),
  }
}
