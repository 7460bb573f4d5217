/** Has a thread of its own go through all of a memory, since that can be long. */
import type { RouterClient } from '@orpc/server'
import type { MemoryScope, Recall, SurveyStep } from '#shared/contract/index.ts'
import { fromOrpcError, startThread } from '#platform'
import type { Layout, Roots } from '#workspace'
import type { SurveyRouter } from './insights.worker.ts'

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
  const thread = startThread<RouterClient<SurveyRouter>>(entry)
  try {
    const passages = recalls.flatMap(({ session, id, at, results }) =>
      results.map(({ path, startLine, snippet }) => ({ search: `${session}/${id}`, at, path, startLine, snippet })),
    )
    const request = { workspace, forbidden, scope, layout, unreadable, passages, builtinFile, now: now.getTime() }
    yield* await thread.client.run(request, signal ? { signal } : {})
  } catch (error) {
    throw fromOrpcError(error)
  } finally {
    await thread.terminate()
  }
}
