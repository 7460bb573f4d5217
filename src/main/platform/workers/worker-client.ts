/** How a thread is started and spoken to: one MessagePort, typed calls in one direction, event iterators in the other. */
import { type ClientLink, createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { allShared, takeWorker, usualYoungMb } from './worker-prestart.ts'
import { plainPort } from './plain-port.ts'
import type { FirstMessage } from './serve-worker.ts'

export interface Thread<Client> {
  readonly client: Client
  /** Called once if the thread dies by itself. */
  onExit(listener: (error: Error) => void): void
  /** Resolves when the thread is gone, for whatever reason: what was asked of it will not be answered any more. */
  readonly gone: Promise<void>
  terminate(): Promise<void>
}

/** @param youngMb room for new objects, where a thread makes many in little time */
export function startThread<Client extends object>(entry: URL, youngMb = usualYoungMb): Thread<Client> {
  const worker = takeWorker({ entry, youngMb })
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ port: port2, shared: allShared() } satisfies FirstMessage, [port2])
  const client = createORPCClient(new LinkToThread(port1)) as Client
  let terminated = false
  let failure: Error | undefined
  worker.on('error', (error) => {
    failure = error instanceof Error ? error : new Error(String(error))
  })
  const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return {
    client,
    gone,
    onExit(listener) {
      worker.on('exit', (code) => {
        port1.close()
        if (!terminated) listener(failure ?? new Error(`a thread ended with code ${code}`))
      })
    },
    async terminate() {
      terminated = true
      port1.close()
      await worker.terminate()
    },
  }
}

/** Carries calls over a port. Once it is closed nobody answers: whoever waits, or asks after that, is told so. */
class LinkToThread implements ClientLink<Record<never, never>> {
  readonly #waiting = new Set<(error: Error) => void>()
  readonly #link: RPCLink<Record<never, never>>
  #isClosed = false

  constructor(port: MessagePort) {
    // Before the link hears of it, which would call it an abort that nobody asked for.
    port.on('close', () => {
      this.#isClosed = true
      for (const fail of this.#waiting) fail(unanswered())
      this.#waiting.clear()
    })
    this.#link = new RPCLink({ port: plainPort(port) })
  }

  call(...[path, input, options]: Parameters<ClientLink<Record<never, never>>['call']>): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(unanswered())
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.add(reject)
    const settled = () => this.#waiting.delete(reject)
    this.#link.call(path, input, options).then(resolve, reject).finally(settled)
    return promise
  }
}

function unanswered(): Error {
  return new Error('a thread ended before it answered')
}
