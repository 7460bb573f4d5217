/** MessagePortMain and MessageChannelMain. Source: docs/api/message-port-main.md and spec/api-ipc-spec.ts. */
import { EventEmitter } from 'node:events'
import type { Host } from './host.ts'

export class Port extends EventEmitter {
  peer: Port | undefined
  #queue: { data: unknown; ports: Port[] }[] = []
  #started = false
  #closed = false
  /** A transferred port no longer works for its sender. */
  #neutered = false
  readonly #instance: Host

  constructor(instance: Host) {
    super()
    this.#instance = instance
  }

  /** "Messages will be queued until this method is called." */
  start(): void {
    this.#started = true
    this.#flush()
  }

  /** "can send messages to a closed port", "can send messages to a port whose remote end is closed": no error. */
  postMessage(message: unknown, transfer: Port[] = []): void {
    const data = structuredClone(message)
    if (transfer.includes(this)) throw new TypeError('Port at index 0 contains the source port.')
    const ports = transferred(transfer)
    const { peer } = this
    if (this.#closed || this.#neutered || peer === undefined || peer.#closed) return
    peer.#queue.push({ data, ports })
    peer.#flush()
  }

  /** The other end gets `close`: "Emitted when the remote end of a MessagePortMain object becomes disconnected." */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    const { peer } = this
    if (peer === undefined) return
    this.#instance.later(() => {
      if (peer.#closed) return
      peer.#closed = true
      peer.emit('close')
    })
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Moves this end to another owner: the sender keeps a port without effect. */
  move(): Port {
    if (this.#neutered) throw new TypeError('Port at index 0 is already neutered.')
    const moved = new Port(this.#instance)
    moved.peer = this.peer
    if (this.peer !== undefined) this.peer.peer = moved
    moved.#queue = this.#queue
    moved.#closed = this.#closed
    this.#neutered = true
    this.#queue = []
    this.peer = undefined
    return moved
  }

  #flush(): void {
    if (!this.#started) return
    this.#instance.later(() => {
      for (const message of this.#queue.splice(0)) if (!this.#closed) this.emit('message', message)
    })
  }
}

/** Source: spec/api-ipc-spec.ts, "throws when passing duplicate ports" and "already been neutered". */
export function transferred(ports: readonly Port[]): Port[] {
  if (new Set(ports).size !== ports.length) throw new TypeError('Port at index 1 is a duplicate of an earlier port.')
  return ports.map((port, index) => {
    if (!(port instanceof Port)) throw new TypeError(`Port at index ${index} is not a valid port`)
    return port.move()
  })
}

export function channelClass(instance: Host) {
  return class MessageChannelMain {
    readonly port1 = new Port(instance)
    readonly port2 = new Port(instance)
    constructor() {
      this.port1.peer = this.port2
      this.port2.peer = this.port1
    }
  }
}
