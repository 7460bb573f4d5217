import { os, type, type AnyRouter } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { workerData, type MessagePort } from 'node:worker_threads'
import { shareMemory } from './worker-start.ts'
import { mapEventIterator, ORPCError } from '@orpc/client'
import { AppError, errorCodes, type ErrorCode, type ErrorData } from '#shared/util/errors.ts'

/** Converts AppErrors so that code and data survive the transfer between threads. */
export const threadBase = os.use(({ next }) => convertErrors(next, toOrpcError))

/** Runs a procedure and converts its errors, also those of a stream. */
export async function convertErrors<Result extends { readonly output: unknown }>(
  next: () => Result | PromiseLike<Result>,
  convert: (error: unknown) => unknown,
): Promise<Result> {
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

/** Data with which a worker starts. */
export interface ThreadData {
  readonly port: MessagePort
  readonly shared: ReadonlyMap<string, SharedArrayBuffer>
}

/** Jobs of a worker by name. A job that reports progress is an async generator. */
export type WorkerJobs = Readonly<Record<string, (input: never, signal: AbortSignal | undefined) => unknown>>

export function serveWorker(jobs: WorkerJobs): void {
  const procedures = Object.entries(jobs).map(([name, job]) => [
    name,
    threadBase.input(type<never>()).handler(({ input, signal }) => job(input, signal)),
  ])
  serveThread(Object.fromEntries(procedures))
}

export function serveThread(router: AnyRouter): void {
  const { port, shared }: ThreadData = workerData
  for (const [name, memory] of shared) shareMemory(name, memory)
  new RPCHandler(router).upgrade(port)
}

export function toOrpcError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  return new ORPCError(error.code, { message: error.message, data: error.data, cause: error })
}

/** Restores an AppError from an ORPCError with a known code; returns other errors unchanged. */
export function fromOrpcError(error: unknown): unknown {
  if (!(error instanceof ORPCError) || !(errorCodes as readonly string[]).includes(error.code)) return error
  return new AppError(error.code as ErrorCode, error.message, (error.data ?? {}) as ErrorData, { cause: error })
}
