import { serveWorker } from '#platform'
import { erase, resumeErasure, type EraseRequest } from './erase.ts'
import { ErasePattern } from './erase-pattern.ts'
import { findOccurrences } from './find-occurrences.ts'
import type { ErasureFolders } from './erasure-stores.ts'

const stopController = new AbortController()

const jobs = {
  /** Finishes even if the caller stops listening. `stop` ends it after the current file. */
  run: ({ folders, request }: { folders: ErasureFolders; request: EraseRequest }) =>
    erase(folders, request, stopController.signal),
  stop: () => stopController.abort(),
  resume: resumeErasure,
  find: ({ folders, texts }: { folders: ErasureFolders; texts: readonly string[] }, signal: AbortSignal | undefined) =>
    findOccurrences(folders, new ErasePattern(texts), signal),
}

export type ErasureJobs = typeof jobs

serveWorker(jobs)
