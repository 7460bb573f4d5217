import { EventPublisher } from '@orpc/server'
import { Indexer, type IndexerEvent, type IndexerSettings } from './indexer.ts'
import { serveWorker, workerEntry } from '#platform'

function createJobs() {
  const events = new EventPublisher<{ event: IndexerEvent }>({ maxBufferedEvents: 1000 })
  let indexer: Indexer | undefined
  const prepareEntry = workerEntry(new URL('../../', import.meta.url), 'search/indexing/prepare.worker')

  function opened(): Indexer {
    if (!indexer) throw new Error('the indexer was not opened')
    return indexer
  }

  return {
    async open(settings: IndexerSettings) {
      indexer = new Indexer(settings, (event) => events.publish('event', event), prepareEntry)
      await indexer.open()
    },
    events: (_: undefined, signal?: AbortSignal) => events.subscribe('event', signal ? { signal } : {}),
    notifyWritten: (paths: readonly string[]) => opened().notifyWritten(paths),
    flush: (timeoutMs: number) => opened().flush(timeoutMs),
    reindex: (_: undefined, signal?: AbortSignal) => opened().reindex(signal),
    savePower: (isSaving: boolean) => opened().savePower(isSaving),
    recover: (isCorrupt: boolean) => opened().recover(isCorrupt),
    pauseEmbedding: (isPaused: boolean) => opened().pauseEmbedding(isPaused),
    retryEmbedding: () => opened().retryEmbedding(),
    embedded: () => opened().embedded(),
    swap: () => opened().swap(),
    status: () => opened().status(),
    close: async () => indexer?.close(),
  }
}

export type IndexerJobs = ReturnType<typeof createJobs>

serveWorker(createJobs)
