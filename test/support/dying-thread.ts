/** A thread that dies of a request, and one request that it never answers. */
import { serveThread, threadBase } from '../../src/main/platform/workers/serve-worker.ts'
import { sharedMemory } from '../../src/main/platform/workers/worker-prestart.ts'

const router = {
  die: threadBase.handler(() => {
    setImmediate(() => {
      throw new Error('died')
    })
    return Promise.withResolvers<never>().promise
  }),
  wait: threadBase.handler(() => Promise.withResolvers<never>().promise),
  greet: threadBase.handler(() => 'hello'),
  sharedBytes: threadBase.handler(() => sharedMemory('test')?.byteLength),
}

export type DyingRouter = typeof router

serveThread(router)
