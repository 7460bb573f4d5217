import { pinyin } from 'pinyin-pro'
import { describe, expect, it } from 'vitest'
import { spellingsOf } from '../../../src/renderer/lib/util/pinyin-match.ts'

describe('pinyin of names', () => {
  it.each([
    ['设置', 'shezhi', 'sz'],
    ['記憶地圖', 'jiyiditu', 'jydt'],
    ['主题: 深色', 'zhuti:shense', 'zt:ss'],
    ['memory/旅行计划.md', 'memory/lvxingjihua.md', 'mlxjh.'],
  ])('%s is %s, and %s for short', (text, full, short) => {
    const syllables = pinyin(text, { toneType: 'none', type: 'array', nonZh: 'consecutive' })
    expect(spellingsOf(syllables)).toEqual([full, short])
  })
})
