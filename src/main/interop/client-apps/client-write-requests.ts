import { randomUUID } from 'node:crypto'
import type { WriteRequest } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'

export type Decision = 'once' | 'always' | 'no'

/** Clients cancel a call after 60 s, so the answer must come earlier. */
const defaultTimeoutMs = 50_000
const maxOpenPerClient = 10

interface OpenRequest extends WriteRequest {
  readonly answer: (decision: Decision) => void
}

/** Writes of clients that wait for the user's approval, kept in memory only. */
export class ClientWriteRequests {
  readonly #openRequests = new Map<string, OpenRequest>()
  readonly #onChange: () => void
  readonly #timeoutMs: number

  constructor(onChange: () => void, timeoutMs = defaultTimeoutMs) {
    this.#onChange = onChange
    this.#timeoutMs = timeoutMs
  }

  /**
   * Waits for the user's decision.
   * @throws AppError `client_unanswered` after the timeout or with too many open requests
   * @throws the signal's reason when it is aborted
   */
  async ask(request: Omit<WriteRequest, 'id'>, signal: AbortSignal | undefined): Promise<Decision> {
    const { client, name: clientName } = request
    signal?.throwIfAborted()
    const unansweredError = (reason: string) =>
      new AppError('client_unanswered', `${reason}; nothing was written`, { name: clientName })
    if (this.list().filter((open) => open.client === client).length >= maxOpenPerClient)
      throw unansweredError(`the user has not answered the previous ${maxOpenPerClient} requests of ${clientName}`)
    const id = randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<Decision>()
    const seconds = Math.round(this.#timeoutMs / 1000)
    const onTimeout = () => reject(unansweredError(`the user did not answer within ${seconds} s`))
    const timer = setTimeout(onTimeout, this.#timeoutMs)
    const onAbort = () => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#openRequests.set(id, { ...request, id, answer: resolve })
    this.#onChange()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      this.#openRequests.delete(id)
      this.#onChange()
    }
  }

  /** Ignores an unknown id. */
  answer(id: string, decision: Decision): void {
    this.#openRequests.get(id)?.answer(decision)
  }

  answerAll(client: string, decision: Decision): void {
    for (const request of this.#openRequests.values()) if (request.client === client) request.answer(decision)
  }

  list(): WriteRequest[] {
    return [...this.#openRequests.values()].map(({ answer: _answer, ...request }) => request)
  }
}
