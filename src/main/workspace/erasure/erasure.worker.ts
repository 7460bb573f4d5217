import { serveWorker } from '#platform'
import { erase, resumeErasure, type EraseRequest } from './erase.ts'
import { ErasePattern } from './erase-pattern.ts'
import { findOccurrences } from './find-occurrences.ts'
import type { ErasureFolders } from './erasure-stores.ts'

const stopping = new AbortController()

const jobs = {
  /** Finishes even without a listener; `stop` stops it after the current file. */
  run: ({ folders, request }: { folders: ErasureFolders; request: EraseRequest }) =>
    erase(folders, request, stopping.signal),
  stop: () => stopping.abort(),
  resume: resumeErasure,
  find: ({ folders, texts }: { folders: ErasureFolders; texts: readonly string[] }, signal: AbortSignal | undefined) =>
    findOccurrences(folders, new ErasePattern(texts), signal),
}

export type ErasureJobs = typeof jobs

serveWorker(jobs)
