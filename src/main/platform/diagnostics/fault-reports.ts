import type { Log } from '../logging/log.ts'
import type { Clock } from '../clock.ts'
import type { Health } from './health.ts'

const maxFaultAgeMs = 60 * 60_000

/** Wraps a log so that its faults of the last hour are also reported as a health problem. */
export function withFaultReports(log: Log, health: Health, now: Clock): Log {
  let times: number[] = []
  let timer: NodeJS.Timeout | undefined
  const dropOldFaults = () => {
    times = times.filter((time) => now().getTime() - time < maxFaultAgeMs)
    clearTimeout(timer)
    const [oldest] = times
    if (oldest === undefined) return health.clear('app', 'faults')
    timer = setTimeout(dropOldFaults, maxFaultAgeMs - (now().getTime() - oldest))
    timer.unref()
  }
  return {
    ...log,
    fault(error, message) {
      const reference = log.fault(error, message)
      times.push(now().getTime())
      dropOldFaults()
      const details = error instanceof Error ? error.message : String(error)
      health.report({
        part: 'app',
        code: 'faults',
        level: 'note',
        message: `${times.length} in the last hour; the newest is ${reference}: ${message}: ${details}`.slice(0, 400),
        remedy: { kind: 'settings', section: 'log' },
      })
      return reference
    },
    close() {
      clearTimeout(timer)
      log.close()
    },
  }
}
