import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { Authenticator } from '../../../src/main/app/server/authentication.ts'

const request = { headers: {}, headersDistinct: { host: ['127.0.0.1:4711'] } } as unknown as IncomingMessage

describe('one-time token', () => {
  it('admits one browser, once, within its lifetime', () => {
    let now = 0
    const entry = new Authenticator(
      () => 4711,
      () => now,
    )
    const token = entry.issueOneTimeToken()
    expect(entry.exchangeToken(token, request)).toMatchObject({ key: expect.any(String) })
    expect(entry.exchangeToken(token, request)).toBeUndefined()
    const late = entry.issueOneTimeToken()
    now = 10 * 60_000
    expect(entry.exchangeToken(late, request)).toBeUndefined()
    expect(entry.exchangeToken(entry.token, request)).toMatchObject({ key: expect.any(String) })
  })
})
