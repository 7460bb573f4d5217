import { EventPublisher } from '@orpc/server'
import { serveWorker, lowerThreadPriority } from '#platform'
import {
  blameFile,
  diffOf,
  findMovedFile,
  currentPath,
  textIfExists,
  queryTimeline,
  type TimelineRequest,
} from './history-queries.ts'
import { revertStatusOf } from './change-revert-status.ts'
import { Recorder, type RecorderEvent, type RecorderSettings } from './recorder.ts'

const events = new EventPublisher<{ event: RecorderEvent }>({ maxBufferedEvents: 1000 })
let recorder: Recorder | undefined

function requireRecorder(): Recorder {
  if (!recorder) throw new Error('the history is not open')
  return recorder
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
  timeline: async (request: TimelineRequest) => queryTimeline(await requireRecorder().repositoryUpToDate(), request),
  diff: async ({ commit, path }: { commit: string; path: string }) =>
    diffOf(await requireRecorder().repositoryUpToDate(), commit, path),
  resolveCurrentPath: async ({ path, commit }: { path: string; commit: string | undefined }) =>
    currentPath(await requireRecorder().repositoryUpToDate(), path, commit),
  movedTo: async (path: string) => findMovedFile(await requireRecorder().repositoryUpToDate(), path),
  revertStatus: async ({ path, patch }: { path: string; patch: string }) =>
    revertStatusOf(await requireRecorder().repositoryUpToDate(), path, patch),
  text: async (id: string) => textIfExists(await requireRecorder().repositoryNow(), id),
  blame: async (path: string) => blameFile(await requireRecorder().repositoryUpToDate(), path),
  settle: () => requireRecorder().flush(),
  close: () => recorder?.close(),
}

export type HistoryJobs = typeof jobs

// Searches and the interface have priority: unrecorded changes are safe in the journal and on disk.
lowerThreadPriority()
serveWorker(jobs)
