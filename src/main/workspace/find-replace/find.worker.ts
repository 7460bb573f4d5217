import { serveWorker } from '#platform'
import { rewriteFiles, searchFiles } from './search-files.ts'

const jobs = { search: searchFiles, rewrite: rewriteFiles }

export type FindJobs = typeof jobs

serveWorker(() => jobs)
