import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/main/platform/config/parse-config.ts'

function settingsOf(text: string): unknown {
  const parsed = parseConfig(text)
  return parsed.ok ? parsed.config.agents.defaults : parsed.problems
}

describe('settings of the original', () => {
  it('have the defaults of the original', () => {
    expect(settingsOf('')).toMatchObject({
      compaction: {
        enabled: true,
        reserveTokensFloor: 20_000,
        keepRecentTokens: 20_000,
        memoryFlush: { enabled: true, softThresholdTokens: 4000 },
      },
      contextPruning: {
        mode: 'cache-ttl',
        ttl: 5 * 60_000,
        keepLastAssistants: 3,
        softTrim: { maxChars: 4000, headChars: 1500, tailChars: 1500 },
        hardClear: { enabled: true, placeholder: '[Old tool result content cleared]' },
      },
      memory: { sync: { debounceMs: 1500 } },
    })
  })
})
