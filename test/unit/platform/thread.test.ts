import { describe, expect, it, onTestFinished } from 'vitest'
import {
  runInWorker,
  type WorkerClient,
  WorkerHost,
  type WorkerOptions,
} from '../../../src/main/platform/workers/worker-host.ts'
import { sharedBuffers } from '../../../src/main/platform/workers/serve-worker.ts'
import type { DyingJobs } from '../../support/dying-thread.ts'
import { until } from '../../support/folder.ts'

const entry = new URL('../../support/dying-thread.ts', import.meta.url)
const told = 'a thread ended before it answered'

describe('worker host', () => {
  function hostOf(options: Omit<WorkerOptions<WorkerClient<DyingJobs>>, 'entry'> = {}): WorkerHost<DyingJobs> {
    const host = new WorkerHost<DyingJobs>({ entry, ...options })
    onTestFinished(() => host.close())
    return host
  }

  it('starts with the first request, ends when idle, and starts again', async () => {
    const host = hostOf({ idleMs: 50 })
    expect(host.isRunning).toBe(false)
    expect(await host.run((client) => client.greet())).toBe('hello')
    expect(host.isRunning).toBe(true)
    await until(() => !host.isRunning)
    expect(await host.run((client) => client.greet())).toBe('hello')
  })

  it('stays running while a request is pending', async () => {
    const host = hostOf({ idleMs: 20 })
    const waiting = host.run((client) => client.wait())
    waiting.catch(() => undefined)
    await host.run((client) => client.greet())
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(host.isRunning).toBe(true)
    await host.close()
    await expect(waiting).rejects.toThrow(told)
  })

  it('rejects pending requests when it dies; the next request starts another worker', async () => {
    const crashes: string[] = []
    const host = hostOf({ onCrash: (error) => crashes.push(error.message) })
    const waiting = expect(host.run((client) => client.wait())).rejects.toThrow(told)
    await expect(host.run((client) => client.die())).rejects.toThrow(told)
    await waiting
    expect(await host.run((client) => client.greet())).toBe('hello')
    expect(crashes).toEqual(['died'])
  })

  it('ends when the last pending request is aborted, not earlier', async () => {
    const host = hostOf()
    const [first, second] = [new AbortController(), new AbortController()]
    const one = expect(host.run((client) => client.wait(), first.signal)).rejects.toThrow('no more')
    const other = expect(host.run((client) => client.wait(), second.signal)).rejects.toThrow('enough')
    first.abort(new Error('no more'))
    await one
    expect(host.isRunning).toBe(true)
    second.abort(new Error('enough'))
    await other
    expect(host.isRunning).toBe(false)
  })

  it('yields the steps of a request', async () => {
    const steps: number[] = []
    for await (const step of hostOf().stream((client) => client.count(3))) steps.push(step)
    expect(steps).toEqual([1, 2, 3])
  })

  it('retries after a failed start', async () => {
    let tries = 0
    const host = hostOf({
      async onStart() {
        tries += 1
        if (tries === 1) throw new Error('not yet')
      },
    })
    await expect(host.run((client) => client.greet())).rejects.toThrow('not yet')
    expect(await host.run((client) => client.greet())).toBe('hello')
  })

  it('receives the memory shared between threads', async () => {
    sharedBuffers.set('test', new SharedArrayBuffer(64))
    expect(await hostOf().run((client) => client.sharedBytes())).toBe(64)
  })

  it('serves one request and ends', async () => {
    expect(await runInWorker<DyingJobs, string>(entry, (client) => client.greet())).toBe('hello')
  })

  it('leaves a stopped thread to the next host, with new state, unless a request was aborted', async () => {
    const [one, next, last] = [hostOf(), hostOf(), hostOf()]
    const first = await one.run((client) => client.call())
    expect(await one.run((client) => client.call())).toEqual({ ...first, calls: 2 })
    await one.close()
    expect(await next.run((client) => client.call())).toEqual(first)
    const stop = new AbortController()
    const waiting = expect(next.run((client) => client.wait(), stop.signal)).rejects.toThrow('enough')
    stop.abort(new Error('enough'))
    await waiting
    await next.close()
    expect((await last.run((client) => client.call())).thread).not.toBe(first.thread)
  })
})
