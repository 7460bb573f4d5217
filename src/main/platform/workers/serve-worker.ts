/** The other end of `startThread`: what a thread's entry offers. */
import { os, type AnyRouter } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { parentPort, type MessagePort } from 'node:worker_threads'
import { shareWithThreads } from './worker-prestart.ts'
import { plainPort } from './plain-port.ts'
import { toOrpcError } from './worker-errors.ts'

/** Requests of a thread are made from this: an expected failure keeps its code and data on the way. */
export const threadBase = os.use(async ({ next }) => {
  try {
    const result = await next()
    return isIterator(result.output) ? { ...result, output: withCodes(result.output) } : result
  } catch (error) {
    throw toOrpcError(error)
  }
})

function isIterator(output: unknown): output is AsyncGenerator {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output
}

/** What fails in the middle keeps its code as well. */
async function* withCodes(steps: AsyncGenerator): AsyncGenerator {
  try {
    yield* steps
  } catch (error) {
    throw toOrpcError(error)
  }
}

/** What a thread is told first: where it is spoken to, and what all threads share. */
export interface FirstMessage {
  readonly port: MessagePort
  readonly shared: ReadonlyMap<string, SharedArrayBuffer>
}

/** Answers whoever started this thread. */
export function serveThread(router: AnyRouter): void {
  parentPort?.once('message', ({ port, shared }: FirstMessage) => {
    for (const [name, memory] of shared) shareWithThreads(name, memory)
    new RPCHandler(router).upgrade(plainPort(port))
  })
}
