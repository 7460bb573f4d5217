import { serveWorker } from '#platform'
import { findCandidates, takeLook } from './scan-notes.ts'

const jobs = { run: takeLook, candidates: findCandidates }

export type UpkeepJobs = typeof jobs

serveWorker(jobs)
