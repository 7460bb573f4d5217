import { stat as statWithCallback, statSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'

export type StatFile = (path: string) => Stats | Promise<Stats>

/** A synchronous call that takes longer means a slow disk, ms. */
const slowMs = 1
const afterSlow = 64
/** Every this many calls one is asynchronous, so that other work in the thread gets a turn. */
const yieldEvery = 512

/** Costs half as much as `fs/promises.stat`. */
export const statFile: StatFile = promisify<string, Stats>(statWithCallback)

/**
 * Returns a stat function for worker threads. It is synchronous while the disk answers fast, which costs a third of
 * `statFile`.
 */
export function createAdaptiveStat(): StatFile {
  let asyncCallsLeft = 0
  let callCount = 0
  return (path) => {
    callCount += 1
    if (callCount % yieldEvery === 0) return statFile(path)
    if (asyncCallsLeft > 0) {
      asyncCallsLeft -= 1
      return statFile(path)
    }
    const started = performance.now()
    const info = statSync(path)
    if (performance.now() - started > slowMs) asyncCallsLeft = afterSlow
    return info
  }
}
