/** Entry of the history thread: a `Recorder` behind typed calls. */
import { EventPublisher, type } from '@orpc/server'
import { serveThread, threadBase, yieldToOthers } from '#platform'
import { blameOf, diffOf, movedTo, nameNow, textOf, timelineOf, type TimelineRequest } from './history-queries.ts'
import { standingOf } from './change-revert-status.ts'
import { Recorder, type RecorderEvent, type RecorderSettings } from './recorder.ts'

const events = new EventPublisher<{ event: RecorderEvent }>({ maxBufferedEvents: 1000 })
let recorder: Recorder | undefined

function opened(): Recorder {
  if (!recorder) throw new Error('the history was not opened')
  return recorder
}

const router = {
  open: threadBase.input(type<RecorderSettings>()).handler(({ input }) => {
    recorder = new Recorder(input, (event) => events.publish('event', event))
  }),
  events: threadBase.handler(({ signal }) => events.subscribe('event', signal ? { signal } : {})),
  note: threadBase.handler(() => opened().note()),
  keep: threadBase.input(type<number | null>()).handler(({ input }) => opened().keep(input)),
  look: threadBase
    .input(type<{ paths: readonly string[]; forbidden: readonly string[] }>())
    .handler(({ input }) => opened().look(input.paths, input.forbidden)),
  lookAgain: threadBase.input(type<readonly string[]>()).handler(({ input }) => opened().lookAgain(input)),
  timeline: threadBase
    .input(type<TimelineRequest>())
    .handler(async ({ input }) => timelineOf(await opened().readable(), input)),
  diff: threadBase
    .input(type<{ commit: string; path: string }>())
    .handler(async ({ input }) => diffOf(await opened().readable(), input.commit, input.path)),
  nameNow: threadBase
    .input(type<{ path: string; commit: string | undefined }>())
    .handler(async ({ input }) => nameNow(await opened().readable(), input.path, input.commit)),
  movedTo: threadBase.input(type<string>()).handler(async ({ input }) => movedTo(await opened().readable(), input)),
  standing: threadBase
    .input(type<{ path: string; patch: string }>())
    .handler(async ({ input }) => standingOf(await opened().readable(), input.path, input.patch)),
  text: threadBase.input(type<string>()).handler(async ({ input }) => textOf(await opened().present(), input)),
  blame: threadBase.input(type<string>()).handler(async ({ input }) => blameOf(await opened().readable(), input)),
  settle: threadBase.handler(() => opened().settle()),
  close: threadBase.handler(() => recorder?.close()),
}

export type HistoryRouter = typeof router

// What is recorded is on the disk and in the journal: searches and windows come first.
yieldToOthers()
serveThread(router)
