import type { MemoryClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { TokenBucket } from '#platform'

const maxWaiting = 32
/** Programs cancel a call after 60 s, so the error must come earlier. */
const maxWaitMs = 30_000
/** Time after which a program may try again if too many calls wait, s. */
const retryAfterSeconds = 5

/** Limits the calls of each program, over all its connections, and of all programs without a token together. */
export class ClientCalls {
  readonly #shared = new Map<string, TokenBucket>()
  readonly #programs = new Map<string, { bucket: TokenBucket; runningCount: number; waiting: Set<() => void> }>()

  /**
   * Waits until the program may make a call.
   * @param sharedPerMinute calls of all programs without a token; undefined for a program with a token
   * @returns a function to call once at its end
   * @throws AppError `client_busy`
   */
  async enter(
    { id, name, agent, limits }: MemoryClient,
    sharedPerMinute: number | undefined,
    signal: AbortSignal,
  ): Promise<() => void> {
    const { callsPerMinute, callsAtOnce } = limits
    const busyError = (seconds: number) =>
      new AppError('client_busy', `${name} makes too many calls; try again in ${seconds} s`, { name, seconds })
    const key = `${id} ${callsPerMinute}`
    const program = this.#programs.get(key) ?? {
      bucket: new TokenBucket(callsPerMinute, 60_000),
      runningCount: 0,
      waiting: new Set<() => void>(),
    }
    this.#programs.set(key, program)
    const { bucket, waiting } = program
    if (!bucket.take()) throw busyError(Math.ceil(60 / callsPerMinute))
    if (sharedPerMinute !== undefined && !this.#sharedBucket(agent, sharedPerMinute).take())
      throw busyError(Math.ceil(60 / sharedPerMinute))
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
  #sharedBucket(agent: string, callsPerMinute: number): TokenBucket {
    const key = `${agent} ${callsPerMinute}`
    const bucket = this.#shared.get(key) ?? new TokenBucket(callsPerMinute, 60_000)
    this.#shared.set(key, bucket)
    return bucket
  }
}
