import type { RPCHandler } from '@orpc/server/websocket'
import type { WebSocket } from 'ws'
import type { Log } from '#platform'

type Handler = Pick<RPCHandler<Record<never, never>>, 'message' | 'close'>

/** @returns a function that answers the requests of the contract on a WebSocket; a malformed one closes the socket */
export function answerRequests(handler: Handler, log: Log): (socket: WebSocket) => void {
  return (socket) => {
    const peer = {
      // Resolves once the connection has taken the message, so that a stream produces no faster than its peer reads.
      send: (data: string | ArrayBufferLike | ArrayBufferView | Blob) =>
        new Promise<void>((resolve) => socket.send(data as string, () => resolve())),
      addEventListener: () => undefined,
    }
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return socket.close(1003, 'text only')
      handler.message(peer, data.toString('utf8')).catch((error: unknown) => {
        if (socket.readyState !== socket.OPEN) return
        log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'a message that is no request')
        socket.close(1007, 'not a request')
      })
    })
    socket.on('close', () => handler.close(peer))
  }
}
