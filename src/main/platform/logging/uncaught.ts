/**
 * The one place for what nobody caught. It is logged and told, and the process goes on: what went wrong belonged to one
 * request or one event, and everybody else's work is in the same process. When it happens again and again, that is said
 * too, and no longer every time.
 */
import type { Log } from './log.ts'

export interface UncaughtOptions {
  readonly log: Log
  /** Shows it to whoever uses the app. */
  readonly tell: (fault: UncaughtFault) => void
  readonly now?: () => number
}

export interface UncaughtFault {
  /** Stands in the log. */
  readonly reference: string
  /** It happened so often lately that the app had better be started anew. */
  readonly isRepeated: boolean
}

type Source = Pick<NodeJS.EventEmitter, 'on' | 'off'>

/** So many in a minute are no accident any more. */
const maxInAMinute = 10
const minuteMs = 60_000

/** @returns what ends it; from then on Node's own way is taken again: the process ends */
export function followUncaught(
  { log, tell, now = () => performance.now() }: UncaughtOptions,
  source: Source = process,
): () => void {
  let times: number[] = []
  let unsaid = 0
  const follow = (error: unknown) => {
    const time = now()
    times = times.filter((earlier) => time - earlier < minuteMs)
    if (times.length > maxInAMinute) {
      unsaid += 1
      return
    }
    times.push(time)
    if (unsaid > 0) log.warn({ count: unsaid }, 'more was uncaught that was not logged')
    unsaid = 0
    const isRepeated = times.length > maxInAMinute
    const reference = log.fault(error, isRepeated ? 'uncaught, again and again' : 'uncaught')
    tell({ reference, isRepeated })
  }
  // A promise that nobody waits for arrives here too: without a listener of its own Node makes an exception of it.
  source.on('uncaughtException', follow)
  return () => source.off('uncaughtException', follow)
}
