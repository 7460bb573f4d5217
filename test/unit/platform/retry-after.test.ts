import { expect, it } from 'vitest'
import { parseRetryAfter } from '../../../src/main/platform/net/bounded-fetch.ts'

it.each([
  [{ 'retry-after-ms': '1500' }, 1500],
  [{ 'retry-after-ms': '-1' }, 0],
  [{ 'retry-after-ms': '', 'retry-after': '2' }, 2000],
  [{ 'retry-after': '-5' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('parses %j as %s ms', (headers: Record<string, string>, ms) => {
  expect(parseRetryAfter(new Headers(headers))).toBe(ms)
})
