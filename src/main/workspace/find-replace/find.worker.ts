import { serveWorker } from '#platform'
import { type Hashes, rewriteFiles, searchFiles, type SearchQuery, type SearchRoots } from './search-files.ts'

const jobs = {
  search: (input: SearchRoots & { query: SearchQuery }, signal: AbortSignal | undefined) =>
    searchFiles(input, input.query, signal),
  rewrite: (
    input: SearchRoots & { query: SearchQuery & { replacement: string }; files: Hashes },
    signal: AbortSignal | undefined,
  ) => rewriteFiles(input, input.query, input.files, signal),
}

export type FindJobs = typeof jobs

serveWorker(() => jobs)
