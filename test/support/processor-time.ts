/** Time limits that hold on a busy machine: they measure the thread's own processor time. */
import { expect } from 'vitest'

/** Returns the processor time of `work` in milliseconds. */
export function processorTime(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/**
 * Fails if `work` takes about sixteen times as long for four times the length. Ignores half a second of noise and
 * compilation.
 */
export function expectLinear(work: (length: number) => unknown, length: number, name: string): void {
  const short = processorTime(() => work(length))
  expect(
    processorTime(() => work(4 * length)),
    name,
  ).toBeLessThan(500 + 8 * short)
}
