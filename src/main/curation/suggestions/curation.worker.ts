import { serveWorker } from '#platform'
import { findCandidates, scanNotes } from './scan-notes.ts'

const jobs = { run: scanNotes, candidates: findCandidates }

export type CurationJobs = typeof jobs

serveWorker(jobs)
