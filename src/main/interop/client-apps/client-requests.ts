import type { MemoryClient, WriteRequest } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { tokenBucket, OpenQuestions } from '#platform'

const maxWaiting = 32
const maxWaitMs = 30_000
/** Time after which a program may try again if too many calls wait, s. */
const retryAfterSeconds = 5

/** Limits the calls of each program, over all its connections, and of all programs without a token together. */
export class ClientCalls {
  readonly #buckets = new Map<string, () => boolean>()
  readonly #programs = new Map<string, { runningCount: number; waiting: Set<() => void> }>()

  /**
   * Waits until the program may make a call.
   * @param sharedPerMinute calls of all programs without a token; undefined for a program with a token
   * @returns a function to call once at its end @throws AppError `client_busy`
   */
  async enter(
    { id, name, agent, limits: { callsPerMinute, callsAtOnce } }: MemoryClient,
    sharedPerMinute: number | undefined,
    signal: AbortSignal,
  ): Promise<() => void> {
    const busyError = (seconds: number) =>
      new AppError('client_busy', `${name} makes too many calls; try again in ${seconds} s`, { name, seconds })
    const program = this.#programs.get(id) ?? { runningCount: 0, waiting: new Set<() => void>() }
    this.#programs.set(id, program)
    const { waiting } = program
    const take = (key: string, perMinute: number) => {
      const bucket = this.#buckets.get(`${key} ${perMinute}`) ?? tokenBucket(perMinute, 60_000)
      this.#buckets.set(`${key} ${perMinute}`, bucket)
      if (!bucket()) throw busyError(Math.ceil(60 / perMinute))
    }
    take(`program ${id}`, callsPerMinute)
    if (sharedPerMinute !== undefined) take(`agent ${agent}`, sharedPerMinute)
    if (program.runningCount < callsAtOnce) program.runningCount += 1
    else if (waiting.size >= maxWaiting) throw busyError(retryAfterSeconds)
    else
      await new Promise<void>((start, reject) => {
        const refuse = () => waiting.delete(start) && reject(busyError(retryAfterSeconds))
        AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]).addEventListener('abort', refuse)
        waiting.add(start)
      })
    return () => {
      const [startNext] = waiting
      if (startNext && waiting.delete(startNext)) startNext()
      else program.runningCount -= 1
    }
  }
}

type Decision = 'once' | 'always' | 'no'

/** Clients cancel a call after 60 s. */
const defaultTimeoutMs = 50_000
const maxOpenPerClient = 10

export class ClientWriteRequests extends OpenQuestions<Omit<WriteRequest, 'id'>, Decision> {
  readonly #timeoutMs: number

  constructor(onChange: () => void, timeoutMs = defaultTimeoutMs) {
    super(onChange)
    this.#timeoutMs = timeoutMs
  }

  /** @throws AppError `client_unanswered` after the timeout or with too many open requests; the signal's reason */
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
