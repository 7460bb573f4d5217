/** Entry of the history thread: a `Recorder` behind typed calls. */
import { EventPublisher, type } from '@orpc/server'
import { serveThread, threadBase } from '../thread/index.ts'
import { Recorder, type Change, type Recorded, type RecorderSettings, type TimelineRequest } from './recorder.ts'

const events = new EventPublisher<{ recorded: Recorded }>({ maxBufferedEvents: 1000 })
let recorder: Recorder | undefined

function opened(): Recorder {
  if (!recorder) throw new Error('the history was not opened')
  return recorder
}

const router = {
  open: threadBase.input(type<RecorderSettings>()).handler(({ input }) => {
    recorder = new Recorder(input, (event) => events.publish('recorded', event))
  }),
  recorded: threadBase.handler(({ signal }) => events.subscribe('recorded', signal ? { signal } : {})),
  record: threadBase.input(type<readonly Change[]>()).handler(({ input }) => {
    for (const change of input) opened().record(change)
  }),
  look: threadBase.input(type<readonly string[]>()).handler(({ input }) => opened().look(input)),
  timeline: threadBase.input(type<TimelineRequest>()).handler(({ input }) => opened().timeline(input)),
  diff: threadBase
    .input(type<{ commit: string; path: string }>())
    .handler(({ input }) => opened().diff(input.commit, input.path)),
  blame: threadBase.input(type<string>()).handler(({ input }) => opened().blame(input)),
  isPassive: threadBase.handler(() => opened().isPassive()),
  settle: threadBase.handler(() => opened().settle()),
  close: threadBase.handler(() => recorder?.close()),
}

export type HistoryRouter = typeof router

serveThread(router)
