import { serveWorker } from '#platform'
import { takeSurvey } from './analyze-memory.ts'

const jobs = { run: takeSurvey }

export type SurveyJobs = typeof jobs

serveWorker(jobs)
