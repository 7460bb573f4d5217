import fc from 'fast-check'
import { pathologicalDocuments } from '../../../support/hostile-markdown.ts'
import { describe, expect, it } from 'vitest'
import { findRule, relativeRules } from '../../../../src/main/workspace/privacy/privacy-rules.ts'
import {
  redactionPlaceholder,
  visibilityOf,
  redactLocal,
  withoutLocalMark,
} from '../../../../src/shared/markdown/visibility.ts'
import { processorTime } from '../../../support/processor-time.ts'
import { rounds } from '../../../support/thorough.ts'

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
  // Unterminated front matter still applies.
  '---\ntitle: "broken\nvisibility: local\n\nwords\n',
  '---\nvisibility: local\nvisibility: all\n---\n',
  '---\nvisibility: ｌｏｃａｌ\n---\n',
  '\n\n---\nvisibility: local\n---\nx',
  '---\n<<: {visibility: local}\n---\nx',
  '---\n<<: { tags: a, "visibility": local }\n---\nx',
  '---\n? visibility\n: local\n---\nx',
  '---\n!!str visibility: local\n---\nx',
  '--- # mine\nvisibility: local\n---\nx',
  '+++\ntitle = "x"\nvisibility = "local"\n+++\nx',
  ' ---\nvisibility: local\n---\nx',
  ' ---\nvisibility: local\n ---\nx',
  '---\n"visib\\u0069lity": local\n---\nx',
  '---\n"visib\\x69lity": "loc\\u0061l"\n---\nx',
  '---\nｖｉｓｉｂｉｌｉｔｙ: local\n---\nx',
  '---\nvisi\u200Bbility: local\n---\nx',
  'visibility:: local\n- a block\n',
  '- visibility:: local\n',
]

