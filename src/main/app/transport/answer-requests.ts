/**
 * Answers the requests of the contract over a WebSocket. A peer that asks for more at once than any page does, sends what
 * cannot be read, or does not take its answers, loses its socket; nothing it does is anybody else's concern.
 */
import type { RPCHandler } from '@orpc/server/websocket'
import type { WebSocket } from 'ws'
import type { Log } from '#platform'
import { isReasonable } from './message-shape.ts'
import { Outbound } from './outbound.ts'
import { close } from './guard.ts'

/** Requests of one window that are not answered yet, streams included. */
const maxRequests = 128

type Handler = Pick<RPCHandler<Record<never, never>>, 'message' | 'close'>

/** @returns what to do with a WebSocket that was let in */
export function answerRequests(handler: Handler, log: Log): (socket: WebSocket) => void {
  return (socket) => {
    const outbound = new Outbound(socket, log)
    const peer = {
      send: (data: string | ArrayBufferLike | ArrayBufferView | Blob) => outbound.send(data),
      addEventListener: () => undefined,
    }
    const waiting: string[] = []
    let open = 0
    const answer = (message: string) =>
      void handler
        .message(peer, message)
        .catch((error: unknown) => {
          if (socket.readyState !== socket.OPEN) return
          log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'a message that is no request')
          close(socket, 1007, 'not a request')
        })
        .finally(() => {
          open -= 1
        })
    // One in a turn of the event loop: whoever asks for much at once waits, not the others.
    const answerNext = () => {
      const message = waiting.shift()
      if (message === undefined || socket.readyState !== socket.OPEN) return
      answer(message)
      if (waiting.length > 0) setImmediate(answerNext)
    }
    socket.on('message', (data: Buffer, isBinary) => {
      if (socket.readyState !== socket.OPEN) return
      // Requests are text; only answers (a packed memory) have bytes with them.
      if (isBinary) return close(socket, 1003, 'text only')
      if (!isReasonable(data)) return close(socket, 1007, 'too deep, or too much in it')
      if (open >= maxRequests) return close(socket, 1008, 'too many requests at once')
      open += 1
      waiting.push(data.toString('utf8'))
      if (waiting.length === 1) setImmediate(answerNext)
    })
    socket.on('close', () => {
      waiting.length = 0
      handler.close(peer)
    })
  }
}
