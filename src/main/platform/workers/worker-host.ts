import { type ClientLink, createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { defaultYoungGenerationMb, sharedBuffers } from './worker-start.ts'
import { type ThreadData, type WorkerJobs, fromOrpcError } from './serve-worker.ts'

export type WorkerClient<Jobs extends WorkerJobs> = {
  readonly [Name in keyof Jobs]: Jobs[Name] extends (input: infer Input, ...rest: never[]) => infer Result
    ? (
        ...args: undefined extends Input
          ? [input?: Input, options?: CallOptions]
          : [input: Input, options?: CallOptions]
      ) => Promise<Awaited<Result>>
    : never
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface WorkerOptions<Client> {
  readonly entry: URL
  /** Idle time after which the worker ends, ms; if undefined, only `close` ends the worker. */
  readonly idleMs?: number | undefined
  /** Runs before the first request. @param ending aborted when the worker ends */
  readonly onStart?: (client: Client, ending: AbortSignal) => Promise<void>
  readonly onStop?: (client: Client) => Promise<void>
  readonly onCrash?: (error: Error) => void
}

interface RunningWorker<Client> {
  readonly thread: Thread<Client>
  readonly ready: Promise<void>
  readonly lifetime: AbortController
}

/** Owns a worker that starts with the first request, ends when idle, and restarts with the next one after a crash. */
export class WorkerHost<Jobs extends WorkerJobs> {
  readonly #options: WorkerOptions<WorkerClient<Jobs>>
  #running: RunningWorker<WorkerClient<Jobs>> | undefined
  /** Settles when the previous worker has ended; the next one waits for it, because it may need the same locks. */
  #previousExit: Promise<unknown> = Promise.resolve()
  #pendingCount = 0
  #idleTimer: NodeJS.Timeout | undefined

  constructor(options: WorkerOptions<WorkerClient<Jobs>>) {
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /**
   * Runs a request.
   * @param signal its abort rejects the request at once, and ends the worker if no other request is pending
   * @throws the signal's reason; errors of the worker; an Error if the worker dies
   */
  async run<T>(work: (client: WorkerClient<Jobs>) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const { thread, ready } = this.#acquire()
    const aborted = Promise.withResolvers<never>()
    const onAbort = () => aborted.reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([ready.then(() => work(thread.client)), aborted.promise])
    } catch (error) {
      throw fromOrpcError(error)
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.#release()
      if (signal?.aborted && this.#pendingCount === 0) void this.close()
    }
  }

  /**
   * Yields the steps of one request.
   * @param signal that of the request @throws the signal's reason; errors of the worker; an Error if the worker dies
   */
  async *stream<Step>(
    work: (client: WorkerClient<Jobs>) => Promise<AsyncIterable<Step>>,
    signal?: AbortSignal,
  ): AsyncGenerator<Step> {
    const { thread, ready } = this.#acquire()
    try {
      await ready
      yield* await work(thread.client)
    } catch (error) {
      signal?.throwIfAborted()
      throw fromOrpcError(error)
    } finally {
      this.#release()
    }
  }

  #acquire(): RunningWorker<WorkerClient<Jobs>> {
    this.#pendingCount += 1
    clearTimeout(this.#idleTimer)
    const existing = this.#running
    if (existing?.thread.isOpen) return existing
    // The worker has crashed, but its exit event is still pending.
    if (existing) this.#previousExit = existing.thread.exited
    return (this.#running = this.#start())
  }

  #release(): void {
    this.#pendingCount -= 1
    const { idleMs } = this.#options
    clearTimeout(this.#idleTimer)
    if (this.#pendingCount > 0 || idleMs === undefined) return
    this.#idleTimer = setTimeout(() => void this.close(), idleMs).unref()
  }

  #start(): RunningWorker<WorkerClient<Jobs>> {
    const { entry, onStart, onCrash } = this.#options
    const thread = startThread<WorkerClient<Jobs>>(entry)
    const lifetime = new AbortController()
    const ready = this.#previousExit.then(() => onStart?.(thread.client, lifetime.signal))
    const running = { thread, ready, lifetime }
    void thread.exited.then((crash) => {
      if (!crash) return
      if (this.#running === running) this.#running = undefined
      onCrash?.(crash)
    })
    ready.catch(() => {
      if (this.#running === running) void this.close()
    })
    return running
  }

  /** Ends the worker; pending requests reject. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const running = this.#running
    this.#running = undefined
    if (running) this.#previousExit = this.#stop(running)
    await this.#previousExit
  }

  async #stop({ thread, ready, lifetime }: RunningWorker<WorkerClient<Jobs>>): Promise<void> {
    const { onStop } = this.#options
    if (onStop) await ready.then(() => onStop(thread.client)).catch(() => undefined)
    lifetime.abort()
    await thread.terminate()
  }
}

/** Runs one request in a new worker. @throws as `WorkerHost.run` */
export async function runInWorker<Jobs extends WorkerJobs, T>(
  entry: URL,
  work: (client: WorkerClient<Jobs>) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const host = new WorkerHost<Jobs>({ entry })
  try {
    return await host.run(work, signal)
  } finally {
    await host.close()
  }
}

export interface Thread<Client> {
  readonly client: Client
  readonly isOpen: boolean
  /** Resolves when the thread has exited: with an error, unless `terminate` ended it. Pending requests are not answered. */
  readonly exited: Promise<Error | undefined>
  terminate(): Promise<void>
}

/**
 * Starts a worker.
 * @param maxYoungGenerationMb V8 young generation in MB; more helps threads that allocate many short-lived objects
 */
export function startThread<Client extends object>(
  entry: URL,
  maxYoungGenerationMb = defaultYoungGenerationMb,
): Thread<Client> {
  const { port1, port2 } = new MessageChannel()
  // Shares this process's compile cache with the worker; otherwise every start would compile all code.
  const folder = getCompileCacheDir()
  const worker = new Worker(entry, {
    workerData: { port: port2, shared: sharedBuffers } satisfies ThreadData,
    transferList: [port2],
    resourceLimits: { maxYoungGenerationSizeMb: maxYoungGenerationMb },
    env: folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) },
  })
  const link = new ThreadLink(port1)
  const client = createORPCClient(link) as Client
  let isTerminated = false
  let failure: Error | undefined
  worker.on('error', (error) => {
    failure = error instanceof Error ? error : new Error(String(error))
  })
  const exited = new Promise<Error | undefined>((resolve) =>
    worker.once('exit', (code) => {
      port1.close()
      resolve(isTerminated ? undefined : (failure ?? new Error(`a thread ended with code ${code}`)))
    }),
  )
  return {
    client,
    get isOpen() {
      return link.isOpen
    },
    exited,
    async terminate() {
      isTerminated = true
      port1.close()
      await worker.terminate()
    },
  }
}

/** Sends calls over a port. When the port closes, pending and later calls reject. */
class ThreadLink implements ClientLink<Record<never, never>> {
  readonly #pendingRejects = new Set<(error: Error) => void>()
  readonly #link: RPCLink<Record<never, never>>
  isOpen = true

  constructor(port: MessagePort) {
    // Registered before RPCLink's own listener, which would report the close as an abort.
    port.on('close', () => {
      this.isOpen = false
      for (const reject of this.#pendingRejects) reject(new ThreadEndedError())
      this.#pendingRejects.clear()
    })
    this.#link = new RPCLink({ port })
  }

  call(...[path, input, options]: Parameters<ClientLink<Record<never, never>>['call']>): Promise<unknown> {
    if (!this.isOpen) return Promise.reject(new ThreadEndedError())
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pendingRejects.add(reject)
    const removeReject = () => this.#pendingRejects.delete(reject)
    this.#link.call(path, input, options).then(resolve, reject).finally(removeReject)
    return promise
  }
}

/** The rejection of a call that a thread did not answer before it ended. */
export class ThreadEndedError extends Error {
  override message = 'a thread ended before it answered'
}