describe('visibilityOf()', () => {
  it.each(whole)('makes all of %j local', (text) => {
    expect(visibilityOf(text).isFullyLocal).toBe(true)
  })

  it.each(['---\nvisibility: private\n---\nx', '+++\nvisibility = "Private"\n+++\nx', '- visibility:: private\n'])(
    'reads `private` as `local`: %j',
    (text) => {
      expect(visibilityOf(text)).toEqual({ isFullyLocal: true, localLines: new Set() })
    },
  )

  it.each(['^[private]', '^[ Private ]'])('reads the mark %s as `^[local]`', (mark) => {
    const text = (written: string) => `# Notes\n\n- one ${written}\n  - below\n- two\n\n## Health ${written}\n\nfine\n`
    expect(visibilityOf(text(mark))).toEqual(visibilityOf(text('^[local]')))
    expect(withoutLocalMark(`one ${mark}`)).toBe('one')
  })

  it('treats an unknown value as local and reports the problem', () => {
    expect(visibilityOf('---\nvisibility: privat\n---\n')).toMatchObject({ isFullyLocal: true, problem: 'privat' })
    expect(visibilityOf('---\nvisibility:\n---\n')).toMatchObject({ isFullyLocal: true, problem: '' })
    for (const line of ['visiblity: local', 'visibilty: "Local"', 'Visability : local', 'visibillity: local # mine'])
      expect(visibilityOf(`---\n${line}\n---\nx`)).toMatchObject({
        isFullyLocal: true,
        problem: expect.stringContaining('ocal'),
      })
    expect(visibilityOf('---\nvisiblity: local Zebulon\n---\nx')).toMatchObject({
      isFullyLocal: true,
      problem: 'visiblity: local Zebulon',
    })
    expect(visibilityOf(`---\n${'x: y\n'.repeat(600)}visibility: local\n---\nx`).isFullyLocal).toBe(true)
    // Unterminated front matter that mentions visibility.
    expect(visibilityOf('---\nvisibility: all\n\nx')).toMatchObject({ isFullyLocal: true, problem: 'visibility: all' })
    expect(visibilityOf('visiblity:: local\n- x')).toMatchObject({ isFullyLocal: true, problem: 'visiblity:: local' })
    expect(visibilityOf('---\nvisibility: local\n---\n').problem).toBeUndefined()
  })

  it.each([
    '---\nvisibility: all\n---\nx',
    '# visibility: local',
    'x\n---\nvisibility: local\n---\n',
    '',
    '---\n---\n',
    '---\ntitle: it never ends\n\nThe local shop\n',
    '---\nvicinity: local\nvisiblity: all\n---\nx',
    '---\ntitle: what is local, and who has visibility\n---\n',
    '\n\nx\n\n---\nvisibility: local\n---\n',
  ])('%j is not local', (text) => {
    expect(visibilityOf(text)).toEqual({ isFullyLocal: false, localLines: new Set() })
  })

  const held = (text: string) => [...visibilityOf(text).localLines]

  it('extends a marked heading to the next heading that is not below it', () => {
    expect(held('# A\nx\n## B ^[local]\ny\n### C\nz\n## D\nw')).toEqual([2, 3, 4, 5])
    // A `#` line in code is not a heading.
    expect(held('## B ^[local]\n```sh\n# no heading\n```\ny\n## D')).toEqual([0, 1, 2, 3, 4])
    expect(held('T\n===\nx\n\nS ^[local]\n---\ny\nT2\n===\nz')).toEqual([4, 5, 6])
    // Consecutive lines above an underline are one heading.
    expect(held('T\n===\nx\nS ^[local]\n---\ny\nT2\n===\nz')).toEqual([2, 3, 4, 5])
    expect(held('S ^[local]\n===\nx\n\ny')).toEqual([0, 1, 2, 3, 4])
    expect(held('## B ^[ Local ]\r\ny\r\n## C\r\n')).toEqual([0, 1])
  })

  it('extends a marked line to its paragraph, its item with nested blocks, or its code block', () => {
    expect(held('a\n\nb\nc ^[local]\nd\n\ne')).toEqual([2, 3, 4])
    expect(held('- a\n- b ^[local]\n  more\n  - below\n\n  text\n- c')).toEqual([1, 2, 3, 4, 5])
    expect(held('a\n```sh ^[local]\nsecret\n```\nb')).toEqual([1, 2, 3])
    expect(held('a\n```sh\nsecret # ^[local]\n```\nb')).toEqual([1, 2, 3])
    expect(held('- a\nlazy words ^[local]\n\nb')).toEqual([0, 1])
  })

  // Lines with `S` are local, lines with `pub` are not.
  it.each([
    ['an item, by its further line', '- pub\n- S\n  S ^[local]\n  - S child\n- pub2'],
    ['an item, by a lazy line', '- pub\n- S\nS ^[local]\n  - S child\n- pub2'],
    ['a numbered item', '1. pub\n2. S\n   S ^[local]\n   1. S\n3. pub2'],
    ['an item within', '- pub\n  - S\n    S ^[local]\n    - S\n  - pub\n- pub2'],
    ['an item, by its second paragraph', '- pub\n- S\n\n  S ^[local]\n\n  - S\n\n- pub2'],
    ['an item, by a line hardly further in', '1. S\n\n  S ^[local]\n   - S\n2. pub'],
    ['an item, by a line between two depths', '- S\n  - S\n  S ^[local]\n- pub'],
    ['an item with lines of code at the margin', '- S ^[local]\n  ```\nS\n  ```\n  S\n- pub'],
    ['a number that begins no list', 'S\n14. S ^[local]\n\npub'],
    ['a comment', '## S ^[local]\n<!--\n# S\n-->\nS\n## pub'],
    ['a comment behind words', '## S ^[local]\nS <!-- S\n# S\n-->\nS\n## pub'],
    ['a comment of Obsidian', '## S ^[local]\n%%\n# S\n%%\nS\n## pub'],
    ...['pre', 'script', 'style', 'textarea'].map((name) => [
      `raw ${name}`,
      `## S ^[local]\n<${name}>\n# S\n\n# S\n</${name}>\nS\n## pub`,
    ]),
    ['HTML up to a blank line', '## S ^[local]\n<div>\n# S\n</div>\n\nS\n## pub'],
    ['mathematics', '# S ^[local]\n$$\n# S\n$$\nS\n# pub'],
    ['an odd space', '# S ^[local]\n#\u00A0S\nS\n# pub'],
    ['a heading further in', '# S ^[local]\n- S\n  # S\n  S\n\n    # S\n# pub'],
    ['a fence that an item does not close', '# S ^[local]\n~~~\n- ~~~\n# S\n- ~~~\n~~~\nS\n# pub'],
    ['a fence that ends with its item', '- ```\n  S\n## S ^[local]\n```\n# S\n```\nS'],
    ['a marked heading with an odd space', 'pub\n\n#\u00A0S ^[local]\nS\n\nS\n# pub'],
    ['a marked heading further in', 'pub\n\n  ## S ^[local]\n\nS\n## pub'],
    ['a title of two lines', 'pub\n\nS ^[local]\nS\n------\nS\n\nS\n# pub'],
    ['a title of two lines, by its second', 'pub\n\nS\nS ^[local]\n------\nS\n\n### S\nS\n## pub'],
    ['a rule below text, in a section of #', '# S ^[local]\nS\n---\nS\n# pub'],
    ['a rule below text, in a section of ##', '## S ^[local]\nS\n---\nS\n## pub'],
    ['a title of its own kind', 'S ^[local]\n---\nS\n\npub\n---\npub'],
    ['mathematics that are marked', 'pub\n\n$$ ^[local]\nS\n\nS\n$$\n\npub'],
    ['a comment that is marked', 'pub\n\n<!-- ^[local]\nS\n\nS\n-->\n\npub'],
    ['code that is only indented', 'pub\n\n    S ^[local]\n\n    S\n\n\tS\n\npub'],
    ['a footnote', 'pub\n\n[^1]: S ^[local]\n\n    S\n[^2]: pub'],
    ['a footnote, by its second paragraph', '[^0]: pub\n[^1]: S\n\n    S ^[local]\n\npub'],
  ])('extends a marker in %s to the whole block: %j', (_, text) => {
    const lines = text.split('\n')
    const { isFullyLocal, localLines: local } = visibilityOf(text)
    expect(isFullyLocal).toBe(false)
    for (const [at, line] of lines.entries()) {
      if (line.includes('S')) expect([line, local.has(at)]).toEqual([line, true])
      if (line.includes('pub')) expect([line, local.has(at)]).toEqual([line, false])
    }
  })

  it('makes every marked line local in any context, and keeps the number of lines', () => {
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
        const shown = redactLocal(text, found).text.split('\n')
        expect(shown).toHaveLength(text.split('\n').length)
        for (const [at, one] of lines.entries())
          if (/\^\[local\]/i.test(one) && !found.isFullyLocal) expect(found.localLines.has(at)).toBe(true)
        if (!found.isFullyLocal) expect(shown.join('\n')).not.toMatch(/\^\[local\]/i)
      }),
    )
  })

  it('reads 100,000 marked lines in linear time', () => {
    for (const lines of [
      '- x ^[local]\n  y\n',
      'x ^[local]\ny\n',
      '#\u00A0x ^[local]\n$$\n',
      '    x ^[local]\n  - y\n',
    ]) {
      const text = lines.repeat(50_000)
      expect(
        processorTime(() => expect(visibilityOf(text).localLines.size).toBeGreaterThanOrEqual(99_999)),
      ).toBeLessThan(2000)
    }
    expect(redactLocal('a ^[local]\nb', visibilityOf('a ^[local]\n\nb')).text.split('\n')[0]).toBe(redactionPlaceholder)
  })
})

