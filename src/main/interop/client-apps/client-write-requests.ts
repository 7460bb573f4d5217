import type { WriteRequest } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { OpenQuestions } from '#platform'

export type Decision = 'once' | 'always' | 'no'

/** Clients cancel a call after 60 s, so the answer must come earlier. */
const defaultTimeoutMs = 50_000
const maxOpenPerClient = 10

/** Writes of clients that wait for the user's approval. */
export class ClientWriteRequests extends OpenQuestions<Omit<WriteRequest, 'id'>, Decision> {
  readonly #timeoutMs: number

  constructor(onChange: () => void, timeoutMs = defaultTimeoutMs) {
    super(onChange)
    this.#timeoutMs = timeoutMs
  }

  /**
   * Waits for the user's decision.
   * @throws AppError `client_unanswered` after the timeout or with too many open requests
   * @throws the signal's reason when it is aborted
   */
  override async ask(request: Omit<WriteRequest, 'id'>, signal: AbortSignal | undefined): Promise<Decision> {
    const { client, name } = request
    const unansweredError = (reason: string) =>
      new AppError('client_unanswered', `${reason}; nothing was written`, { name })
    if (this.list().filter((open) => open.client === client).length >= maxOpenPerClient)
      throw unansweredError(`the user has not answered the previous ${maxOpenPerClient} requests of ${name}`)
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    try {
      return await super.ask(request, AbortSignal.any([timeout, ...(signal ? [signal] : [])]))
    } catch (error) {
      const seconds = Math.round(this.#timeoutMs / 1000)
      throw error === timeout.reason ? unansweredError(`the user did not answer within ${seconds} s`) : error
    }
  }

  answerAll(client: string, decision: Decision): void {
    for (const request of this.list()) if (request.client === client) this.answer(request.id, decision)
  }
}
