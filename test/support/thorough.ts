/** Repetitions and seeds of randomized tests. */
import { onTestFailed } from 'vitest'
import { randomOf } from './random.ts'

export const isThorough = Boolean(process.env['THOROUGH'])

/** Returns `usual`, or `thorough` if `THOROUGH=1` is set. */
export function rounds(usual: number, thorough: number): number {
  return isThorough ? thorough : usual
}

/** Returns a random generator with values from 0 to below 1. A failed test prints its seed; `SEED=…` repeats it. */
export function seededRandom(): () => number {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  onTestFailed(() => void process.stdout.write(`to repeat this run: SEED=${seed}\n`))
  return randomOf(seed)
}
