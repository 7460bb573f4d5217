/** Which requests of a connection wait for their answers. */
import type { Transport } from '@modelcontextprotocol/server'

/** Is answered when the connection ends. */
const openEnded = 'subscriptions/listen'

export interface PendingRequests {
  /** Resolves when none waits any more, or when that takes too long. */
  answered(patienceMs: number): Promise<void>
}

/** @param transport of which somebody listens to the messages already */
export function followRequests(transport: Transport): PendingRequests {
  const waiting = new Set<string | number>()
  let onNone = () => undefined as void
  const settle = (id: unknown) => {
    if (typeof id === 'string' || typeof id === 'number') waiting.delete(id)
    if (waiting.size === 0) onNone()
  }
  const deliver = transport.onmessage
  transport.onmessage = (message, extra) => {
    if ('method' in message && 'id' in message && message.method !== openEnded) waiting.add(message.id)
    if ('method' in message && message.method === 'notifications/cancelled') settle(message.params?.['requestId'])
    deliver?.(message, extra)
  }
  const send = transport.send.bind(transport)
  transport.send = async (message, options) => {
    try {
      await send(message, options)
    } finally {
      if (!('method' in message)) settle(message.id)
    }
  }
  return {
    async answered(patienceMs) {
      if (waiting.size === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, patienceMs)
      onNone = resolve
      await promise
      clearTimeout(timer)
    },
  }
}
