import { stat as statWithCallback, statSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'

/** Reads the metadata of a file. */
export type AskDisk = (path: string) => Stats | Promise<Stats>

/** A synchronous call that takes longer means a slow disk, ms. */
const slowMs = 1
/** Number of asynchronous calls after a slow one. */
const afterSlow = 64
/** Every this many calls one is asynchronous, so that other work in the thread gets a turn. */
const turn = 512

/** Costs half as much as `fs/promises.stat`. */
export const askDisk: AskDisk = promisify<string, Stats>(statWithCallback)

/**
 * Returns a stat function for worker threads. It is synchronous while the disk answers fast, which costs a third of
 * `askDisk`.
 */
export function askDirectly(): AskDisk {
  let patient = 0
  let asked = 0
  return (path) => {
    asked += 1
    if (asked % turn === 0) return askDisk(path)
    if (patient > 0) {
      patient -= 1
      return askDisk(path)
    }
    const started = performance.now()
    const info = statSync(path)
    if (performance.now() - started > slowMs) patient = afterSlow
    return info
  }
}
