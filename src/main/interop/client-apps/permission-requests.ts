import { randomUUID } from 'node:crypto'
import type { ClientQuestion } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'

export type Decision = 'once' | 'always' | 'no'

/** Default timeout, ms. Clients cancel a call after 60 s, so the answer must come earlier. */
const defaultTimeoutMs = 50_000
const maxOpenPerProgram = 10

interface OpenRequest extends ClientQuestion {
  readonly answer: (decision: Decision) => void
}

/** Open permission requests of programs, kept in memory only. */
export class PermissionRequests {
  readonly #openRequests = new Map<string, OpenRequest>()
  readonly #onChange: () => void
  readonly #timeoutMs: number

  constructor(onChange: () => void, timeoutMs = defaultTimeoutMs) {
    this.#onChange = onChange
    this.#timeoutMs = timeoutMs
  }

  /**
   * Waits for the user's decision.
   * @throws AppError `client_unanswered` after the timeout or with too many open requests; the signal's reason
   */
  async ask(question: Omit<ClientQuestion, 'id'>, signal: AbortSignal | undefined): Promise<Decision> {
    const { client, name } = question
    const unansweredError = (reason: string) =>
      new AppError('client_unanswered', `${reason}; nothing was written`, { name })
    if (this.list().filter((request) => request.client === client).length >= maxOpenPerProgram)
      throw unansweredError(`the user has not answered the previous ${maxOpenPerProgram} requests of ${name}`)
    const id = randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<Decision>()
    const seconds = Math.round(this.#timeoutMs / 1000)
    const onTimeout = () => reject(unansweredError(`the user did not answer within ${seconds} s`))
    const timer = setTimeout(onTimeout, this.#timeoutMs)
    const onAbort = () => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#openRequests.set(id, { ...question, id, answer: resolve })
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

  list(): ClientQuestion[] {
    return [...this.#openRequests.values()].map(({ answer: _answer, ...question }) => question)
  }
}
