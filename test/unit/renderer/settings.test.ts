import { describe, expect, it } from 'vitest'
import { configJsonSchema } from '../../../src/main/platform/config/config-schema.ts'
import en from '../../../src/shared/i18n/en.json' with { type: 'json' }
import zhCN from '../../../src/shared/i18n/zh-CN.json' with { type: 'json' }
import zhTW from '../../../src/shared/i18n/zh-TW.json' with { type: 'json' }
import {
  groupOf,
  placeSettings,
  sectionAt,
  sections,
  settingRows,
  type JsonSchema,
} from '../../../src/renderer/settings/setting-rows.ts'

const schema = configJsonSchema() as JsonSchema
const ofAgents = schema.properties?.['agents']?.properties?.['defaults'] ?? {}
const rows = [...settingRows(schema), ...settingRows(ofAgents)]

describe('setting rows', () => {
  it('has a row and a label for every setting of the schema', () => {
    const names = en.setting as Record<string, string>
    expect(rows.map(({ path }) => path.join('_')).filter((key) => names[key] === undefined)).toEqual([])
    expect(Object.keys(names).sort()).toEqual(rows.map(({ path }) => path.join('_')).sort())
  })

  it('places every setting in a section and group', () => {
    expect(rows.filter(({ path }) => groupOf(path) === undefined).map(({ path }) => path.join('.'))).toEqual([])
    const used = new Set(rows.map(({ path }) => groupOf(path)?.group))
    expect(sections.flatMap(({ groups }) => [...groups]).filter((group) => !used.has(group))).toEqual([])
    expect(groupOf(['memory', 'search', 'minScore'])).toEqual({ section: 'memory', group: 'memory.search' })
    expect(groupOf(['memory', 'sessions'])).toEqual({ section: 'memory', group: 'memory' })
    expect(groupOf(['nothing'])).toBeUndefined()
  })

  it('has a label for every option in each language', () => {
    const choices = rows.filter(({ kind }) => kind === 'choice')
    const missing = [en, zhCN, zhTW].flatMap((locale) => {
      const names = locale.settingValue as Record<string, Record<string, string>>
      return choices.flatMap(({ path, options }) =>
        options.filter((option) => !names[path.join('_')]?.[option]).map((option) => `${path.join('.')}: ${option}`),
      )
    })
    expect(missing).toEqual([])
  })

  it('maps anchors to sections', () => {
    const expected = {
      '#spending': 'models',
      '#log': 'about',
      '#memory.search.maxResults': 'memory',
      '#vault': 'notes',
      '#interface.autosave': 'notes',
      '': 'general',
      '#nothing': 'general',
    }
    expect(Object.fromEntries(Object.keys(expected).map((hash) => [hash, sectionAt(hash)]))).toEqual(expected)
  })

  it('shows at most 25 settings before Advanced, and has a heading for each group of the others', () => {
    const all = placeSettings(settingRows(ofAgents), settingRows(schema))
    expect(all.filter(({ isEveryday }) => isEveryday).length).toBeLessThanOrEqual(25)
    for (const locale of [en, zhCN, zhTW]) {
      const headings = locale.settingGroup as Record<string, string>
      const groups = new Set(all.filter(({ isEveryday }) => !isEveryday).map(({ group }) => group))
      expect(Object.keys(headings).sort()).toEqual([...groups].map((group) => group.replaceAll('.', '_')).sort())
    }
  })

  it.each([
    ['memory.search.recencyHalfLifeDays', { kind: 'number', isNullable: true }],
    ['memory.search.maxResults', { kind: 'number', min: 1 }],
    ['chat.idleTimeout', { kind: 'duration' }],
    ['chat.thinking', { kind: 'choice', options: ['off', 'low', 'medium', 'high'] }],
  ])('%s has the right control', (key, expected) => {
    expect(settingRows(ofAgents).find(({ path }) => path.join('.') === key)).toMatchObject(expected)
  })
})
