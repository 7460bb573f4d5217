/** A worker that dies of one request and never answers another. */
import { threadId } from 'node:worker_threads'
import { serveWorker, sharedBuffers } from '../../src/main/platform/workers/serve-worker.ts'

function createJobs() {
  let calls = 0
  return {
    die() {
      setImmediate(() => {
        throw new Error('died')
      })
      return Promise.withResolvers<never>().promise
    },
    wait: () => Promise.withResolvers<never>().promise,
    greet: () => 'hello',
    sharedBytes: () => sharedBuffers.get('test')?.byteLength,
    async *count(to: number) {
      for (let at = 1; at <= to; at += 1) yield at
    },
    call: () => ({ thread: threadId, calls: (calls += 1) }),
  }
}

export type DyingJobs = ReturnType<typeof createJobs>

serveWorker(createJobs)