describe('privacy rules', () => {
  it.each([
    ['private', 'private/a.md', true],
    ['private', 'privately/a.md', false],
    ['/private/', 'Private/a.md', true],
    ['private/a', 'private/a.md', true],
    ['hidden2/**', 'hidden2/x/a.md', true],
    ['hidden2/**', 'hidden/a.md', false],
    ['*/a.md', 'x/a.md', true],
    ['*/a.md', 'x/y/a.md', false],
    ['**/private/', 'x/y/private/a.md', true],
    ['**/private/', 'private/a.md', true],
    ['**/private/', 'notprivate/a.md', false],
    ['*.secret', 'plans.secret.md', true],
    ['private\\deep', 'private/deep/a.md', true],
    ['/vault/private', 'private/a.md', true],
    ['/vault', 'any/a.md', true],
    ['/elsewhere', 'any/a.md', false],
  ])('rule %j for %j: %s', (rule, path, isLocal) => {
    expect(findRule(path, relativeRules('/vault', [rule])) !== undefined).toBe(isLocal)
  })
})

describe('time limits for reading marks', () => {
  it.each(pathologicalDocuments())('$name', ({ text: whole }) => {
    // Every request waits for this.
    const text = whole.slice(0, rounds(150_000, whole.length))
    for (const note of [text, `${text}\n\n^[local]\n`, `${text} ^[local]`, `---\nvisibilitee: local\n${text}`])
      expect(
        processorTime(() => expect(visibilityOf(note).localLines.size).toBeLessThanOrEqual(note.length)),
      ).toBeLessThan(rounds(1000, 10_000))
  })
})
