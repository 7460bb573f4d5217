import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/main/platform/config/parse-config.ts'

function problems(text: string) {
  const parsed = parseConfig(text)
  return parsed.ok ? [] : parsed.problems
}

describe('configuration', () => {
  it('has the defaults of the original for an empty file', () => {
    const parsed = parseConfig('')
    expect(parsed.ok && parsed.config.agents.defaults).toMatchObject({
      model: 'offline',
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
      memory: {
        search: { minScore: 0.35, maxResults: 20, maxCharacters: 1600, weights: 'auto' },
        sync: { debounceMs: 1500 },
      },
    })
  })

  it('agents inherit settings that they do not set', () => {
    const parsed = parseConfig(
      'agents:\n  defaults:\n    memory: { search: { minScore: 0.5 } }\n  list:\n    - { id: main, memory: { search: { maxResults: 9 } } }\n',
    )
    expect(parsed.ok && parsed.config.agents.list[0]?.memory.search).toMatchObject({ minScore: 0.5, maxResults: 9 })
  })

  it.each([
    ['interface: { theme: purple }', { fault: 'choice', allowed: 'system, light, dark' }],
    ['agents: { defaults: { memory: { search: { maxResults: many } } } }', { fault: 'type', allowed: 'number' }],
    ['agents: { defaults: { memory: { search: { maxResults: 0 } } } }', { fault: 'tooSmall', allowed: '1' }],
    ['agents: { defaults: { chat: { idleTimeout: soon } } }', { fault: 'duration' }],
    ['mcp: { servers: { files: {} } }', { fault: 'toolServer' }],
    ['spending: {}\nspending: {}', { fault: 'twice' }],
  ])('%s has a localized message', (text, fault) => {
    expect(problems(text)).toEqual([expect.objectContaining(fault)])
  })

  it.each(['command: x', 'url: "http://127.0.0.1:8000/mcp"'])('a tool server with %s can be on this machine', (where) =>
    expect(problems(`mcp: { servers: { files: { ${where}, local: true } } }`)).toEqual([]),
  )

  it('reports the key, the line and the allowed values', () => {
    expect(problems('agents:\n  defaults:\n    memory:\n      search:\n        minScore: 7\n')).toEqual([
      {
        key: 'agents.defaults.memory.search.minScore',
        line: 5,
        fault: 'tooBig',
        allowed: '1',
        message: expect.stringContaining('<=1'),
      },
    ])
    expect(problems('agents:\n  defaults:\n    model: gpt\n')[0]).toMatchObject({
      line: 3,
      message: expect.stringContaining('anthropic/<model>'),
    })
  })

  it('reports the line of a YAML error', () => {
    expect(problems('interface:\n  theme: [dark\n')[0]?.line).toBeGreaterThan(1)
  })

  it('rejects duplicate agent ids and ids that could be paths', () => {
    expect(problems('agents:\n  list:\n    - id: a\n    - id: a\n')).toHaveLength(1)
    expect(problems('agents:\n  list:\n    - id: ../x\n')[0]?.key).toBe('agents.list.0.id')
  })

  it('ignores unknown keys and reports them, whether misspelled or removed', () => {
    const text =
      'agents:\n  defaults:\n    modle: gpt\n    chat: { maxSteps: 9, titles: false }\n  list: [{ id: main }]\n'
    const parsed = parseConfig(text)
    const message = 'is not a setting and is ignored'
    expect(parsed).toMatchObject({
      ok: true,
      config: { agents: { list: [{ id: 'main', model: 'offline', chat: { titles: false } }] } },
      ignoredKeys: [
        { key: 'agents.defaults.chat.maxSteps', line: 4, message, fault: 'unknown' },
        { key: 'agents.defaults.modle', line: 3, message, fault: 'unknown' },
      ],
    })
    expect(problems('colour: red\nspending: { monthlyLimit: -1 }\n')).toMatchObject([
      { key: 'spending.monthlyLimit', fault: 'tooSmall' },
      { key: 'colour', fault: 'unknown' },
    ])
  })

  it('reports a wrong value of all agents once, where it is written', () => {
    const inherited =
      'agents:\n  defaults: { contextPruning: { ttl: soon }, memory: { chunking: { overlap: 500 } } }\n' +
      '  list: [{ id: main }, { id: work, contextPruning: { ttl: later } }, {}]\n'
    expect(problems(inherited).map(({ key, line }) => `${key}:${line}`)).toEqual([
      'agents.defaults.contextPruning.ttl:2',
      'agents.defaults.memory.chunking.overlap:2',
      'agents.list.1.contextPruning.ttl:3',
      'agents.list.2.id:3',
    ])
    // The size of the agent makes the inherited overlap too large.
    expect(problems('agents:\n  list: [{ id: main, memory: { chunking: { tokens: 50 } } }]\n')).toMatchObject([
      { key: 'agents.list.0.memory.chunking.overlap', fault: 'overlap' },
    ])
  })

  it.each([
    ['600', 600_000],
    ['"600"', 600_000],
    ['90s', 90_000],
    ['2h', 7_200_000],
  ])('a timeout of %s is %i ms: a bare number is seconds', (written, ms) => {
    const parsed = parseConfig(`agents: { defaults: { chat: { idleTimeout: ${written} } } }`)
    expect(parsed.ok && parsed.config.agents.defaults.chat.idleTimeout).toBe(ms)
  })
})

describe('malicious configurations', () => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 9; level += 1)
    bomb.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`)

  it.each([
    ['an alias that expands to gigabytes', bomb.join('\n'), /expands aliases/, 2],
    ['an alias of itself', 'agents: &a\n  list: [*a]\n', /levels deep/, 2],
    ['more than a million characters', `#${'x'.repeat(1_000_000)}`, /larger than/, null],
    ['20,000 keys', Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join('\n'), /too many YAML tokens/, null],
  ])('reports %s as a problem with its line', (_name, text, message, line) => {
    expect(problems(text)).toEqual([expect.objectContaining({ line, message: expect.stringMatching(message) })])
  })
})
