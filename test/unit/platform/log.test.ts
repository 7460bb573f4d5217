import { describe, expect, it } from 'vitest'
import { redact } from '../../../src/main/platform/logging/log.ts'

describe('log', () => {
  it.each([
    ['key sk-ant-REDACTED used', 'key [redacted] used'],
    ['Authorization: Bearer abcdefgh12345678', 'Authorization: [redacted]'],
    ['http://127.0.0.1:1/?token=abcDEF_123-456', 'http://127.0.0.1:1/[redacted]'],
  ])('redacts the secret in %j', (text, redacted) => {
    expect(redact(text)).toBe(redacted)
  })
})
