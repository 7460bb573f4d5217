import type { RouterClient } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { startThread } from '../../src/main/thread/index.ts'
import type { DyingRouter } from '../support/dying-thread.ts'

const entry = new URL('../support/dying-thread.ts', import.meta.url)
const told = 'a thread ended before it answered'

describe('M56 threads', () => {
  it('M56: when one dies, all who wait for it are told, and who asks after that', async () => {
    const thread = startThread<RouterClient<DyingRouter>>(entry)
    const { promise: died, resolve } = Promise.withResolvers<Error>()
    thread.onExit(resolve)
    await expect(thread.client.greet()).resolves.toBe('hello')
    const waiting = expect(thread.client.wait()).rejects.toThrow(told)
    await expect(thread.client.die()).rejects.toThrow(told)
    await waiting
    await expect(thread.client.greet()).rejects.toThrow(told)
    expect((await died).message).toBe('died')
  })

  it('M56: when one is ended, who waits is told; who gives up hears why', async () => {
    const thread = startThread<RouterClient<DyingRouter>>(entry)
    const stop = new AbortController()
    const givenUp = expect(thread.client.wait(undefined, { signal: stop.signal })).rejects.toThrow('no more')
    const waiting = expect(thread.client.wait()).rejects.toThrow(told)
    stop.abort(new Error('no more'))
    await givenUp
    await thread.terminate()
    await waiting
  })
})
