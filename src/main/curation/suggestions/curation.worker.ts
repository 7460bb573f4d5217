import { serveWorker } from '#platform'
import { prepareReviewInput, scanNotes } from './scan-notes.ts'

const jobs = { run: scanNotes, reviewInput: prepareReviewInput }

export type CurationJobs = typeof jobs

serveWorker(jobs)
