import { describe, expect, it } from 'vitest'
import en from '../../../src/shared/i18n/en.json'
import zhCN from '../../../src/shared/i18n/zh-CN.json'
import zhTW from '../../../src/shared/i18n/zh-TW.json'
import { hostTexts } from '../../../src/shared/i18n/host-texts.ts'
import { errorCodes } from '../../../src/shared/util/errors.ts'

function flatten(value: object, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>()
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry === 'string') flat.set(prefix + key, entry)
    else for (const [inner, text] of flatten(entry as object, `${prefix}${key}.`)) flat.set(inner, text)
  }
  return flat
}

const blanks = (text: string) => (text.match(/\{\{[^}]+\}\}/g) ?? []).sort()

describe('locale files', () => {
  it.each([
    ['zh-CN', en, zhCN],
    ['zh-TW', en, zhTW],
    ['zh-CN of the terminal', hostTexts.en, hostTexts['zh-CN']],
    ['zh-TW of the terminal', hostTexts.en, hostTexts['zh-TW']],
  ])('%s has every text of en, with the same placeholders', (_name, source, locale) => {
    const english = flatten(source)
    const other = flatten(locale)
    expect([...other.keys()].sort()).toEqual([...english.keys()].sort())
    for (const [key, text] of english) {
      // Chinese has one plural form, so a singular text may include the number.
      if (!key.endsWith('_one')) expect([key, blanks(other.get(key) ?? '')]).toEqual([key, blanks(text)])
    }
  })

  it('has a sentence for every error code', () => {
    expect(errorCodes.filter((code) => !(code in en.error))).toEqual([])
  })

  it('has no Simplified characters in Traditional texts', () => {
    const simplifiedOnly =
      /[对话记忆显隐侧个轮发处复为这无读写败进数条辑关输缓选编载开预览创试请务层备断义状态仅连离语认检络错误题转换应准账钥随时设变绝频权盘实现过动后来续经们边见听页间并删从几当据让]/g
    const allowed = new Set(['简体中文'])
    const found = [...flatten(zhTW), ...flatten(hostTexts['zh-TW'])].filter(
      ([, text]) => !allowed.has(text) && simplifiedOnly.test(text.replace(/[忆来]/g, '')),
    )
    expect(found).toEqual([])
  })
})
