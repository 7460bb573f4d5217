/** A worker that dies of one request and never answers another. */
import { serveWorker, sharedBuffers } from '../../src/main/platform/workers/serve-worker.ts'

const jobs = {
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
}

export type DyingJobs = typeof jobs

serveWorker(jobs)
