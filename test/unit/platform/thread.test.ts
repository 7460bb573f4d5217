import type { RouterClient } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { startThread } from '../../../src/main/platform/workers/worker-client.ts'
import {
  isAhead,
  shareWithThreads,
  startAhead,
  usualYoungMb,
} from '../../../src/main/platform/workers/worker-prestart.ts'
import type { DyingRouter } from '../../support/dying-thread.ts'
import { until } from '../../support/folder.ts'

const entry = new URL('../../support/dying-thread.ts', import.meta.url)
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

describe('M58 threads that are started ahead', () => {
  const kind = { entry, youngMb: usualYoungMb }

  it('M58: whoever starts one is given the one that waits, with what is shared by then; the next starts its own', async () => {
    startAhead(kind)
    expect(isAhead(kind)).toBe(true)
    shareWithThreads('test', new SharedArrayBuffer(64))
    const given = startThread<RouterClient<DyingRouter>>(entry)
    expect(isAhead(kind)).toBe(false)
    const own = startThread<RouterClient<DyingRouter>>(entry)
    for (const { client, terminate } of [given, own]) {
      expect(await client.greet()).toBe('hello')
      expect(await client.sharedBytes()).toBe(64)
      await terminate()
    }
  })

  it('M58: one that dies while it waits is nobody’s', async () => {
    const broken = { entry: new URL('../../support/no-such-thread.ts', import.meta.url), youngMb: usualYoungMb }
    startAhead(broken)
    await until(() => !isAhead(broken))
    await expect(startThread<RouterClient<DyingRouter>>(entry).client.greet()).resolves.toBe('hello')
  })
})
