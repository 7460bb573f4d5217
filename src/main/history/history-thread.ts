/** Entry of the history thread: a `Recorder` behind typed calls. */
import { EventPublisher, os, type } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { parentPort } from 'node:worker_threads'
import { toOrpcError } from '../thread/index.ts'
import { Recorder, type Change, type Recorded, type RecorderSettings, type TimelineRequest } from './recorder.ts'

const events = new EventPublisher<{ recorded: Recorded }>({ maxBufferedEvents: 1000 })
let recorder: Recorder | undefined

function opened(): Recorder {
  if (!recorder) throw new Error('the history was not opened')
  return recorder
}

const base = os.use(async ({ next }) => {
  try {
    return await next()
  } catch (error) {
    throw toOrpcError(error)
  }
})

const router = {
  open: base.input(type<RecorderSettings>()).handler(({ input }) => {
    recorder = new Recorder(input, (event) => events.publish('recorded', event))
  }),
  recorded: base.handler(({ signal }) => events.subscribe('recorded', signal ? { signal } : {})),
  record: base.input(type<readonly Change[]>()).handler(({ input }) => {
    for (const change of input) opened().record(change)
  }),
  look: base.input(type<readonly string[]>()).handler(({ input }) => opened().look(input)),
  timeline: base.input(type<TimelineRequest>()).handler(({ input }) => opened().timeline(input)),
  diff: base
    .input(type<{ commit: string; path: string }>())
    .handler(({ input }) => opened().diff(input.commit, input.path)),
  blame: base.input(type<string>()).handler(({ input }) => opened().blame(input)),
  settle: base.handler(() => opened().settle()),
  close: base.handler(() => recorder?.close()),
}

export type HistoryRouter = typeof router

parentPort?.once('message', ({ port }: { port: MessagePort }) => {
  new RPCHandler(router).upgrade(port)
  port.start()
})
