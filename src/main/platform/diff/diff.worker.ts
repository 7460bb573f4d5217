import { serveWorker } from '../workers/serve-worker.ts'
import { diffJobs } from './differ.ts'

serveWorker(() => diffJobs)
