import { serveWorker, streamProgress } from '#platform'
import { compareSaved, prepareReviewInput, scanNotes, type ScanRequest } from './scan-notes.ts'

/** Yields the progress, then the proposals. */
async function* scan(request: ScanRequest) {
  const suggestions = yield* streamProgress((onProgress) => scanNotes(request, onProgress))
  yield { type: 'done' as const, proposals: suggestions }
}

const jobs = { scan, reviewInput: prepareReviewInput, compare: compareSaved }

export type CurationJobs = typeof jobs

serveWorker(jobs)
