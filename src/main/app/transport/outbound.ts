/**
 * What goes out over a WebSocket, one message after the other: the next is handed over when the connection has taken the
 * one before. Whoever waits for that (a stream of events, say) produces no more meanwhile. A peer that does not read is
 * cut off: it would keep everything meant for it in our memory.
 */
import type { WebSocket } from 'ws'
import type { Log } from '#platform'

/** Bytes that may wait behind the message that is on its way, which may be larger. */
const maxWaitingBytes = 64 * 1024 * 1024
/** A peer that takes nothing at all for so long does not read. */
const stalledMs = 20_000

type Data = string | ArrayBufferLike | ArrayBufferView | Blob

export class Outbound {
  readonly #socket: WebSocket
  readonly #log: Log
  #last: Promise<void> = Promise.resolve()
  #waitingBytes = 0

  constructor(socket: WebSocket, log: Log) {
    this.#socket = socket
    this.#log = log
  }

  /** Resolves when the connection has taken it; at once, and in vain, when there is none any more. */
  send(data: Data): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve()
    const size = sizeOf(data)
    this.#waitingBytes += size
    if (this.#waitingBytes - size > maxWaitingBytes) this.#giveUp('too much waits for it')
    const sent = this.#last.then(() => this.#hand(data)).finally(() => (this.#waitingBytes -= size))
    this.#last = sent
    return sent
  }

  #hand(data: Data): Promise<void> {
    const socket = this.#socket
    if (socket.readyState !== socket.OPEN) return Promise.resolve()
    return new Promise((resolve) => {
      let before = Infinity
      const timer = setInterval(() => {
        if (socket.bufferedAmount >= before) this.#giveUp('it does not read')
        before = socket.bufferedAmount
      }, stalledMs)
      const done = () => {
        clearInterval(timer)
        socket.off('close', done)
        resolve()
      }
      socket.once('close', done)
      socket.send(data as string, done)
    })
  }

  #giveUp(reason: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#log.warn({ reason }, 'a connection of the interface was cut off')
    this.#socket.terminate()
  }
}

function sizeOf(data: Data): number {
  if (typeof data === 'string') return data.length
  return data instanceof Blob ? data.size : data.byteLength
}
