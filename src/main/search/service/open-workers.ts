import { stat } from 'node:fs/promises'
import { clockOffset, type Clock } from '#platform'
import type { EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { NotesFolder } from '#workspace/privacy'
import type { IndexedFolder } from '../indexing/indexed-folder.ts'
import type { MemoryWorkers } from './memory-workers.ts'

export interface MemorySource {
  /** Absolute path of the index. */
  readonly file: string
  readonly folders: readonly IndexedFolder[]
  readonly debounceMs: number
  readonly embedding: EmbeddingSource
  readonly notes: readonly NotesFolder[]
}

export interface WorkerState {
  /** True if the embedding provider is unavailable and must not be called. */
  readonly isHeld: boolean
  readonly isSavingPower: boolean
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
  source: MemorySource,
  { watch, now }: { readonly watch: boolean; readonly now: Clock },
  { isHeld, isSavingPower }: WorkerState,
  eventsSubscribed: Promise<void>,
): Promise<void> {
  const { file, embedding } = source
  const searcherInput = { file, embedding, clockAheadMs: clockOffset(now) }
  const fileIdBefore = canBeOpenTwice ? await fileIdOf(file) : undefined
  // An existing index is opened for reading while the indexer starts.
  const reading = fileIdBefore === undefined ? Promise.resolve() : searcher.client.open(searcherInput)
  reading.catch(() => undefined)
  await eventsSubscribed
  await indexer.client.open({ ...source, watch, retryMs })
  if (isHeld) await indexer.client.pauseEmbedding(true)
  if (isSavingPower) await indexer.client.savePower(true)
  await reading
  // The indexer may have replaced the file.
  if (fileIdBefore === undefined || (await fileIdOf(file)) !== fileIdBefore) await searcher.client.open(searcherInput)
}

/** Identifies a file on disk. Returns undefined on errors, which the indexer reports. */
async function fileIdOf(file: string): Promise<string | undefined> {
  const info = await stat(file, { bigint: true }).catch(() => undefined)
  return info && `${info.dev}:${info.ino}`
}
