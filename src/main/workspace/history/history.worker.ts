import { EventPublisher } from '@orpc/server'
import { serveWorker, lowerThreadPriority } from '#platform'
import { blameFile, diffOf, findMovedFile, currentPath, textIfExists, queryTimeline } from './history-queries.ts'
import { revertStatusOf } from './change-revert-status.ts'
import type { Repository } from './repository.ts'
import { Recorder, type RecorderEvent, type RecorderSettings } from './recorder.ts'

const events = new EventPublisher<{ event: RecorderEvent }>({ maxBufferedEvents: 1000 })
let recorder: Recorder | undefined

function requireRecorder(): Recorder {
  if (!recorder) throw new Error('the history is not open')
  return recorder
}

/** Wraps a query, so that it runs on the repository after pending changes are recorded. */
function query<Input, Result>(work: (repository: Repository, input: Input) => Result) {
  return async (input: Input) => work(await requireRecorder().repositoryUpToDate(), input)
}

const jobs = {
  open(settings: RecorderSettings) {
    recorder = new Recorder(settings, (event) => events.publish('event', event))
  },
  events: (_: undefined, signal: AbortSignal | undefined) => events.subscribe('event', signal ? { signal } : {}),
  notifyJournalChange: () => requireRecorder().scheduleFlush(),
  recordFiles: ({ paths, forbidden }: { paths: readonly string[]; forbidden: readonly string[] }) =>
    requireRecorder().recordExternalChanges(paths, forbidden),
  rescanFiles: (forbidden: readonly string[]) => requireRecorder().rescan(forbidden),
  timeline: query(queryTimeline),
  diff: query((repository, { commit, path }: { commit: string; path: string }) => diffOf(repository, commit, path)),
  resolveCurrentPath: query((repository, { path, commit }: { path: string; commit: string | undefined }) =>
    currentPath(repository, path, commit),
  ),
  movedTo: query(findMovedFile),
  revertStatus: query((repository, { path, patch }: { path: string; patch: string }) =>
    revertStatusOf(repository, path, patch),
  ),
  text: async (id: string) => textIfExists(await requireRecorder().repositoryNow(), id),
  blame: query(blameFile),
  settle: () => requireRecorder().flush(),
  close: () => recorder?.close(),
}

export type HistoryJobs = typeof jobs

// Searches and the interface have priority: unrecorded changes are safe in the journal and on disk.
lowerThreadPriority()
serveWorker(jobs)
