import { describe, expect, it } from 'vitest'
import { findMatches, replaceMatches, toRegExp } from '../../../src/main/workspace/find-replace/search-files.ts'
import { findRows } from '../../../src/renderer/editor/rows.ts'

const plain = { text: 'cat', isPattern: false, matchCase: false }

describe('find and replace', () => {
  it.each([
    ['literal text', { text: 'a.c' }, 'a.c abc', 'x', 'x abc', 1],
    ['ignoring case', { text: 'CAT' }, 'cat Cat', 'x', 'x x', 2],
    ['matching case', { text: 'Cat', matchCase: true }, 'cat Cat', 'x', 'cat x', 1],
    ['$ in a literal replacement', { text: 'cat' }, 'a cat', '$1$&', 'a $1$&', 1],
    ['a pattern with groups', { text: '(\\w)at', isPattern: true }, 'cat bat', '$1ow', 'cow bow', 2],
    ['not across lines', { text: 'a\\s+b', isPattern: true }, 'a\nb a  b', 'x', 'a\nb x', 1],
    ['empty matches', { text: 'x*', isPattern: true }, 'ab', '-', '-a-b-', 3],
  ])('%s: counts the matches that it replaces', (_name, options, text, by, expected, count) => {
    const wanted = { ...plain, ...options }
    const finder = toRegExp(wanted)
    expect(findMatches(text, finder, 10).count).toBe(count)
    expect(replaceMatches(text, finder, by, wanted.isPattern)).toEqual({ text: expected, count })
  })

  it('limits listed lines but not counts, and cuts a long line around its first match', () => {
    const text = Array.from({ length: 30 }, () => 'cat cat').join('\n')
    const found = findMatches(text, toRegExp(plain), 4)
    expect([found.lines.length, found.lineCount, found.count]).toEqual([4, 30, 60])
    const [line] = findMatches(`${'x'.repeat(1000)}cat${'y'.repeat(1000)}`, toRegExp(plain), 1).lines
    expect(line?.text).toMatch(/^…x{80}caty+…$/)
  })

  it('shows files with a few of their lines and the number of hidden ones', () => {
    const lines = Array.from({ length: 8 }, (_, at) => ({ line: at + 1, text: 'cat' }))
    const file = { path: 'a.md', count: 12, lineCount: 10, lines }
    expect(findRows([file], new Set()).at(-1)).toMatchObject({ kind: 'more', hidden: 3, unlisted: 0 })
    const whole = findRows([file], new Set(['a.md']))
    expect([whole.length, whole.at(-1)]).toMatchObject([10, { kind: 'more', hidden: 0, unlisted: 2 }])
  })
})
