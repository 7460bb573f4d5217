import fc from 'fast-check'
import { visibilityOf } from '../../../src/shared/markdown/visibility.ts'
import { describe, expect, it } from 'vitest'
import {
  addLogEntry,
  addToSection,
  findLogEntry,
  noteBody,
  noteItem,
} from '../../../src/main/workspace/files/note-entries.ts'
import { sectionsOf } from '../../../src/shared/markdown/sections.ts'

const at = new Date(2026, 0, 20, 9, 5)

describe('daily log entries', () => {
  it('starts a log, and appends lines to a list and sections after an empty line', () => {
    const one = addLogEntry(undefined, 'First', at)
    expect(one).toEqual({ text: '# 2026-01-20\n\n- 09:05 First\n', startLine: 3, endLine: 3 })
    const two = addLogEntry(`${one.text}\n\n`, 'Second', at)
    expect(two).toEqual({ text: `${one.text}- 09:05 Second\n`, startLine: 4, endLine: 4 })
    const three = addLogEntry(two.text, 'Third\nline', at)
    expect(three).toEqual({ text: `${two.text}\n## 09:05\nThird\nline\n`, startLine: 6, endLine: 8 })
    expect(addLogEntry(three.text, 'Last', at)).toMatchObject({ startLine: 10, endLine: 10 })
  })

  it.each([
    ['The boiler code is 7781.', '- 09:05 The boiler code is 7781.'],
    ['# 5 apples', '- 09:05 \\# 5 apples'],
    ['- [ ] call Ann', '## 09:05\n- [ ] call Ann'],
    ['Groceries\nmilk, bread', '## 09:05\nGroceries\nmilk, bread'],
    ['# Groceries\n\nmilk\n# bread', '## 09:05 - Groceries\nmilk\n\\# bread'],
    ['# Keys ^[private]\nUnder the mat', '## 09:05\n\\# Keys ^[private]\nUnder the mat'],
    ['a'.repeat(121), `## 09:05\n${'a'.repeat(121)}`],
  ])('adds %j as %j, without repeating text in the heading', (note, entry) => {
    expect(addLogEntry(undefined, note, at).text).toBe(`# 2026-01-20\n\n${entry}\n`)
  })

  it('does not add an open note to a private section', () => {
    for (const log of ['## 08:00 - Keys ^[private]\nUnder the mat\n', '## 08:00\n[stays on this machine]\n']) {
      const { text, ...lines } = addLogEntry(log, 'First', at)
      expect(text).toBe(`${log}\n## 09:05\nFirst\n`)
      expect(findLogEntry(text, 'First', at)).toEqual(lines)
    }
    expect(addLogEntry('- 08:00 Keys ^[private]\n', 'First', at).text).toContain('\n- 09:05 First\n')
  })

  it('returns the lines of the entry for any log and note', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme', minLength: 1 }), (log, note) => {
        fc.pre(note.trim() !== '' && !/[\r\u2028\u2029]/.test(note))
        const { text, startLine, endLine } = addLogEntry(log, note, at)
        const entry = text
          .split('\n')
          .slice(startLine - 1, endLine)
          .join('\n')
        const body = noteBody(note)
        expect([`- 09:05 ${body.replace(/^[-*+]\s+/, '')}`, `## 09:05\n${body}`]).toContain(entry)
        expect(findLogEntry(text, note, new Date(at.getTime() + 60_000))).toEqual({ startLine, endLine })
      }),
    )
  })

  it('closes a code block that a note or a log leaves open', () => {
    const one = addLogEntry(undefined, 'To try:\n~~~~sh\nmake # ```', at)
    expect(one.text).toBe('# 2026-01-20\n\n## 09:05\nTo try:\n~~~~sh\nmake # ```\n~~~~\n')
    expect(findLogEntry(one.text, 'To try:\n~~~~sh\nmake # ```', at)).toEqual({ startLine: 3, endLine: 7 })
    const mine = '# 2026-01-20\n\n```js\nlet a\n'
    const added = addLogEntry(mine, 'Next\none', at)
    expect(added).toEqual({ text: `${mine}\`\`\`\n\n## 09:05\nNext\none\n`, startLine: 7, endLine: 9 })
    expect(sectionsOf(added.text.split('\n')).map(({ title }) => title)).toEqual(['2026-01-20', '09:05'])
    expect(addLogEntry(added.text, 'Last', at).text.startsWith(added.text)).toBe(true)
  })

  it.each([
    ['<script>', '</script>'],
    ['<!-- open', '-->'],
    ['<pre class="x">', '</pre>'],
    ['<?php', '?>'],
    ['<![CDATA[', ']]>'],
    ['$$\nx', '$$'],
  ])('closes %j, so that a private entry after it hides no other', (opening, end) => {
    const notes = [
      `Snippet:\n${opening}`,
      'The kayak is blue',
      'My doctor is Dr Grey ^[private]',
      'The tractor is green',
    ]
    const log = notes.reduce<string | undefined>((text, note) => addLogEntry(text, note, at).text, undefined) ?? ''
    const lines = log.split('\n')
    expect(lines).toContain(end)
    const hidden = [...visibilityOf(log).privateLines].map((line) => lines[line])
    expect(hidden).toEqual([expect.stringContaining('Dr Grey')])
    const open = `# 2026-01-20\n\n${opening}\n`
    expect(addLogEntry(open, 'Next', at).text).toBe(`${open}${end}\n\n- 09:05 Next\n`)
    for (const closed of ['<script>a</script>', '<!-- a -->', '<details>', '$$x$$', '<!-- a\n-->'])
      expect(noteBody(closed)).toBe(closed)
  })

  it('escapes headings and privacy markers of headings in a note', () => {
    const { text } = addLogEntry(undefined, 'Saw this\n# Top ^[local]\nTitle\n===\n```\n# code\n```', at)
    expect(text).toContain('\n\\# Top ^[local]\nTitle\n\\===\n```\n# code\n```\n')
    expect(sectionsOf(text.split('\n')).map(({ title }) => title)).toEqual(['2026-01-20', '09:05'])
  })

  it('closes open code blocks in a section too', () => {
    const one = addToSection('', 'Code', noteItem('Run:\n```\nmake'))
    const two = addToSection(one.text, 'People', noteItem('Ann'))
    expect(sectionsOf(two.text.split('\n')).map(({ title }) => title)).toEqual(['Code', 'People'])
    const broken = addToSection('# Mine\n```\nopen\n', 'People', noteItem('Ann'))
    expect(broken.text).toBe('# Mine\n```\nopen\n```\n\n## People\n\n- Ann\n')
    expect(addToSection(broken.text, 'People', noteItem('Bob')).text).toBe(`${broken.text}- Bob\n`)
  })

  it('does not find an entry that is older than two minutes', () => {
    const { text } = addLogEntry(undefined, 'First', at)
    expect(findLogEntry(text, 'First', new Date(at.getTime() + 5 * 60_000))).toBeUndefined()
    expect(findLogEntry(text, 'Firs', at)).toBeUndefined()
  })
})
