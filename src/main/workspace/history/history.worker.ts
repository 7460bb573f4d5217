import { EventPublisher } from '@orpc/server'
import { serveWorker, yieldToOthers } from '#platform'
import { blameOf, diffOf, movedTo, nameNow, textOf, timelineOf, type TimelineRequest } from './history-queries.ts'
import { standingOf } from './change-revert-status.ts'
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
  note: () => opened().note(),
  look: ({ paths, forbidden }: { paths: readonly string[]; forbidden: readonly string[] }) =>
    opened().look(paths, forbidden),
  lookAgain: (forbidden: readonly string[]) => opened().lookAgain(forbidden),
  timeline: async (request: TimelineRequest) => timelineOf(await opened().readable(), request),
  diff: async ({ commit, path }: { commit: string; path: string }) => diffOf(await opened().readable(), commit, path),
  nameNow: async ({ path, commit }: { path: string; commit: string | undefined }) =>
    nameNow(await opened().readable(), path, commit),
  movedTo: async (path: string) => movedTo(await opened().readable(), path),
  standing: async ({ path, patch }: { path: string; patch: string }) =>
    standingOf(await opened().readable(), path, patch),
  text: async (id: string) => textOf(await opened().present(), id),
  blame: async (path: string) => blameOf(await opened().readable(), path),
  settle: () => opened().settle(),
  close: () => recorder?.close(),
}

export type HistoryJobs = typeof jobs

// Searches and windows come first: unrecorded changes are safe in the journal and on disk.
yieldToOthers()
serveWorker(jobs)
