import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/main/platform/config/parse-config.ts'

/** Puts a setting of all agents on line 3 or below. */
function configWith(path: string, value: string): string {
  const keys = path.split('.')
  const lines = keys.map((key, depth) => `${'  '.repeat(depth + 2)}${key}:`)
  return `agents:\n  defaults:\n${lines.join('\n')} ${value}\n`
}

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

  it.each([
    ['compaction.enabled', 'maybe', 'type', 'boolean'],
    ['compaction.reserveTokensFloor', 'many', 'type', 'number'],
    ['compaction.reserveTokensFloor', '-1', 'tooSmall', '0'],
    ['compaction.keepRecentTokens', '10000001', 'tooBig', '10000000'],
    ['contextPruning.mode', 'sometimes', 'choice', 'off, always, cache-ttl'],
    ['contextPruning.ttl', 'soon', 'duration', undefined],
    ['contextPruning.hardClear.placeholder', '""', 'tooSmall', '1'],
  ])('%s: %s is refused with the key, the line and the allowed values', (path, value, fault, allowed) => {
    const depth = path.split('.').length
    expect(settingsOf(configWith(path, value))).toEqual([
      {
        key: `agents.defaults.${path}`,
        line: depth + 2,
        fault,
        ...(allowed === undefined ? {} : { allowed }),
        message: expect.any(String),
      },
    ])
  })
})
