/** Time bounds that hold on a busy machine, too: they count what the thread itself has used. */
import { expect } from 'vitest'

/** In milliseconds. */
export function processorTime(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Fails where four times the length takes about sixteen times as long. Half a second is noise and compilation. */
export function expectLinear(work: (length: number) => unknown, length: number, name: string): void {
  const short = processorTime(() => work(length))
  expect(
    processorTime(() => work(4 * length)),
    name,
  ).toBeLessThan(500 + 8 * short)
}
