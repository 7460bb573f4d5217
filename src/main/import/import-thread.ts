/** Entry of the thread that reads what is imported and packs what is exported: either can be large. */
import { os, type } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { parentPort } from 'node:worker_threads'
import { toOrpcError } from '../thread/index.ts'
import { packWorkspace } from './pack.ts'
import { readSource } from './read-source.ts'

const base = os.use(async ({ next }) => {
  try {
    return await next()
  } catch (error) {
    throw toOrpcError(error)
  }
})

const router = {
  read: base.input(type<string>()).handler(({ input }) => readSource(input)),
  pack: base
    .input(type<{ workspace: string; repository: string | undefined }>())
    .handler(({ input }) => packWorkspace(input.workspace, input.repository)),
}

export type ImportRouter = typeof router

parentPort?.once('message', ({ port }: { port: MessagePort }) => {
  new RPCHandler(router).upgrade(port)
  port.start()
})
