import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addToSection, noteItem } from '../../../src/main/workspace/files/add-to-section.ts'
import { withoutNote } from '../../../src/main/workspace/files/remove-note.ts'

const day = ['# 2026-11-22']
const ten = { headings: [...day, '## 10:00'], under: '10:00', body: ['tea'], at: 4 }
const tools = { headings: ['## Tools'], under: 'Tools', body: ['- a'], at: 3 }

describe('taking a note out again', () => {
  it.each([
    ['alone', '# 2026-11-22\n\n## 10:00\ntea\n', ten, ''],
    ['with others after it', '# 2026-11-22\n\n## 10:00\ntea\n\n## 10:05\nb\n', ten, '# 2026-11-22\n\n## 10:05\nb\n'],
    [
      'with words of others in its entry',
      '# 2026-11-22\n\n## 10:00\ntea\nmore\n',
      ten,
      '# 2026-11-22\n\n## 10:00\nmore\n',
    ],
    ['a section of its own', '# M\n\n## Tools\n\n- a\n', tools, '# M\n'],
    ['a section that others use', '## Tools\n\n- a\n- b\n', tools, '## Tools\n\n- b\n'],
    ['of two that say the same, one', '## Tools\n\n- a\n- a\n', tools, '## Tools\n\n- a\n'],
    ['with Windows lines, which stay', '## Tools\r\n\r\n- a\r\n- b\r\n', tools, '## Tools\r\n\r\n- b\r\n'],
    ['in another section the same words', '## Tools\n\n## Other\n\n- a\n', tools, undefined],
    ['changed since', '## Tools\n\n- a b\n', tools, undefined],
  ])(' %s', (_, text, note, expected) => {
    expect(withoutNote(text, note)).toBe(expected)
  })

  it('a note that a longer one begins with is taken out of its own place, though that one is nearer', () => {
    const text = '# M\n\n## A\n\n- x\n\n  z\n- x\n'
    const note = { headings: [], under: 'A', body: ['- x'], at: 5 }
    expect(withoutNote(text, note)).toBe('# M\n\n## A\n\n- x\n\n  z\n')
    // Where it goes on since, it is that one all the same.
    expect(withoutNote('## A\n\n- x\n  more\n', note)).toBe('## A\n\n  more\n')
  })

  it('in whatever order notes are taken out, each takes its own lines and no other', () => {
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
          text = (note && withoutNote(text, note)) ?? 'not found'
          expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(items - 1)
        }
        expect(text).toContain('# Memory\n\n## Kept\n\n- kept\n')
      }),
    )
  })
})
