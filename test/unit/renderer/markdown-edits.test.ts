import { describe, expect, it } from 'vitest'
import {
  changedLines,
  continueLine,
  formatTable,
  tableAround,
  toggleTask,
} from '../../../src/renderer/editor/markdown-edits.ts'
import { hunkKey, splitHunks } from '../../../src/renderer/lib/diff-view/patch.tsx'

describe('Enter', () => {
  it.each([
    ['- one', { insert: '\n- ' }],
    ['9. nine', { insert: '\n10. ' }],
    ['- [x] done', { insert: '\n- [ ] ' }],
    ['- [ ] ', { clear: true }],
    ['> said', { insert: '\n> ' }],
    ['words', undefined],
  ])('after %j', (line, expected) => {
    expect(continueLine(line)).toEqual(expected)
  })
})

describe('tasks', () => {
  it.each([
    ['- [ ] buy', '- [x] buy'],
    ['- [X] buy', '- [ ] buy'],
    ['- buy', '- [ ] buy'],
    ['  buy', '  - [ ] buy'],
  ])('%j becomes %j', (line, expected) => {
    expect(toggleTask(line)).toBe(expected)
  })
})

describe('tables', () => {
  it('aligns columns by display width', () => {
    expect(formatTable(['|a|数据库|', '|:-|-:|', '|long one|x|', '|b \\| c|'])).toEqual([
      '| a        | 数据库 |',
      '| :------- | -----: |',
      '| long one |      x |',
      '| b \\| c   |        |',
    ])
  })

  it('leaves other text unchanged', () => {
    expect(formatTable(['a | b', 'c | d'])).toBeUndefined()
    expect(tableAround(['text', '|a|', '|-|', 'text'], 2)).toEqual({ from: 2, to: 3 })
    expect(tableAround(['text'], 1)).toBeUndefined()
  })
})

describe('changed lines', () => {
  it.each([
    ['a\nb\nc', 'a\nx\nc', { from: 2, to: 2 }],
    ['a\nb', 'a\nb\nc\nd', { from: 3, to: 4 }],
    ['a\nb\nc', 'a\nc', { from: 1, to: 1 }],
  ])('from %j to %j', (before, after, expected) => {
    expect(changedLines(before, after)).toEqual(expected)
  })
})

describe('hunks', () => {
  it('splits a patch into patches of one hunk with the same file name', () => {
    const header = '--- a.md\n+++ a.md\n'
    const one = '@@ -1,1 +1,1 @@\n-a\n+b\n'
    const two = '@@ -9,1 +9,2 @@\n c\n+d\n'
    const hunks = splitHunks(header + one + two)
    expect(hunks).toEqual([header + one, header + two])
    expect(new Set(hunks.map(hunkKey)).size).toBe(2)
    expect(splitHunks('')).toEqual([])
  })
})
