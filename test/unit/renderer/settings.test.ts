import { describe, expect, it } from 'vitest'
import { configJsonSchema } from '../../../src/main/platform/config/config-schema.ts'
import en from '../../../src/renderer/lib/i18n/en.json' with { type: 'json' }
import zhCN from '../../../src/renderer/lib/i18n/zh-CN.json' with { type: 'json' }
import zhTW from '../../../src/renderer/lib/i18n/zh-TW.json' with { type: 'json' }
import { groupOf, sectionAt, sections } from '../../../src/renderer/settings/setting-sections.ts'
import { formatDuration, settingRows, valueAt, type JsonSchema } from '../../../src/renderer/settings/setting-rows.ts'
import { completeYaml } from '../../../src/renderer/settings/yaml-completion.ts'

const schema = configJsonSchema() as JsonSchema
const ofAgents = schema.properties?.['agents']?.properties?.['defaults'] ?? {}

describe('setting rows', () => {
  it('has a row and a label for every setting of the schema', () => {
    const rows = [...settingRows(schema), ...settingRows(ofAgents)]
    const names = en.setting as Record<string, string>
    expect(rows.map(({ path }) => path.join('_')).filter((key) => names[key] === undefined)).toEqual([])
    expect(Object.keys(names).sort()).toEqual(rows.map(({ path }) => path.join('_')).sort())
  })

  it('places every setting in a section and group', () => {
    const all = [...settingRows(schema), ...settingRows(ofAgents)]
    expect(all.filter(({ path }) => groupOf(path) === undefined).map(({ path }) => path.join('.'))).toEqual([])
    const used = new Set(all.map(({ path }) => groupOf(path)?.group))
    expect(sections.flatMap(({ groups }) => [...groups]).filter((group) => !used.has(group))).toEqual([])
    expect(groupOf(['memory', 'search', 'minScore'])).toEqual({ section: 'recall', group: 'memory.search' })
    expect(groupOf(['memory', 'sessions'])).toEqual({ section: 'memory', group: 'memory' })
    expect(groupOf(['nothing'])).toBeUndefined()
  })

  it('has a label for every option in each language', () => {
    const choices = [...settingRows(schema), ...settingRows(ofAgents)].filter(({ kind }) => kind === 'choice')
    const missing = [en, zhCN, zhTW].flatMap((locale) => {
      const names = locale.settingValue as Record<string, Record<string, string>>
      return choices.flatMap(({ path, options }) =>
        options.filter((option) => !names[path.join('_')]?.[option]).map((option) => `${path.join('.')}: ${option}`),
      )
    })
    expect(missing).toEqual([])
  })

  it('maps anchors to sections', () => {
    const hashes = [
      '#spending',
      '#import',
      '#log',
      '#keys',
      '#file',
      '#memory.search.minScore',
      '#model',
      '',
      '#nothing',
    ]
    expect(hashes.map(sectionAt)).toEqual([
      'models',
      'data',
      'data',
      'keys',
      'file',
      'recall',
      'models',
      'appearance',
      'appearance',
    ])
  })

  it.each([
    ['memory.search.minScore', { kind: 'number', min: 0, max: 1, isNullable: false }],
    ['memory.search.recencyHalfLifeDays', { kind: 'number', isNullable: true }],
    ['memory.search.maxResults', { kind: 'number', min: 1 }],
    ['chat.idleTimeout', { kind: 'duration' }],
    ['chat.thinking', { kind: 'choice', options: ['off', 'low', 'medium', 'high'] }],
    ['memory.extraPaths', { kind: 'list' }],
    ['prompts.system', { kind: 'longText' }],
    ['history.enabled', { kind: 'boolean' }],
  ])('%s has the right control', (key, expected) => {
    expect(settingRows(ofAgents).find(({ path }) => path.join('.') === key)).toMatchObject(expected)
  })

  it('formats durations and reads values by path', () => {
    expect([300_000, 90_000, 7_200_000, 86_400_000, 1500, 0].map(formatDuration)).toEqual([
      '5m',
      '90s',
      '2h',
      '1d',
      '1500ms',
      '0ms',
    ])
    expect(valueAt({ agents: { list: [{ model: 'x' }] } }, ['agents', 'list', 0, 'model'])).toBe('x')
    expect(valueAt({ agents: null }, ['agents', 'list'])).toBeUndefined()
  })
})

describe('completion of config.yaml', () => {
  const complete = (text: string) => {
    const lines = text.split('\n')
    const last = lines.length - 1
    return completeYaml(schema, lines, last, lines[last]?.length ?? 0).map(({ label }) => label)
  }

  it('suggests keys at the top, below a key, and in a list item', () => {
    expect(complete('')).toContain('agents')
    expect(complete('agents:\n  ')).toEqual(['defaults', 'list'])
    expect(complete('agents:\n  defaults:\n    memory:\n      search:\n        min')).toContain('minScore')
    expect(complete('agents:\n  list:\n    - id: main\n      ')).toContain('workspace')
    expect(complete('agents:\n  list:\n    - ')).toContain('workspace')
    expect(complete('mcp:\n  servers:\n    files:\n      ')).toContain('command')
  })

  it('suggests options and booleans, the default first', () => {
    expect(complete('interface:\n  theme: ')).toEqual(['system', 'light', 'dark'])
    expect(complete('agents:\n  defaults:\n    history:\n      enabled: ')).toEqual(['true', 'false'])
    expect(complete('interface:\n  # a comment\n\n  locale: z')).toContain('zh-TW')
  })

  it('suggests nothing for an unknown key', () => {
    expect(complete('nonsense:\n  ')).toEqual([])
    expect(complete('# a comment ')).toEqual([])
  })
})
