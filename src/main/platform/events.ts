import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { EventEmitter } from '#shared/util/events.ts'
import { inBatches } from './fs/work-queue.ts'

const batchSize = 64

export class BatchEmitter<T> extends EventEmitter<T> {
  /** Each listener receives all events before the next one, up to 64 concurrently. The event loop gets turns. */
  async emitAllAsync(changes: readonly T[]): Promise<void> {
    for (const listener of this.listeners)
      await inBatches(changes, batchSize, async (change) => {
        await listener(change)
        await yieldToOthers()
      })
  }
}

/** Yields the progress of `work`. Skips events if the consumer is slow. @returns the result of `work` */
export async function* streamProgress<Result>(
  work: (reportProgress: (done: number, total: number) => void) => Promise<Result>,
): AsyncGenerator<{ readonly type: 'progress'; readonly done: number; readonly total: number }, Result> {
  let latest: { readonly done: number; readonly total: number } | undefined
  let nextEvent = Promise.withResolvers<boolean>()
  const result = work((done, total) => {
    latest = { done, total }
    nextEvent.resolve(false)
  })
  const settled = Promise.allSettled([result]).then(() => true)
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([settled, nextEvent.promise])
    nextEvent = Promise.withResolvers<boolean>()
    if (latest) yield { type: 'progress', ...latest }
    latest = undefined
  }
  return result
}
