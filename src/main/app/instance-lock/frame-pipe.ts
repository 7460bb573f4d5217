/** Two WebSockets as one: what comes in at either goes out at the other, no faster than that takes it. */
import type { WebSocket } from 'ws'

/** More than this waiting to be taken stops the other side, bytes. */
const maxWaiting = 8 * 1024 * 1024
/** Looked at again after this, ms. */
const lookMs = 20

/** The other end went away for good reason, and there will be another: connect again. */
const serviceRestart = 1012

export function joinSockets(one: WebSocket, other: WebSocket): void {
  forward(one, other)
  forward(other, one)
}

function forward(from: WebSocket, to: WebSocket): void {
  from.on('message', (data: Buffer, isBinary) => {
    to.send(data, { binary: isBinary })
    if (to.bufferedAmount < maxWaiting) return
    from.pause()
    const look = setInterval(() => {
      if (to.bufferedAmount >= maxWaiting && to.readyState === to.OPEN) return
      clearInterval(look)
      from.resume()
    }, lookMs)
  })
  from.on('close', () => to.close(serviceRestart))
  from.on('error', () => from.terminate())
}
