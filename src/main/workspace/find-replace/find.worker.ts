import { serveWorker } from '#platform'
import type { SearchQuery } from './text-matches.ts'
import { rewriteFile, searchFiles, type FileMatches, type SearchRoots } from './search-files.ts'

const jobs = {
  search: (input: SearchRoots & { query: SearchQuery }, signal: AbortSignal | undefined) =>
    searchFiles(input, input.query, signal),
  rewrite: (
    input: SearchRoots & { query: SearchQuery & { replacement: string }; file: Pick<FileMatches, 'path' | 'hash'> },
  ) => rewriteFile(input, input.query, input.file),
}

export type FindJobs = typeof jobs

serveWorker(jobs)
