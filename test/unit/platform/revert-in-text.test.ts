import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { revertInText } from '../../../src/main/platform/diff/merge-texts.ts'
import { addToSection, noteItem } from '../../../src/main/workspace/files/note-entries.ts'

describe('reverting added lines', () => {
  const log = '# 2026-11-22\n\n- 10:00 tea\n'
  const section = '# M\n\n## Tools\n\n- a\n'
  it.each([
    [
      'keeps the heading above a line that was added later',
      '',
      log,
      `${log}- 10:05 b\n`,
      '# 2026-11-22\n\n- 10:05 b\n',
    ],
    ['keeps the heading of a section', '# M\n', section, `${section}- b\n`, '# M\n\n## Tools\n\n- b\n'],
    [
      'removes the heading if another section follows',
      '# M\n',
      section,
      `${section}\n## B\n\n- b\n`,
      '# M\n\n## B\n\n- b\n',
    ],
    [
      'removes the heading of a section at the level of the next one',
      '',
      '# 2026-11-22\n\n## 10:00\ntea\n',
      '# 2026-11-22\n\n## 10:00\ntea\n\n## 10:05\nb\n',
      '# 2026-11-22\n\n## 10:05\nb\n',
    ],
  ])('%s', (_, before, after, current, expected) => {
    expect(revertInText(after, current, before)).toEqual({ text: expected })
  })

  it('removes different notes in any order, and no others', () => {
    const notes = fc.uniqueArray(fc.tuple(fc.constantFrom('A', 'B'), fc.constantFrom('v', 'w', 'x', 'y', 'z\nz')), {
      maxLength: 6,
      selector: ([, words]) => words,
    })
    fc.assert(
      fc.property(notes, fc.infiniteStream(fc.nat()), (wanted, picks) => {
        let text = '# Memory\n\n## Kept\n\n- kept\n'
        const added = wanted.map(([title, words]) => {
          const before = text
          text = addToSection(text, title, noteItem(words)).text
          return { before, after: text, item: noteItem(words) }
        })
        while (added.length > 0) {
          const [note] = added.splice((picks.next().value ?? 0) % added.length, 1)
          const result = note && revertInText(note.after, text, note.before)
          text = result && 'text' in result ? result.text : 'conflict'
          for (const { item } of added) expect(text).toContain(`\n${item}\n`)
          expect(text.match(/^- /gm)).toHaveLength(added.length + 1)
        }
        expect(text).toContain('# Memory\n\n## Kept\n\n- kept\n')
      }),
    )
  })
})

it.each([
  ['a line between two lines that were edited', 'a\nc\n', 'A\nC\n', 'a\nb\nc\n', 'A\nb\nC\n'],
  ['a removed line that is already back', 'a\nc\n', 'a\nb\nc\nd\n', 'a\nb\nc\n', 'a\nb\nc\nd\n'],
  ['a replaced line that is already back', 'a\nB\nc\n', 'a\nb\nnew\nc\n', 'a\nb\nc\n', 'a\nb\nnew\nc\n'],
  ['an appended line in a file with CRLF', 'a\r\nb', 'A\r\nb', 'a', 'A'],
])('reverts %s', (_name, after, current, restored, text) => {
  expect(revertInText(after, current, restored)).toEqual({ text })
})

it('names the first line that was edited', () => {
  expect(revertInText('a\nB\nc\n', 'new\na\nB2\nc\n', 'a\nb\nc\n')).toEqual({ line: 3 })
})
