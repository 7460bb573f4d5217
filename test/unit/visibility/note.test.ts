import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { heldLine, visibilityOf, withoutLocal } from '../../../src/shared/visibility.ts'

const whole = [
  '---\nvisibility: local\n---\nx',
  '\uFEFF---\r\nvisibility: local\r\n---\r\nx',
  '---\ntags: [a]\nvisibility: Local\n---\n',
  '---\nvisibility: "local" # mine\n---\n',
  "---\n'visibility' : 'LOCAL'\n---\n",
  '---\nvisibility:\tlocal\n---\n',
  '---\nvisibility：local\n---\n',
  '---\n{ tags: a, visibility: local }\n---\n',
  '---\nvisibility:\n  local\n---\n',
  '---\nvisibility:\n  - local\n---\n',
  // It never ends: what it says holds all the same.
  '---\ntitle: "broken\nvisibility: local\n\nwords\n',
  '---\nvisibility: local\nvisibility: all\n---\n',
  '---\nvisibility: ｌｏｃａｌ\n---\n',
  'visibility:: local\n- a block\n',
  '- visibility:: local\n',
]

describe('M64 what a note says of who may see it', () => {
  it.each(whole)('M64: all of %j stays here', (text) => {
    expect(visibilityOf(text).isWhole).toBe(true)
  })

  it('M64: what is not understood counts as local, and says so', () => {
    expect(visibilityOf('---\nvisibility: privat\n---\n')).toMatchObject({ isWhole: true, problem: 'privat' })
    expect(visibilityOf('---\nvisibility:\n---\n')).toMatchObject({ isWhole: true, problem: '' })
    expect(visibilityOf('---\nvisibility: local\n---\n').problem).toBeUndefined()
  })

  it.each([
    '---\nvisibility: all\n---\nx',
    '# visibility: local',
    'x\n---\nvisibility: local\n---\n',
    '',
    '---\n---\n',
  ])('M64: %j is for everybody', (text) => {
    expect(visibilityOf(text)).toEqual({ isWhole: false, lines: new Set() })
  })

  const held = (text: string) => [...visibilityOf(text).lines]

  it('M64: a marked heading keeps its section, up to the next that is not below it', () => {
    expect(held('# A\nx\n## B ^[local]\ny\n### C\nz\n## D\nw')).toEqual([2, 3, 4, 5])
    // What looks like a heading in code ends nothing.
    expect(held('## B ^[local]\n```sh\n# no heading\n```\ny\n## D')).toEqual([0, 1, 2, 3, 4])
    expect(held('T\n===\nx\nS ^[local]\n---\ny\nT2\n===\nz')).toEqual([3, 4, 5])
    expect(held('## B ^[ Local ]\r\ny\r\n## C\r\n')).toEqual([0, 1])
  })

  it('M64: a marked line keeps its paragraph, its item with what is below, its code', () => {
    expect(held('a\n\nb\nc ^[local]\nd\n\ne')).toEqual([2, 3, 4])
    expect(held('- a\n- b ^[local]\n  more\n  - below\n\n  text\n- c')).toEqual([1, 2, 3, 4, 5])
    expect(held('a\n```sh ^[local]\nsecret\n```\nb')).toEqual([1, 2, 3])
    expect(held('a\n```sh\nsecret # ^[local]\n```\nb')).toEqual([1, 2, 3])
    expect(held('- a\nlazy words ^[local]\n\nb')).toEqual([0, 1])
  })

  it('M64: every marked line is among those that stay, whatever stands around it, and no line is lost', () => {
    const line = fc.constantFrom(
      '# a',
      '## b ^[local]',
      'c',
      'd ^[local]',
      '- e',
      '  - f ^[LOCAL]',
      '```',
      '~~~',
      '',
      '---',
      '===',
      '> g ^[local]',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const text = lines.join(end)
        const found = visibilityOf(text)
        const shown = withoutLocal(text, found).text.split('\n')
        expect(shown).toHaveLength(text.split('\n').length)
        for (const [at, one] of lines.entries())
          if (/\^\[local\]/i.test(one) && !found.isWhole) expect(found.lines.has(at)).toBe(true)
        if (!found.isWhole) expect(shown.join('\n')).not.toMatch(/\^\[local\]/i)
      }),
    )
  })

  it('M64: a text of 100,000 lines with marks on each takes no time that grows with its square', () => {
    const text = '- x ^[local]\n  y\n'.repeat(50_000)
    const started = performance.now()
    expect(visibilityOf(text).lines.size).toBe(100_000)
    expect(performance.now() - started).toBeLessThan(2000)
    expect(withoutLocal('a ^[local]\nb', visibilityOf('a ^[local]\n\nb')).text.split('\n')[0]).toBe(heldLine)
  })
})
