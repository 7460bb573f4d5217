import type { BrokenLink, MemoryScope, Proposal, Recall, UpkeepProgress } from '#shared/contract/index.ts'
import { runInWorker } from '#platform'
import type { Layout, Roots } from '#workspace'
import type { Candidates } from '../review/candidates.ts'
import type { UpkeepJobs } from './curation.worker.ts'

export interface NotesOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly roots: Pick<Roots, 'workspace' | 'forbidden'>
  readonly scope: MemoryScope
  /** Where the logs of days are, and what is left out. */
  readonly layout: Layout
  /** The file of the model that comes with the app. */
  readonly builtinFile: string
}

export interface LookOptions extends NotesOptions {
  readonly recalls: readonly Recall[]
  readonly broken: readonly BrokenLink[]
  /** What the settings keep on this machine. */
  readonly local: readonly string[]
  readonly now: Date
}

export interface Look {
  readonly proposals: readonly Proposal[]
  /** The rules that were gone through to the end. */
  readonly rules: ReadonlySet<Proposal['rule']>
}

/** @throws the signal's reason when it is aborted */
export async function runLook(
  { entry, roots: { workspace, forbidden }, recalls, now, ...rest }: LookOptions,
  signal: AbortSignal,
  onProgress: (progress: UpkeepProgress) => void,
): Promise<Look> {
  const shown = recalls.map(({ at, results }) => ({ at, paths: results.map(({ path }) => path) }))
  const request = { workspace, forbidden: [...forbidden], recalls: shown, now: now.getTime(), ...rest }
  return runInWorker<UpkeepJobs, Look>(
    entry,
    async (client) => {
      for await (const step of await client.run(request, { signal })) {
        if (step.type === 'done') return { proposals: step.proposals, rules: new Set(step.rules) }
        onProgress({ done: step.done, total: step.total })
      }
      throw new Error('the look through memory broke off')
    },
    signal,
  )
}

/** Lines that a model may be asked about. @throws the signal's reason when it is aborted */
export async function runCandidates(
  { entry, roots: { workspace, forbidden }, scope, layout, builtinFile }: NotesOptions,
  signal: AbortSignal,
): Promise<Candidates> {
  const request = { workspace, forbidden: [...forbidden], scope, layout, builtinFile }
  return runInWorker<UpkeepJobs, Candidates>(entry, (client) => client.candidates(request, { signal }), signal)
}
