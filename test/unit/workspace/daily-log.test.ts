import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addLogEntry, findLogEntry } from '../../../src/main/workspace/files/daily-log.ts'
import { addToSection, noteBody, noteItem } from '../../../src/main/workspace/files/add-to-section.ts'
import { sectionsOf } from '../../../src/shared/markdown/sections.ts'

const at = new Date(2026, 0, 20, 9, 5)

describe('daily log entries', () => {
  it('starts a log, and appends after an empty line', () => {
    const one = addLogEntry(undefined, 'First', at)
    expect(one).toEqual({ text: '# 2026-01-20\n\n## 09:05\nFirst\n', startLine: 3, endLine: 4 })
    expect(addLogEntry(`${one.text}\n\n`, 'Second\nline', at)).toMatchObject({ startLine: 6, endLine: 8 })
  })

  it.each([
    ['The boiler code is 7781.', '## 09:05'],
    ['- 我对青霉素过敏。', '## 09:05'],
    ['Groceries\nmilk, bread', '## 09:05 - Groceries'],
    [
      'The landlord comes on the third of May to look at the boiler, which leaks',
      '## 09:05 - The landlord comes on the third of May to look at the…',
    ],
    [
      '房东五月三日来看漏水的锅炉，请提前把厨房和阳台收拾干净，钥匙放在门口的鞋柜第二层，另外记得把猫关进卧室里，谢谢。',
      '## 09:05 - 房东五月三日来看漏水的锅炉，请提前把厨房和阳台收…',
    ],
  ])('adds %j under the heading %j, without repeating a one-line note', (note, heading) => {
    expect(addLogEntry(undefined, note, at).text.split('\n')[2]).toBe(heading)
  })

  it('returns the lines of the entry for any log and note', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme', minLength: 1 }), (log, note) => {
        fc.pre(note.trim() !== '' && !/[\r\u2028\u2029]/.test(note))
        const { text, startLine, endLine } = addLogEntry(log, note, at)
        const lines = text.split('\n')
        expect(lines[startLine - 1]).toMatch(/^## 09:05( - |$)/)
        expect(lines.slice(startLine, endLine).join('\n')).toBe(noteBody(note))
        expect(findLogEntry(text, note, new Date(at.getTime() + 60_000))).toEqual({ startLine, endLine })
      }),
    )
  })

  it('closes a code block that a note or a log leaves open', () => {
    const one = addLogEntry(undefined, 'To try:\n~~~~sh\nmake # ```', at)
    expect(one.text).toBe('# 2026-01-20\n\n## 09:05 - To try:\nTo try:\n~~~~sh\nmake # ```\n~~~~\n')
    expect(findLogEntry(one.text, 'To try:\n~~~~sh\nmake # ```', at)).toEqual({ startLine: 3, endLine: 7 })
    const mine = '# 2026-01-20\n\n```js\nlet a\n'
    const added = addLogEntry(mine, 'Next', at)
    expect(added).toEqual({ text: `${mine}\`\`\`\n\n## 09:05\nNext\n`, startLine: 7, endLine: 8 })
    expect(sectionsOf(added.text.split('\n')).map(({ title }) => title)).toEqual(['2026-01-20', '09:05'])
    expect(addLogEntry(added.text, 'Last', at).text.startsWith(added.text)).toBe(true)
  })

  it('escapes headings and privacy markers of headings in a note', () => {
    const { text } = addLogEntry(undefined, 'Saw this\n# Top ^[local]\nTitle\n===\n```\n# code\n```', at)
    expect(text).toContain('\n\\# Top ^[local]\nTitle\n\\===\n```\n# code\n```\n')
    expect(sectionsOf(text.split('\n')).map(({ title }) => title)).toEqual(['2026-01-20', '09:05 - Saw this'])
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
