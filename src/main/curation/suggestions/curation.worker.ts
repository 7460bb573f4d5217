import { serveWorker, streamProgress } from '#platform'
import { compareSaved, prepareReviewInput, scanNotes, type ScanRequest } from './scan-notes.ts'

async function* scan(request: ScanRequest) {
  const suggestions = yield* streamProgress((onProgress) => scanNotes(request, onProgress))
  yield { type: 'done' as const, proposals: suggestions }
}

const jobs = { scan, reviewInput: prepareReviewInput, compare: compareSaved }

export type CurationJobs = typeof jobs

serveWorker(() => jobs)
