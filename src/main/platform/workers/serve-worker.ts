import { os, type } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { parentPort, type MessagePort, type Transferable } from 'node:worker_threads'
import { mapEventIterator, ORPCError } from '@orpc/client'
import { AppError, type ErrorCode, errorCodes, type ErrorData } from '#shared/util/errors.ts'

/** Returns the entry file of a worker: the TypeScript source, or in a build its compiled file. */
export function workerEntry(mainFolder: URL, name: string): URL {
  const source = new URL(`${name}.ts`, mainFolder)
  return existsSync(source) ? source : new URL(`${name}.js`, mainFolder)
}

/** Memory shared by all threads, by name. A worker receives the buffers that exist when a host starts to use it. */
export const sharedBuffers = new Map<string, SharedArrayBuffer>()

/** Message to a thread: a port to serve. */
export interface PortToServe {
  readonly port: MessagePort
  readonly shared: ReadonlyMap<string, SharedArrayBuffer>
}

/** Jobs of a worker by name. A job that reports progress is an async generator. */
export type WorkerJobs = Readonly<Record<string, (input: never, signal: AbortSignal | undefined) => unknown>>

/**
 * Serves the ports that this thread receives, one after the other.
 * @param createJobs called for each port, so that jobs for a port have their own state
 * @param isBackground true: other threads have priority
 */
export function serveWorker(createJobs: () => WorkerJobs, isBackground = false): void {
  if (isBackground) lowerPriority()
  // Threads exchange no forms. For oRPC's check of each message Node would load its `fetch`: 30 ms in each thread.
  Object.assign(globalThis, { FormData: { [Symbol.hasInstance]: () => false } })
  const base = os.use(({ next }) => convertErrors(next)).input(type<never>())
  parentPort?.on('message', ({ port, shared }: PortToServe) => {
    for (const [name, memory] of shared) sharedBuffers.set(name, memory)
    const procedures = Object.entries(createJobs()).map(
      ([name, job]) => [name, base.handler(({ input, signal }) => job(input, signal))] as const,
    )
    new RPCHandler(Object.fromEntries(procedures), {
      // oRPC clones a message that has a list of objects to transfer, even an empty list. Otherwise it sends JSON, which
      // has no typed arrays. The first message of a stream cannot be cloned.
      experimental_transfer: ([, , payload]) =>
        typeof payload === 'object' && 'body' in payload && isIterator(payload.body) ? undefined : [],
    }).upgrade(asNodePort(port))
  })
}

/** Returns a port that passes messages by Node's events. DOM events load Node's `fetch`, too. */
export function asNodePort(port: MessagePort) {
  return {
    on(event: string, listener: (event?: { readonly data: unknown }) => void) {
      port.on(event as 'message', (data: unknown) => listener({ data }))
    },
    postMessage: (message: unknown, transfer?: readonly Transferable[]) => port.postMessage(message, transfer),
  }
}

/** Lowers the priority of this thread. Linux only: elsewhere the call would affect the whole process. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not permitted; the thread keeps its priority.
  }
}

/** Converts errors, also those of a stream: AppErrors keep code and data in the transfer, others are converted by `convertOther`. */
export async function convertErrors<Result extends { readonly output: unknown }>(
  next: () => Result | PromiseLike<Result>,
  convertOther: (error: unknown) => unknown = (error) => error,
): Promise<Result> {
  const convert = (error: unknown) =>
    error instanceof AppError
      ? new ORPCError(error.code, { message: error.message, data: error.data, cause: error })
      : convertOther(error)
  try {
    const result = await next()
    if (!isIterator(result.output)) return result
    const maps = { value: async (step: unknown) => step, error: async (error: unknown) => convert(error) }
    return { ...result, output: mapEventIterator(result.output, maps) }
  } catch (error) {
    throw convert(error)
  }
}

function isIterator(output: unknown): output is AsyncIterator<unknown> {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output
}

/** Restores an AppError from an ORPCError with a known code; returns other errors unchanged. */
export function fromOrpcError(error: unknown): unknown {
  if (!(error instanceof ORPCError) || !(errorCodes as readonly string[]).includes(error.code)) return error
  return new AppError(error.code as ErrorCode, error.message, (error.data ?? {}) as ErrorData, { cause: error })
}
