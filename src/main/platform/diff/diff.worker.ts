import { serveWorker } from '../workers/serve-worker.ts'
import { compareTexts } from './compare-lines.ts'
import { mergeKeepingBoth, mergeTexts } from './merge-texts.ts'
import { describeChange, revertPatch } from './patch.ts'

export interface DescribeTask {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly isInHistory: boolean
}

export interface MergeTask {
  readonly base: string
  readonly mine: string
  readonly theirs: string
  readonly keepsBoth: boolean
}

const jobs = {
  describe: ({ path, before, after, ...options }: DescribeTask) => describeChange(path, before, after, options),
  revertText: ({ text, patch }: { text: string; patch: string }) => revertPatch(text, patch),
  changedLines: ({ before, after }: { before: string; after: string }) => compareTexts(before, after),
  merge: ({ base, mine, theirs, keepsBoth }: MergeTask) =>
    (keepsBoth ? mergeKeepingBoth : mergeTexts)(base, mine, theirs),
}

export type DiffJobs = typeof jobs

serveWorker(jobs)
