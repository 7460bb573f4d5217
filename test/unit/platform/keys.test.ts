import { describe, expect, it } from 'vitest'
import { KeyRing } from '../../../src/main/platform/config/key-ring.ts'

describe('keys that others repeat', () => {
  it('every key, and what the environment keeps under a secret name, is taken out of a text', async () => {
    const keys = new KeyRing({
      OPENAI_API_KEY: 'plain-looking-key',
      MY_TOKEN: 'tok3n-value',
      HOME: '/home/somebody',
      X_KEY: 'a',
    })
    await keys.give('anthropic', ' given-in-the-settings ')
    expect(keys.scrub('plain-looking-key, tok3n-value and given-in-the-settings in /home/somebody, a word')).toBe(
      '[redacted], [redacted] and [redacted] in /home/somebody, a word',
    )
  })
})
