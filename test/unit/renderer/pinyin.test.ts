import { describe, expect, it } from 'vitest'
import * as chinese from '../../../src/renderer/lib/util/chinese-names.ts'
import {
  beginsWords,
  bestMatches,
  nameOrder,
  nameRanker,
  pinyinRank,
} from '../../../src/renderer/lib/util/name-match.ts'

const decomposed = 'Re\u0301sume\u0301.md'

describe('names that match a query', () => {
  it.each([
    ['notes/王五.md', 'wangwu', pinyinRank],
    ['張三', 'zhangsan', pinyinRank],
    ['张三.md', '張三', 0],
    ['单伟', 'shanwei', pinyinRank],
    ['旅行计划', 'lvxing', pinyinRank],
    [decomposed, 'Résumé', 0],
    ['语言：繁體中文', 'wangwu', undefined],
    ['王五', 'angwu', undefined],
    // A syllable, then initials: too many names would match an English word.
    ['特殊题', 'test', undefined],
  ])('%s with %s: %s', (name, query, rank) => {
    expect(nameRanker(query, chinese)(name)).toBe(rank)
  })
})

describe('order of names', () => {
  it('compares numbers by value', () => {
    const names = ['第10章', 'file10', 'File3', '第2章', 'file2']
    expect(names.toSorted(nameOrder())).toEqual(['file2', 'File3', 'file10', '第2章', '第10章'])
  })

  it('puts the start of a name first, then the name, folders and pinyin', () => {
    const paths = ['notes/万物.md', 'ww/b.md', 'notes/a ww.md', 'ww10.md', 'notes/ww2.md', 'c.md']
    expect(bestMatches(paths, nameRanker('ww', chinese), (path) => path)).toEqual([
      'notes/ww2.md',
      'ww10.md',
      'notes/a ww.md',
      'ww/b.md',
      'notes/万物.md',
    ])
  })
})

it.each([
  ['Theme: Dark', 'dark', true],
  ['Theme: Dark', 'da th', true],
  ['Theme: Dark', 'ark', false],
  ['语言：繁體中文', '繁體', true],
  ['New file\nnew note create note', 'new note', true],
  ['New file\nold', 'new old', false],
])('a query begins words of a command: %j, %s', (names, query, isBeginning) => {
  expect(beginsWords(names, query)).toBe(isBeginning)
})
