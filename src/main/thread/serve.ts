/** The other end of `startThread`: what a thread's entry offers. */
import { os, type AnyRouter } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { parentPort, type MessagePort } from 'node:worker_threads'
import { plainPort } from './plain-port.ts'
import { toOrpcError } from './errors.ts'

/** Requests of a thread are made from this: an expected failure keeps its code and data on the way. */
export const threadBase = os.use(async ({ next }) => {
  try {
    return await next()
  } catch (error) {
    throw toOrpcError(error)
  }
})

/** Answers whoever started this thread. */
export function serveThread(router: AnyRouter): void {
  parentPort?.once('message', ({ port }: { port: MessagePort }) => {
    new RPCHandler(router).upgrade(plainPort(port))
  })
}
