import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { Entry } from '../../../src/main/app/server/authentication.ts'

const request = { headers: {}, headersDistinct: { host: ['127.0.0.1:4711'] } } as unknown as IncomingMessage

describe('one-time token', () => {
  it('admits one browser, once, within its lifetime', () => {
    let now = 0
    const entry = new Entry(
      () => 4711,
      () => now,
    )
    const token = entry.issueOnce()
    expect(entry.admit(token, request)).toMatchObject({ key: expect.any(String) })
    expect(entry.admit(token, request)).toBe('wrong')
    const late = entry.issueOnce()
    now = 10 * 60_000
    expect(entry.admit(late, request)).toBe('wrong')
    expect(entry.admit(entry.token, request)).toMatchObject({ key: expect.any(String) })
  })
})
