import { stat } from 'node:fs/promises'
import { aheadOf, type Clock, type MemorySettings } from '#platform'
import type { EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { NotesFolder } from '#workspace/privacy'
import type { IndexedFolder } from '../indexing/indexed-folder.ts'
import type { Threads } from './memory-threads.ts'

/** What an index depends on; when it changes, the threads start anew. */
export interface MemorySource {
  readonly file: string
  readonly folders: readonly IndexedFolder[]
  readonly chunk: MemorySettings['chunk']
  readonly debounceMs: number
  readonly embedding: EmbeddingSource
  /** Whose notes may be local, and what the settings say of them. */
  readonly notes: readonly NotesFolder[]
}

export interface Standing {
  /** The embedding provider does not work and is not to be asked. */
  readonly isHeld: boolean
  readonly isSavingPower: boolean
}

/** On Windows a file that a search has open cannot be put aside. */
const canBeOpenTwice = process.platform !== 'win32'
/** See `IndexerSettings.retryMs`. */
const retryMs = 30_000

/** @param heard when the indexer is listened to @throws AppError when there is no index to be had */
export async function openThreads(
  { indexer, searcher }: Threads,
  source: MemorySource,
  { watch, now }: { readonly watch: boolean; readonly now: Clock },
  { isHeld, isSavingPower }: Standing,
  heard: Promise<void>,
): Promise<void> {
  const { file, embedding, notes } = source
  const searched = { file, embedding, notes, clockAheadMs: aheadOf(now) }
  const before = canBeOpenTwice ? await placeOnDisk(file) : undefined
  // An index that is there is read while the indexer starts, and opens it.
  const reading = before === undefined ? Promise.resolve() : searcher.client.open(searched)
  reading.catch(() => undefined)
  await heard
  await indexer.client.open({ ...source, watch, retryMs })
  if (isHeld) await indexer.client.hold(true)
  if (isSavingPower) await indexer.client.savePower(true)
  await reading
  // What was there may have given way to another.
  if (before === undefined || (await placeOnDisk(file)) !== before) await searcher.client.open(searched)
}

/** Tells apart files that have the same name one after the other; what is wrong with a file is the indexer's to say. */
async function placeOnDisk(file: string): Promise<string | undefined> {
  const info = await stat(file, { bigint: true }).catch(() => undefined)
  return info && `${info.dev}:${info.ino}`
}
