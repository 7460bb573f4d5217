import type { BrokenLink, MemoryScope, Proposal, Recall, UpkeepProgress } from '#shared/contract/index.ts'
import { runInWorker, type WorkerClient } from '#platform'
import type { Layout, Roots } from '#workspace'
import type { PrivateRules } from '#workspace/privacy'
import type { ReviewInput } from '../review/review-input.ts'
import type { CurationJobs } from './curation.worker.ts'
import type { SavedLines, Comparison } from './scan-notes.ts'

export interface NotesSelection {
  readonly entry: URL
  readonly roots: Pick<Roots, 'workspace' | 'forbidden'>
  readonly scope: MemoryScope
  readonly layout: Layout
  readonly modelPath: string
}

export interface ScanOptions extends NotesSelection {
  readonly recalls: readonly Recall[]
  readonly broken: readonly BrokenLink[]
  readonly privateRules: PrivateRules
  readonly now: Date
}

/** Scans all notes in a worker. @throws the signal's reason if it aborts */
export async function runScan(
  { entry, roots: { workspace, forbidden }, recalls, now, ...rest }: ScanOptions,
  signal: AbortSignal,
  onProgress: (progress: UpkeepProgress) => void,
): Promise<{ proposals: readonly Proposal[]; rules: ReadonlySet<Proposal['rule']> }> {
  const recallPaths = recalls.map(({ at, results }) => ({ at, paths: results.map(({ path }) => path) }))
  const request = { workspace, forbidden: [...forbidden], recalls: recallPaths, now: now.getTime(), ...rest }
  const scan = async (client: WorkerClient<CurationJobs>) => {
    for await (const step of await client.run(request, { signal })) {
      if (step.type === 'done') return { proposals: step.proposals, rules: new Set(step.rules) }
      onProgress({ done: step.done, total: step.total })
    }
    throw new Error('the scan of the memory ended early')
  }
  return runInWorker(entry, scan, signal)
}

/** Selects the open lines for a review in a worker. @throws the signal's reason if it aborts */
export async function readReviewInput(
  { entry, roots: { workspace, forbidden }, scope, layout, modelPath }: NotesSelection,
  privateRules: PrivateRules,
  signal: AbortSignal,
): Promise<ReviewInput> {
  const request = { workspace, forbidden: [...forbidden], scope, layout, modelPath, privateRules }
  return runInWorker<CurationJobs, ReviewInput>(entry, (client) => client.reviewInput(request, { signal }), signal)
}

/** Compares a saved note with all others in a worker. @returns and @throws as `compareSaved` */
export async function runComparison(
  { entry, roots: { workspace, forbidden }, ...rest }: NotesSelection & Pick<ScanOptions, 'privateRules'>,
  saved: SavedLines,
  now: Date,
  signal?: AbortSignal,
): Promise<Comparison | undefined> {
  const request = { workspace, forbidden: [...forbidden], ...rest, saved, now: now.getTime() }
  return runInWorker<CurationJobs, Comparison | undefined>(
    entry,
    (client) => client.compare(request, { signal }),
    signal,
  )
}
