import type { RPCHandler } from '@orpc/server/websocket'
import type { WebSocket } from 'ws'
import type { Log } from '#platform'

type Handler = Pick<RPCHandler<Record<never, never>>, 'message' | 'close'>

/** @returns a function that answers contract requests on a WebSocket; an invalid message closes the socket */
export function answerRequests(handler: Handler, log: Log): (socket: WebSocket) => void {
  return (socket) => {
    const peer = {
      // Resolves once the message is sent, so that a stream produces no faster than its peer reads.
      send: (data: string | ArrayBufferLike | ArrayBufferView | Blob) =>
        new Promise<void>((resolve) => socket.send(data as string, () => resolve())),
      addEventListener: () => undefined,
    }
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return socket.close(1003, 'text only')
      handler.message(peer, data.toString('utf8')).catch((error: unknown) => {
        if (socket.readyState !== socket.OPEN) return
        log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'invalid message')
        socket.close(1007, 'invalid message')
      })
    })
    socket.on('close', () => handler.close(peer))
  }
}
