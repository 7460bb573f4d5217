import type { RouterClient } from '@orpc/server'
import { clockOffset, startThread, workerEntry, searcherYoungGenerationMb, type Clock } from '#platform'
import { fileIdOf } from '#workspace'
import type { IndexerSettings, MemorySource } from '../indexing/indexer.ts'
import type { IndexerRouter } from '../indexing/indexer.worker.ts'
import type { SearcherRouter } from '../ranking/searcher.worker.ts'

/** Entry scripts of the workers; they differ between source and build. */
export interface ThreadEntries {
  readonly indexer: URL
  readonly searcher: URL
}

export function threadEntries(mainFolder: URL): ThreadEntries {
  return {
    indexer: workerEntry(mainFolder, 'search/indexing/indexer.worker'),
    searcher: workerEntry(mainFolder, 'search/ranking/searcher.worker'),
  }
}

export type MemoryWorkers = ReturnType<typeof startThreads>

export function startThreads({ indexer, searcher }: ThreadEntries) {
  return {
    indexer: startThread<RouterClient<IndexerRouter>>(indexer),
    searcher: startThread<RouterClient<SearcherRouter>>(searcher, searcherYoungGenerationMb),
    stop: new AbortController(),
  }
}

export async function stopThreads({ indexer, searcher, stop }: MemoryWorkers): Promise<void> {
  stop.abort()
  // The last connection to close checkpoints the database, which only a writable one can do, so the indexer is closed
  // last.
  await searcher.client.close().catch(() => undefined)
  await indexer.client.close().catch(() => undefined)
  await Promise.all([indexer.terminate(), searcher.terminate()])
}

/** On Windows, a file that the searcher has open can't be moved aside. */
const canBeOpenTwice = process.platform !== 'win32'
const retryMs = 30_000

/**
 * Opens the index in both workers.
 * @param eventsSubscribed resolves when the indexer's events are subscribed
 * @throws AppError if the index can't be opened
 */
export async function openWorkers(
  { indexer, searcher }: MemoryWorkers,
  source: MemorySource & Pick<IndexerSettings, 'earlier'>,
  { watch, now }: { readonly watch: boolean; readonly now: Clock },
  eventsSubscribed: Promise<void>,
): Promise<void> {
  const { file, embedding, earlier = [] } = source
  const searcherInput = { file, embedding, earlier, clockAheadMs: clockOffset(now) }
  const fileIdBefore = canBeOpenTwice ? await fileIdOf(file) : undefined
  // An existing index is opened for reading while the indexer starts.
  const reading = fileIdBefore === undefined ? Promise.resolve() : searcher.client.open(searcherInput)
  reading.catch(() => undefined)
  await eventsSubscribed
  await indexer.client.open({ ...source, watch, retryMs })
  await reading
  // The indexer may have replaced the file.
  if (fileIdBefore === undefined || (await fileIdOf(file)) !== fileIdBefore) await searcher.client.open(searcherInput)
}
