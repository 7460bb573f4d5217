/**
 * Handles uncaught exceptions and rejections. They are logged and reported, and the process continues, because other
 * requests share it. Above 10 in a minute, they are reported as repeated once and then only counted.
 */
import type { Log } from './log.ts'

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

type Source = Pick<NodeJS.EventEmitter, 'on' | 'off'>

const maxInAMinute = 10
const minuteMs = 60_000

/** Installs the handler. @returns a function that removes it, which restores Node's default: the process exits */
export function handleUncaughtErrors(
  { log, onFault, now = () => performance.now() }: UncaughtOptions,
  source: Source = process,
): () => void {
  let times: number[] = []
  let suppressedCount = 0
  const follow = (error: unknown) => {
    const time = now()
    times = times.filter((earlier) => time - earlier < minuteMs)
    if (times.length > maxInAMinute) {
      suppressedCount += 1
      return
    }
    times.push(time)
    if (suppressedCount > 0) log.warn({ count: suppressedCount }, 'more uncaught errors were not logged')
    suppressedCount = 0
    const isRepeated = times.length > maxInAMinute
    const reference = log.fault(error, isRepeated ? 'uncaught, repeatedly' : 'uncaught')
    onFault({ reference, isRepeated })
  }
  // Node raises unhandled rejections as uncaught exceptions if no listener handles them.
  source.on('uncaughtException', follow)
  return () => source.off('uncaughtException', follow)
}
