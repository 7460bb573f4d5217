/** How a thread is started and spoken to: one MessagePort, typed calls in one direction, event iterators in the other. */
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { RouterClient } from '@orpc/server'
import { Worker } from 'node:worker_threads'
import type { IndexerRouter } from './indexer-thread.ts'
import type { SearcherRouter } from './searcher-thread.ts'

/** The files that the threads start from; they differ between source and build. */
export interface ThreadEntries {
  readonly indexer: URL
  readonly searcher: URL
}

export interface Thread<Client> {
  readonly client: Client
  /** Called once if the thread dies by itself. */
  onExit(listener: (error: Error) => void): void
  terminate(): Promise<void>
}

export function startIndexer(entries: ThreadEntries): Thread<RouterClient<IndexerRouter>> {
  return start(entries.indexer)
}

export function startSearcher(entries: ThreadEntries): Thread<RouterClient<SearcherRouter>> {
  return start(entries.searcher)
}

/** A thread's new objects die young; room for more of them only costs memory. */
const maxYoungGenerationSizeMb = 8

function start<Client extends object>(entry: URL): Thread<Client> {
  const worker = new Worker(entry, { resourceLimits: { maxYoungGenerationSizeMb } })
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ port: port2 }, [port2 as never])
  port1.start()
  const client = createORPCClient(new RPCLink({ port: port1 })) as Client
  let terminated = false
  let failure: Error | undefined
  worker.on('error', (error) => {
    failure = error instanceof Error ? error : new Error(String(error))
  })
  return {
    client,
    onExit(listener) {
      worker.on('exit', (code) => {
        port1.close()
        if (!terminated) listener(failure ?? new Error(`index thread ended with code ${code}`))
      })
    },
    async terminate() {
      terminated = true
      port1.close()
      await worker.terminate()
    },
  }
}

/** Source files run as they are; the build puts its own beside the entries. */
export function threadEntries(mainFolder: URL): ThreadEntries {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return {
    indexer: new URL(`memory/indexer-thread.${extension}`, mainFolder),
    searcher: new URL(`memory/searcher-thread.${extension}`, mainFolder),
  }
}
