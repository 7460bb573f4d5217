import { describe, expect, it } from 'vitest'
import { KeyRing } from '../../../src/main/platform/config/key-ring.ts'

describe('key redaction', () => {
  it('removes every key and all secret environment variables from a text', async () => {
    const keys = new KeyRing({
      OPENAI_API_KEY: 'plain-looking-key',
      MY_TOKEN: 'tok3n-value',
      HOME: '/home/ann',
      X_KEY: 'a',
    })
    await keys.setKey('anthropic', ' given-in-the-settings ')
    expect(keys.scrub('plain-looking-key, tok3n-value and given-in-the-settings in /home/ann, a word')).toBe(
      '[redacted], [redacted] and [redacted] in /home/ann, a word',
    )
  })
})
