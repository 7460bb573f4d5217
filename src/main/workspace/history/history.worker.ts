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

function opened(): Recorder {
  if (!recorder) throw new Error('the history is not open')
  return recorder
}

const jobs = {
  open(settings: RecorderSettings) {
    recorder = new Recorder(settings, (event) => events.publish('event', event))
  },
  events: (_: undefined, signal: AbortSignal | undefined) => events.subscribe('event', signal ? { signal } : {}),
  notifyJournalChange: () => opened().journalChanged(),
  recordFiles: ({ paths, forbidden }: { paths: readonly string[]; forbidden: readonly string[] }) =>
    opened().recordExternalChanges(paths, forbidden),
  rescanFiles: (forbidden: readonly string[]) => opened().rescan(forbidden),
  timeline: async (request: TimelineRequest) => queryTimeline(await opened().repositoryUpToDate(), request),
  diff: async ({ commit, path }: { commit: string; path: string }) =>
    diffOf(await opened().repositoryUpToDate(), commit, path),
  resolveCurrentPath: async ({ path, commit }: { path: string; commit: string | undefined }) =>
    currentPath(await opened().repositoryUpToDate(), path, commit),
  movedTo: async (path: string) => findMovedFile(await opened().repositoryUpToDate(), path),
  revertStatus: async ({ path, patch }: { path: string; patch: string }) =>
    revertStatusOf(await opened().repositoryUpToDate(), path, patch),
  text: async (id: string) => textIfExists(await opened().repositoryNow(), id),
  blame: async (path: string) => blameFile(await opened().repositoryUpToDate(), path),
  settle: () => opened().flush(),
  close: () => recorder?.close(),
}

export type HistoryJobs = typeof jobs

// Searches and windows come first: unrecorded changes are safe in the journal and on disk.
lowerThreadPriority()
serveWorker(jobs)
