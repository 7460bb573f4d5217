import { EventPublisher, type } from '@orpc/server'
import { Indexer, type IndexerEvent, type IndexerSettings } from './indexer.ts'
import { serveThread, threadBase, workerEntry } from '#platform'

const events = new EventPublisher<{ event: IndexerEvent }>({ maxBufferedEvents: 1000 })
let indexer: Indexer | undefined
const prepareEntry = workerEntry(new URL('../../', import.meta.url), 'search/indexing/prepare.worker')

function opened(): Indexer {
  if (!indexer) throw new Error('the indexer was not opened')
  return indexer
}

const router = {
  open: threadBase.input(type<IndexerSettings>()).handler(async ({ input }) => {
    indexer = new Indexer(input, (event) => events.publish('event', event), prepareEntry)
    await indexer.open()
  }),
  events: threadBase.handler(({ signal }) => events.subscribe('event', signal ? { signal } : {})),
  notifyWritten: threadBase.input(type<readonly string[]>()).handler(({ input }) => opened().notifyWritten(input)),
  flush: threadBase.input(type<number>()).handler(({ input }) => opened().flush(input)),
  reindex: threadBase.handler(({ signal }) => opened().reindex(signal)),
  savePower: threadBase.input(type<boolean>()).handler(({ input }) => opened().savePower(input)),
  recover: threadBase.input(type<boolean>()).handler(({ input }) => opened().recover(input)),
  pauseEmbedding: threadBase.input(type<boolean>()).handler(({ input }) => opened().pauseEmbedding(input)),
  resumeEmbedding: threadBase.handler(() => opened().resumeEmbedding()),
  retryEmbedding: threadBase.handler(() => opened().retryEmbedding()),
  embedded: threadBase.handler(() => opened().embedded()),
  swap: threadBase.handler(() => opened().swap()),
  status: threadBase.handler(() => opened().status()),
  close: threadBase.handler(() => indexer?.close()),
}

export type IndexerRouter = typeof router

serveThread(router)
