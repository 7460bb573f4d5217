import { stat as statWithCallback, statSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'

/** Of a file, by its path. */
export type AskDisk = (path: string) => Stats | Promise<Stats>

/** A disk that takes longer is not asked for one file after the other, ms. */
const slowMs = 1
/** So many are asked about without waiting then. */
const afterSlow = 64
/** After so many, whoever else has something to do in the thread has a turn. */
const turn = 512

/** Half the price of the one that Node offers as a promise. */
export const askDisk: AskDisk = promisify<string, Stats>(statWithCallback)

/** For a thread that lets others in now and then: a third of the price again, where the disk answers from memory. */
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
