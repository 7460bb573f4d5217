import type { Log } from '#platform'

interface UncaughtOptions {
  readonly log: Log
  /** @param fault `isRepeated`: true if faults are so frequent that a restart is advisable */
  readonly onFault: (fault: { readonly reference: string; readonly isRepeated: boolean }) => void
  readonly now?: () => number
}

const maxPerMinute = 10

/**
 * Logs and reports uncaught exceptions and rejections. The process continues, because other requests share it. The
 * eleventh error within a minute is reported as repeated; the following ones are only counted.
 * @returns a function that restores Node's default: the process exits
 */
export function handleUncaughtErrors(
  { log, onFault, now = () => performance.now() }: UncaughtOptions,
  source: NodeJS.EventEmitter = process,
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
  // Node raises unhandled rejections as uncaught exceptions; Electron only warns.
  source.on('uncaughtException', handleError).on('unhandledRejection', handleError)
  return () => void source.off('uncaughtException', handleError).off('unhandledRejection', handleError)
}
