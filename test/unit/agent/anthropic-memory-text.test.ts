import { describe, expect, it } from 'vitest'
import {
  listFiles,
  numberLines,
  occurrenceLines,
  insertAfterLine,
} from '../../../src/main/agent/tools/anthropic-memory.ts'

describe('text functions of Anthropic’s memory tool', () => {
  it.each([
    ['a\nb\n', 1, -1, ['     1\ta', '     2\tb']],
    ['a\nb\nc', 2, 2, ['     2\tb']],
    ['a\nb', -3, 99, ['     1\ta', '     2\tb']],
    ['', 1, -1, []],
  ])('numbers lines of %j from %d to %d', (text, from, to, expected) => {
    expect(numberLines(text, from, to)).toEqual(expected)
  })

  it.each([
    ['tea\ncoffee\ntea', 'tea', [1, 3]],
    ['a\nb\nc', 'b\nc', [2]],
    ['aaa', 'aa', [1, 1]],
    ['a', 'b', []],
  ])('finds in %j the passage %j at lines %j', (text, passage, expected) => {
    expect(occurrenceLines(text, passage)).toEqual(expected)
  })

  it.each([
    ['a\nb\n', 0, 'x', 'x\na\nb\n'],
    ['a\nb\n', 2, 'x\n', 'a\nb\nx\n'],
    ['a\nb', 1, 'x', 'a\nx\nb\n'],
    ['a\n', 2, 'x', undefined],
    ['a\n', -1, 'x', undefined],
    ['', 0, 'x', 'x\n'],
  ])('inserts into %j after line %d the text %j', (text, after, inserted, expected) => {
    expect(insertAfterLine(text, after, inserted).text).toBe(expected)
  })

  it('lists a folder two levels deep and counts the sizes of deeper files', () => {
    const files = [
      { path: 'memory/2026-01-20.md', size: 2048 },
      { path: 'memory/people/ann.md', size: 10 },
      { path: 'memory/people/old/bob.md', size: 1536 },
    ].map((file) => ({ ...file, modifiedAt: 0, changedAt: 0 }))
    expect(listFiles('/memories', 'memory', files)).toEqual([
      '3.5K\t/memories',
      '2K\t/memories/2026-01-20.md',
      '1.5K\t/memories/people/',
      '10B\t/memories/people/ann.md',
      '1.5K\t/memories/people/old/',
    ])
  })
})
