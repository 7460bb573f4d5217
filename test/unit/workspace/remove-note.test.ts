import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addToSection, noteItem } from '../../../src/main/workspace/files/add-to-section.ts'
import { removeNote } from '../../../src/main/workspace/files/remove-note.ts'

const day = ['# 2026-11-22']
const ten = { headings: [...day, '## 10:00'], under: '10:00', body: ['tea'], at: 4 }
const tools = { headings: ['## Tools'], under: 'Tools', body: ['- a'], at: 3 }

describe('withoutNote()', () => {
  it.each([
    ['the only note', '# 2026-11-22\n\n## 10:00\ntea\n', ten, ''],
    [
      'a note with others after it',
      '# 2026-11-22\n\n## 10:00\ntea\n\n## 10:05\nb\n',
      ten,
      '# 2026-11-22\n\n## 10:05\nb\n',
    ],
    ['an entry with other lines', '# 2026-11-22\n\n## 10:00\ntea\nmore\n', ten, '# 2026-11-22\n\n## 10:00\nmore\n'],
    ['the only note of its section', '# M\n\n## Tools\n\n- a\n', tools, '# M\n'],
    ['a note of a section with others', '## Tools\n\n- a\n- b\n', tools, '## Tools\n\n- b\n'],
    ['one of two equal notes', '## Tools\n\n- a\n- a\n', tools, '## Tools\n\n- a\n'],
    ['a note with Windows line ends', '## Tools\r\n\r\n- a\r\n- b\r\n', tools, '## Tools\r\n\r\n- b\r\n'],
    ['nothing if another section has the text', '## Tools\n\n## Other\n\n- a\n', tools, undefined],
    ['nothing if the note was edited', '## Tools\n\n- a b\n', tools, undefined],
  ])('removes %s', (_, text, note, expected) => {
    expect(removeNote(text, note)).toBe(expected)
  })

  it('skips the start of a longer note, even if it is nearer', () => {
    const text = '# M\n\n## A\n\n- x\n\n  z\n- x\n'
    const note = { headings: [], under: 'A', body: ['- x'], at: 5 }
    expect(removeNote(text, note)).toBe('# M\n\n## A\n\n- x\n\n  z\n')
    // The only match is removed, even if more text follows.
    expect(removeNote('## A\n\n- x\n  more\n', note)).toBe('## A\n\n  more\n')
  })

  it('removes the lines of each note in any order, and no others', () => {
    const notes = fc.array(fc.tuple(fc.constantFrom('A', 'B'), fc.constantFrom('x', 'y', 'x\n\nz')), { maxLength: 6 })
    fc.assert(
      fc.property(notes, fc.infiniteStream(fc.nat()), (wanted, picks) => {
        let text = '# Memory\n\n## Kept\n\n- kept\n'
        const added = wanted.map(([section, words]) => {
          const note = noteItem(words)
          const { text: after, startLine, heading, under } = addToSection(text, section, note)
          text = after
          return { headings: heading === undefined ? [] : [heading], under, body: note.split('\n'), at: startLine }
        })
        while (added.length > 0) {
          const [note] = added.splice((picks.next().value ?? 0) % added.length, 1)
          const items = text.split('\n').filter((line) => line.startsWith('- ')).length
          text = (note && removeNote(text, note)) ?? 'not found'
          expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(items - 1)
        }
        expect(text).toContain('# Memory\n\n## Kept\n\n- kept\n')
      }),
    )
  })
})
