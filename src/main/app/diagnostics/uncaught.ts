/**
 * Logs and reports uncaught exceptions and rejections. The process continues, because other requests share it. The
 * eleventh error within a minute is reported as repeated; the following ones are only counted.
 */
import type { Log } from '#platform'

export interface UncaughtOptions {
  readonly log: Log
  readonly onFault: (fault: UncaughtFault) => void
  readonly now?: () => number
}

export interface UncaughtFault {
  readonly reference: string
  /** True if faults are so frequent that a restart is advisable. */
  readonly isRepeated: boolean
}

const maxPerMinute = 10

/** Installs the handler. @returns a function that removes it, which restores Node's default: the process exits */
export function handleUncaughtErrors(
  { log, onFault, now = () => performance.now() }: UncaughtOptions,
  source: Pick<NodeJS.EventEmitter, 'on' | 'off'> = process,
): () => void {
  let recentTimes: number[] = []
  let suppressedCount = 0
  const handleError = (error: unknown) => {
    const time = now()
    recentTimes = recentTimes.filter((earlier) => time - earlier < 60_000)
    if (recentTimes.length > maxPerMinute) {
      suppressedCount += 1
      return
    }
    recentTimes.push(time)
    if (suppressedCount > 0) log.warn({ count: suppressedCount }, 'more uncaught errors were not logged')
    suppressedCount = 0
    const isRepeated = recentTimes.length > maxPerMinute
    const reference = log.fault(error, isRepeated ? 'uncaught, repeatedly' : 'uncaught')
    onFault({ reference, isRepeated })
  }
  // Node raises unhandled rejections as uncaught exceptions if no listener handles them.
  source.on('uncaughtException', handleError)
  return () => source.off('uncaughtException', handleError)
}
