import { serveWorker } from '#platform'
import { forget, resumeForgetting, type ForgetRequest } from './erase.ts'
import { Phrase } from './erase-pattern.ts'
import { scan } from './find-occurrences.ts'
import type { ForgetFolders } from './erasure-stores.ts'

const stopping = new AbortController()

const jobs = {
  /** Finishes even without a listener; `stop` stops it after the current file. */
  run: ({ folders, request }: { folders: ForgetFolders; request: ForgetRequest }) =>
    forget(folders, request, stopping.signal),
  stop: () => stopping.abort(),
  resume: resumeForgetting,
  find: ({ folders, texts }: { folders: ForgetFolders; texts: readonly string[] }, signal: AbortSignal | undefined) =>
    scan(folders, new Phrase(texts), signal),
}

export type ForgetJobs = typeof jobs

serveWorker(jobs)
