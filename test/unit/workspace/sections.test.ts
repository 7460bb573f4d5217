import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openBlockEnd, sectionsOf } from '../../../src/shared/markdown/sections.ts'
import { addToSection, findLines, noteItem, sectionTitle } from '../../../src/main/workspace/files/note-entries.ts'

describe('notes in sections of MEMORY.md', () => {
  it.each([
    ['', 'Decisions', '## Decisions\n\n- new\n', 3],
    ['## Decisions\n\n- old\n', 'Decisions', '## Decisions\n\n- old\n- new\n', 4],
    ['## Decisions\n- old\n\n## People\n- Ann\n', 'Decisions', '## Decisions\n- old\n- new\n\n## People\n- Ann\n', 3],
    ['## 决定\n- 旧\n### 细节\n- 更多\n## 人\n', '决定', '## 决定\n- 旧\n### 细节\n- 更多\n- new\n\n## 人\n', 5],
    ['\uFEFF## Decisions\n- old\n', 'decisions', '\uFEFF## Decisions\n- old\n- new\n', 3],
    ['```\n## Decisions\n```\n', 'Decisions', '```\n## Decisions\n```\n\n## Decisions\n\n- new\n', 7],
  ])('adds to %j in the section %s', (text, section, expected, startLine) => {
    expect(addToSection(text, section, '- new')).toMatchObject({ text: expected, startLine })
  })

  it('strips heading marks from section names, and refuses empty and multi-line names', () => {
    expect(['People', ' ## People ', '#People', '\uFEFF# People'].map(sectionTitle)).toEqual(Array(4).fill('People'))
    for (const said of ['', '##', 'a\nb', 'a\r# b', 'a\u2028b']) expect(() => sectionTitle(said)).toThrow(/section/)
  })

  it('indents further lines of a note below its item', () => {
    expect(noteItem('first\n\nsecond\n')).toBe('- first\n\n  second')
    expect(noteItem('first\n## Mine ^[local]')).toBe('- first\n  \\## Mine ^[local]')
    expect(noteItem('---\n# Mine\n---\n```')).toBe('- ---\n  \\# Mine\n  ---\n  ```\n  ```')
    expect(noteItem('Mine\n===\n\n```\n# code')).toBe('- Mine\n  \\===\n\n  ```\n  # code\n  ```')
  })

  it.each(['```sh\nmake\n```', 'Run:\n```\nmake\n```js', '```x``` is short'])(
    'closes the code block of %j before the next section',
    (note) => {
      const { text } = addToSection('## Code\n\n## People\n\n- Ann\n', 'Code', noteItem(note))
      expect(sectionsOf(text.split('\n')).map(({ title }) => title)).toEqual(['Code', 'People'])
    },
  )

  it('adds to the marked section of that name, not to a new unmarked one', () => {
    const text = '## Health ^[local]\n\n- The doctor found nothing\n\n## Places\n'
    for (const said of ['Health', 'health', 'Health ^[local]'])
      expect(addToSection(text, said, '- new').text).toBe(text.replace('nothing\n', 'nothing\n- new\n'))
    expect(findLines(text, '- The doctor found nothing')).toEqual({ startLine: 3, endLine: 3 })
  })

  it('keeps all lines of any file, and returns the line of the note', () => {
    const line = fc.constantFrom('', '# A', '## B', '### C', '- item', 'words', '```', '~~~')
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('A', 'B', 'C', 'New'), (lines, section) => {
        const { text, startLine } = addToSection(lines.join('\n'), section, '- note')
        expect(text.split('\n')[startLine - 1]).toBe('- note')
        expect(findLines(text, '- note')).toEqual({ startLine, endLine: startLine })
        expect(findLines(lines.join('\n'), '- note')).toBeUndefined()
        const words = (all: readonly string[]) => all.filter((known) => known !== '')
        const rest = words(text.split('\n'))
        rest.splice(rest.indexOf('- note'), 1)
        // The new section must not be inside an open code block.
        const isMade = rest.length > words(lines).length
        const made = isMade ? [...words([openBlockEnd(lines) ?? '']), `## ${section}`] : []
        expect(rest).toEqual([...words(lines), ...made])
      }),
    )
  })
})

describe('sectionsOf()', () => {
  it('ends a section at the next heading of its level, and ignores code', () => {
    const text = '# One\na\n## Two\nb\n```sh\n# no heading\n```\n## Three ##\nc\n# Four'
    expect(sectionsOf(text.split('\n'))).toEqual([
      { title: 'One', level: 1, from: 1, to: 9 },
      { title: 'Two', level: 2, from: 3, to: 7 },
      { title: 'Three', level: 2, from: 8, to: 9 },
      { title: 'Four', level: 1, from: 10, to: 10 },
    ])
  })
})
