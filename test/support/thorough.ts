/** How often what is random is tried, and how a try that failed is had again. */
import { onTestFailed } from 'vitest'
import { randomOf } from './random.ts'

/** A few times in every run, many times with `THOROUGH=1`. */
export function rounds(usual: number, thorough: number): number {
  return process.env['THOROUGH'] ? thorough : usual
}

/** Numbers from 0 to below 1. A test that fails tells its seed; `SEED=…` plays it again. */
export function seededRandom(): () => number {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  onTestFailed(() => void process.stdout.write(`to have these random numbers again: SEED=${seed}\n`))
  return randomOf(seed)
}
