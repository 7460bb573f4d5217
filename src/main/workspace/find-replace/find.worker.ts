import { serveWorker } from '#platform'
import type { SearchQuery } from './text-matches.ts'
import { rewriteFile, searchFiles, type FileMatches, type SearchRoots } from './search-files.ts'

const jobs = {
  search: (input: SearchRoots & { wanted: SearchQuery }, signal: AbortSignal | undefined) =>
    searchFiles(input, input.wanted, signal),
  rewrite: (
    input: SearchRoots & { wanted: SearchQuery & { replacement: string }; file: Pick<FileMatches, 'path' | 'hash'> },
  ) => rewriteFile(input, input.wanted, input.file),
}

export type FindJobs = typeof jobs

serveWorker(jobs)
