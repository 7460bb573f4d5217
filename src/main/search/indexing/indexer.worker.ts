import { EventPublisher, type } from '@orpc/server'
import { Indexer, type IndexerEvent, type IndexerSettings } from './indexer.ts'
import { serveThread, threadBase, threadFile } from '#platform'

const events = new EventPublisher<{ event: IndexerEvent }>({ maxBufferedEvents: 1000 })
let indexer: Indexer | undefined
const prepareEntry = threadFile(new URL('../../', import.meta.url), 'search/indexing/prepare.worker')

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
  touch: threadBase.input(type<readonly string[]>()).handler(({ input }) => opened().touch(input)),
  settle: threadBase.input(type<number>()).handler(({ input }) => opened().settle(input)),
  reindex: threadBase.handler(({ signal }) => opened().reindex(signal)),
  savePower: threadBase.input(type<boolean>()).handler(({ input }) => opened().savePower(input)),
  revive: threadBase.input(type<boolean>()).handler(({ input }) => opened().revive(input)),
  hold: threadBase.input(type<boolean>()).handler(({ input }) => opened().hold(input)),
  goOn: threadBase.handler(() => opened().goOn()),
  askAgain: threadBase.handler(() => opened().askAgain()),
  embedded: threadBase.handler(() => opened().embedded()),
  swap: threadBase.handler(() => opened().swap()),
  status: threadBase.handler(() => opened().status()),
  close: threadBase.handler(() => indexer?.close()),
}

export type IndexerRouter = typeof router

serveThread(router)
