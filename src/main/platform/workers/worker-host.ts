import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { asNodePort, sharedBuffers, type PortToServe, type WorkerJobs, fromOrpcError } from './serve-worker.ts'

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
  /** V8 young generation in MB; more helps threads that allocate many short-lived objects. */
  readonly youngGenerationMb?: number
  /** Runs before the first request. @param ending aborted when the worker ends */
  readonly onStart?: (client: Client, ending: AbortSignal) => Promise<void>
  readonly onStop?: (client: Client) => Promise<void>
  readonly onCrash?: (error: Error) => void
}

interface RunningWorker<Client> {
  readonly worker: Worker
  readonly client: Client
  readonly ready: Promise<void>
  readonly exited: Promise<void>
  readonly lifetime: AbortController
  readonly interrupts: Set<(reason: unknown) => void>
  /** Closes the port and leaves the worker to other hosts. */
  readonly release: () => void
  isOpen: boolean
  /** True after an aborted or failed start, request or stream: the worker may still run it. */
  mayBeBusy: boolean
}

/** Larger young generations need memory and have little benefit for most threads. */
const defaultYoungGenerationMb = 2

/** Time after which an unused thread ends, ms. */
const spareMs = 5000

/** Threads that no host uses. The next host with the entry takes one: a start costs 100 ms of processor time. */
let spareThreads: readonly { readonly entry: string; readonly worker: Worker; readonly timer: NodeJS.Timeout }[] = []

function takeThread(entry: URL, youngGenerationMb: number): Worker {
  const spare = spareThreads.findLast((one) => one.entry === entry.href)
  if (!spare) return startThread(entry, youngGenerationMb)
  clearTimeout(spare.timer)
  removeSpare(spare.worker)
  spare.worker.ref()
  return spare.worker
}

function startThread(entry: URL, youngGenerationMb: number): Worker {
  // Shares this process's compile cache with the worker; otherwise every start would compile all code.
  const folder = getCompileCacheDir()
  const worker = new Worker(entry, {
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    env: folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) },
  })
  // Without a listener, the error of a spare thread would end the process.
  worker.on('error', () => undefined)
  worker.once('exit', () => removeSpare(worker))
  return worker
}

function keepAsSpare(entry: URL, worker: Worker): void {
  const timer = setTimeout(() => {
    // Removed before it ends, so that no host takes it meanwhile.
    removeSpare(worker)
    void worker.terminate()
  }, spareMs).unref()
  worker.unref()
  spareThreads = [...spareThreads, { entry: entry.href, worker, timer }]
}

function removeSpare(worker: Worker): void {
  spareThreads = spareThreads.filter((spare) => spare.worker !== worker)
}

/**
 * Owns a worker that starts with the first request, stops when idle, and restarts with the next one after a crash. A
 * stopped thread is left to other hosts, unless it may still be busy.
 */
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
   * @param signal its abort rejects the request at once, and ends the worker if no other request is pending
   * @throws the signal's reason; errors of the worker; ThreadEndedError
   */
  async run<T>(work: (client: WorkerClient<Jobs>) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const running = this.#acquire()
    const { client, ready, interrupts } = running
    const interrupted = Promise.withResolvers<never>()
    const onAbort = () => interrupted.reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    interrupts.add(interrupted.reject)
    try {
      return await Promise.race([ready.then(() => work(client)), interrupted.promise])
    } catch (error) {
      throw fromOrpcError(error)
    } finally {
      interrupts.delete(interrupted.reject)
      signal?.removeEventListener('abort', onAbort)
      this.#release()
      running.mayBeBusy ||= signal?.aborted === true
      if (signal?.aborted && this.#pendingCount === 0) void this.close()
    }
  }

  /** @param signal that of the request @throws as `run` */
  async *stream<Step>(
    work: (client: WorkerClient<Jobs>) => Promise<AsyncIterable<Step>>,
    signal?: AbortSignal,
  ): AsyncGenerator<Step> {
    const running = this.#acquire()
    let isComplete = false
    try {
      await running.ready
      yield* await work(running.client)
      isComplete = true
    } catch (error) {
      signal?.throwIfAborted()
      throw running.isOpen ? fromOrpcError(error) : new ThreadEndedError()
    } finally {
      running.mayBeBusy ||= !isComplete
      this.#release()
    }
  }

  #acquire(): RunningWorker<WorkerClient<Jobs>> {
    this.#pendingCount += 1
    clearTimeout(this.#idleTimer)
    const existing = this.#running
    if (existing?.isOpen) return existing
    // The worker has crashed, but its exit event is still pending.
    if (existing) this.#previousExit = existing.exited
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
    const { entry, youngGenerationMb = defaultYoungGenerationMb, onStart, onCrash } = this.#options
    const { port1: port, port2 } = new MessageChannel()
    const worker = takeThread(entry, youngGenerationMb)
    worker.postMessage({ port: port2, shared: sharedBuffers } satisfies PortToServe, [port2])
    // Registered before RPCLink's own listener, which would report the close as an abort.
    port.on('close', () => {
      running.isOpen = false
      for (const interrupt of running.interrupts) interrupt(new ThreadEndedError())
    })
    // Clones messages, see `serveWorker`.
    const client = createORPCClient(
      new RPCLink({ port: asNodePort(port), experimental_transfer: () => [] }),
    ) as WorkerClient<Jobs>
    const lifetime = new AbortController()
    let failure: unknown
    const onError = (error: unknown) => (failure = error)
    const exited = Promise.withResolvers<void>()
    const onExit = (code: number) => {
      port.close()
      exited.resolve()
      if (lifetime.signal.aborted) return
      if (this.#running === running) this.#running = undefined
      lifetime.abort()
      onCrash?.(failure instanceof Error ? failure : new Error(`a thread ended with code ${code}`))
    }
    worker.on('error', onError).once('exit', onExit)
    const ready = this.#previousExit.then(() => onStart?.(client, lifetime.signal))
    ready.catch(() => {
      running.mayBeBusy = true
      if (this.#running === running) void this.close()
    })
    const release = () => {
      worker.off('error', onError).off('exit', onExit)
      port.close()
      exited.resolve()
      keepAsSpare(entry, worker)
    }
    const running: RunningWorker<WorkerClient<Jobs>> = {
      worker,
      client,
      ready,
      exited: exited.promise,
      lifetime,
      interrupts: new Set(),
      release,
      isOpen: true,
      mayBeBusy: false,
    }
    return running
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const running = this.#running
    this.#running = undefined
    if (running) this.#previousExit = this.#stop(running)
    await this.#previousExit
  }

  async #stop(running: RunningWorker<WorkerClient<Jobs>>): Promise<void> {
    const { worker, client, ready, exited, lifetime } = running
    const { onStop } = this.#options
    let isFree = running.isOpen && this.#pendingCount === 0
    if (onStop && running.isOpen) {
      const stopped = ready
        .then(() => onStop(client))
        .then(() => true)
        .catch(() => false)
      isFree = (await Promise.race([stopped, exited.then(() => false)])) && isFree
    }
    lifetime.abort()
    if (isFree && running.isOpen && !running.mayBeBusy) running.release()
    else await worker.terminate()
  }
}

/** Runs one request, then closes its host. @throws as `WorkerHost.run` */
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

/** The rejection of a request that a thread did not answer before it ended. */
export class ThreadEndedError extends Error {
  override message = 'a thread ended before it answered'
}
