import { serveWorker } from '#platform'
import { compareSaved, prepareReviewInput, scanNotes } from './scan-notes.ts'

const jobs = { scan: scanNotes, reviewInput: prepareReviewInput, compare: compareSaved }

export type CurationJobs = typeof jobs

serveWorker(jobs)
