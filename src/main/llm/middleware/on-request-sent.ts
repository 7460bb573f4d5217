/** Tells of a stream's requests among its events, before anything comes back: what is shown of a request that hangs or fails. */
import type { WireRequest } from '#shared/contract/index.ts'
import type { ModelEvent } from '../model.ts'
import type { TellSent } from './request-capture.ts'

/** The events of a stream, and among them, as soon as it leaves, each request that is made for it. */
export async function* withSent(open: (tell: TellSent) => AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  const waiting: WireRequest[] = []
  let wake: () => void = () => undefined
  const events = open((sent) => {
    waiting.push(sent)
    wake()
  })[Symbol.asyncIterator]()
  try {
    for (let next = events.next(); ;) {
      const told = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined)
      })
      if (waiting.length > 0) wake()
      const first = await Promise.race([told, next])
      for (const request of waiting.splice(0)) yield { type: 'sent', request }
      if (first === undefined) continue
      if (first.done) return
      yield first.value
      next = events.next()
    }
  } finally {
    // Nobody waits for it: a stream that hangs would hang here too.
    void events.return?.().catch(() => undefined)
  }
}
