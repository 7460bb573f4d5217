import { serveWorker } from '#platform'
import type { Wanted } from './text-matches.ts'
import { rewriteFile, searchFiles, type FoundFile, type Where } from './search-files.ts'

const jobs = {
  search: (input: Where & { wanted: Wanted }, signal: AbortSignal | undefined) =>
    searchFiles(input, input.wanted, signal),
  rewrite: (input: Where & { wanted: Wanted & { replacement: string }; file: Pick<FoundFile, 'path' | 'hash'> }) =>
    rewriteFile(input, input.wanted, input.file),
}

export type FindJobs = typeof jobs

serveWorker(jobs)
