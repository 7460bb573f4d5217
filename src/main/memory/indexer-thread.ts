/** Entry of the indexing thread: an `Indexer` behind typed calls. */
import { EventPublisher, os, type } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { parentPort } from 'node:worker_threads'
import { Indexer, type IndexerEvent, type IndexerSettings } from './indexer.ts'
import { toOrpcError } from '../thread/index.ts'

const events = new EventPublisher<{ event: IndexerEvent }>({ maxBufferedEvents: 1000 })
let indexer: Indexer | undefined

function opened(): Indexer {
  if (!indexer) throw new Error('the indexer was not opened')
  return indexer
}

const base = os.use(async ({ next }) => {
  try {
    return await next()
  } catch (error) {
    throw toOrpcError(error)
  }
})

const router = {
  open: base.input(type<IndexerSettings>()).handler(async ({ input }) => {
    indexer = new Indexer(input, (event) => events.publish('event', event))
    await indexer.open()
  }),
  events: base.handler(({ signal }) => events.subscribe('event', signal ? { signal } : {})),
  touch: base.input(type<readonly string[]>()).handler(({ input }) => opened().touch(input)),
  settle: base.input(type<number>()).handler(({ input }) => opened().settle(input)),
  reindex: base.handler(({ signal }) => opened().reindex(signal)),
  revive: base.handler(() => opened().revive()),
  swap: base.handler(() => opened().swap()),
  status: base.handler(() => opened().status()),
  close: base.handler(() => indexer?.close()),
}

export type IndexerRouter = typeof router

parentPort?.once('message', ({ port }: { port: MessagePort }) => {
  new RPCHandler(router).upgrade(port)
  port.start()
})
