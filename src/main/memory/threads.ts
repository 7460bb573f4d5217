/** The two threads of an index, and the one that tries another. */
import type { RouterClient } from '@orpc/server'
import { startThread, threadFile, type Thread } from '../thread/index.ts'
import type { IndexerRouter } from './indexer-thread.ts'
import type { RechunkRouter } from './rechunk-thread.ts'
import type { SearcherRouter } from './searcher-thread.ts'

/** The files that the threads start from; they differ between source and build. */
export interface ThreadEntries {
  readonly indexer: URL
  readonly searcher: URL
  readonly rechunk: URL
}

export function startIndexer(entries: ThreadEntries): Thread<RouterClient<IndexerRouter>> {
  return startThread(entries.indexer)
}

export function startSearcher(entries: ThreadEntries): Thread<RouterClient<SearcherRouter>> {
  return startThread(entries.searcher)
}

export function startRechunk(entries: ThreadEntries): Thread<RouterClient<RechunkRouter>> {
  return startThread(entries.rechunk)
}

export function threadEntries(mainFolder: URL): ThreadEntries {
  return {
    indexer: threadFile(mainFolder, 'memory/indexer-thread'),
    searcher: threadFile(mainFolder, 'memory/searcher-thread'),
    rechunk: threadFile(mainFolder, 'memory/rechunk-thread'),
  }
}
