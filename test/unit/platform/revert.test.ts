/** Reverting a change in a text that has changed since. */
import { expect, it } from 'vitest'
import { revertInText } from '../../../src/main/platform/diff/merge-texts.ts'

it.each([
  ['a line between two lines that were edited', 'a\nc\n', 'A\nC\n', 'a\nb\nc\n', 'A\nb\nC\n'],
  ['a removed line that is already back', 'a\nc\n', 'a\nb\nc\nd\n', 'a\nb\nc\n', 'a\nb\nc\nd\n'],
  ['a removed line that is back beside a new one', 'a\nc\n', 'a\nb\nnew\nc\n', 'a\nb\nc\n', 'a\nb\nnew\nc\n'],
  ['a replaced line that is already back', 'a\nB\nc\n', 'a\nb\nnew\nc\n', 'a\nb\nc\n', 'a\nb\nnew\nc\n'],
  ['an appended line in a file with CRLF', 'a\r\nb', 'A\r\nb', 'a', 'A'],
])('reverts %s', (_name, after, current, restored, text) => {
  expect(revertInText(after, current, restored)).toEqual({ text })
})

it('names the first line that was edited', () => {
  expect(revertInText('a\nB\nc\n', 'new\na\nB2\nc\n', 'a\nb\nc\n')).toEqual({ line: 3 })
})
