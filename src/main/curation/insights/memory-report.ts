/** Has a thread of its own go through all of a memory, since that can be long. */
import type { MemoryScope, Recall, SurveyStep } from '#shared/contract/index.ts'
import { WorkerHost } from '#platform'
import type { Layout, Roots } from '#workspace'
import type { SurveyJobs } from './insights.worker.ts'

interface SurveyOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly roots: Pick<Roots, 'workspace' | 'forbidden'>
  readonly scope: MemoryScope
  readonly layout: Layout
  readonly unreadable: readonly (readonly [string, string])[]
  readonly recalls: readonly Recall[]
  readonly builtinFile: string
  readonly now: Date
  readonly signal: AbortSignal | undefined
}

/** Ends with the step `done`, unless it is aborted before. */
export async function* surveyMemory({
  entry,
  roots: { workspace, forbidden },
  scope,
  layout,
  unreadable,
  recalls,
  builtinFile,
  now,
  signal,
}: SurveyOptions): AsyncGenerator<SurveyStep> {
  const passages = recalls.flatMap(({ session, id, at, results }) =>
    results.map(({ path, startLine, snippet }) => ({ search: `${session}/${id}`, at, path, startLine, snippet })),
  )
  const request = { workspace, forbidden, scope, layout, unreadable, passages, builtinFile, now: now.getTime() }
  const worker = new WorkerHost<SurveyJobs>({ entry })
  try {
    yield* worker.stream((client) => client.run(request, { signal }))
  } finally {
    await worker.close()
  }
}
