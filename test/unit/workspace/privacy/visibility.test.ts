import fc from 'fast-check'
import { pathologicalDocuments } from '../../../support/hostile-markdown.ts'
import { describe, expect, it } from 'vitest'
import { findRule, resolveRules, rulesForFolder } from '../../../../src/main/workspace/privacy/privacy-rules.ts'
import {
  redactionPlaceholder,
  visibilityOf,
  redactPrivate,
  withoutPrivateMarks,
} from '../../../../src/shared/markdown/visibility.ts'
import { processorTime } from '../../../support/processor-time.ts'
import { rounds } from '../../../support/thorough.ts'

const whole = [
  '---\nvisibility: local\n---\nx',
  '\uFEFF---\r\nvisibility: local\r\n---\r\nx',
  '---\nvisibility: "local" # mine\n---\n',
  '---\nvisibility:\tlocal\n---\n',
  '---\n{ tags: a, visibility: local }\n---\n',
  '---\nvisibility:\n  local\n---\n',
  // Unterminated front matter still applies.
  '---\ntitle: "broken\nvisibility: local\n\nwords\n',
  '---\nvisibility: local\nvisibility: all\n---\n',
  '---\nvisibility: ｌｏｃａｌ\n---\n',
  '---\n<<: {visibility: local}\n---\nx',
  '---\n<<: { tags: a, "visibility": local }\n---\nx',
  '---\n? visibility\n: local\n---\nx',
  '+++\ntitle = "x"\nvisibility = "local"\n+++\nx',
  ' ---\nvisibility: local\n---\nx',
  '---\nｖｉｓｉｂｉｌｉｔｙ: local\n---\nx',
  '---\nvisi\u200Bbility: local\n---\nx',
  'visibility:: local\n- a block\n',
]

describe('visibilityOf()', () => {
  it.each(whole)('makes all of %j local', (text) => {
    expect(visibilityOf(text).isFullyPrivate).toBe(true)
  })

  it.each(['---\nvisibility: private\n---\nx', '+++\nvisibility = "Private"\n+++\nx', '- visibility:: private\n'])(
    'reads `private` as `local`: %j',
    (text) => {
      expect(visibilityOf(text)).toEqual({ isFullyPrivate: true, privateLines: new Set() })
    },
  )

  it.each(['^[private]', '^[ Private ]'])('reads the mark %s as `^[local]`', (mark) => {
    const text = (written: string) => `# Notes\n\n- one ${written}\n  - below\n- two\n\n## Health ${written}\n\nfine\n`
    expect(visibilityOf(text(mark))).toEqual(visibilityOf(text('^[local]')))
    expect(withoutPrivateMarks(`one ${mark}`)).toBe('one')
    expect(withoutPrivateMarks(`<!-- ${mark} -->`)).toBe('')
  })

  it('treats an unknown value as local and reports the problem', () => {
    expect(visibilityOf('---\nvisibility: privat\n---\n')).toMatchObject({ isFullyPrivate: true, problem: 'privat' })
    expect(visibilityOf('---\nvisibility:\n---\n')).toMatchObject({ isFullyPrivate: true, problem: '' })
    for (const line of ['visiblity: local', 'visibilty: "Local"', 'Visability : local', 'visibillity: local # mine'])
      expect(visibilityOf(`---\n${line}\n---\nx`)).toMatchObject({
        isFullyPrivate: true,
        problem: expect.stringContaining('ocal'),
      })
    expect(visibilityOf('---\nvisiblity: local Zebulon\n---\nx')).toMatchObject({
      isFullyPrivate: true,
      problem: 'visiblity: local Zebulon',
    })
    expect(visibilityOf(`---\n${'x: y\n'.repeat(600)}visibility: local\n---\nx`).isFullyPrivate).toBe(true)
    // Unterminated front matter that mentions visibility.
    expect(visibilityOf('---\nvisibility: all\n\nx')).toMatchObject({
      isFullyPrivate: true,
      problem: 'visibility: all',
    })
    expect(visibilityOf('visiblity:: local\n- x')).toMatchObject({ isFullyPrivate: true, problem: 'visiblity:: local' })
    expect(visibilityOf('---\nvisibility: local\n---\n').problem).toBeUndefined()
  })

  it.each([
    '---\nvisibility: all\n---\nx',
    '# visibility: local',
    'x\n---\nvisibility: local\n---\n',
    '---\ntitle: it never ends\n\nThe local shop\n',
    '---\ntitle: what is local, and who has visibility\n---\n',
  ])('%j is not local', (text) => {
    expect(visibilityOf(text)).toEqual({ isFullyPrivate: false, privateLines: new Set() })
  })

  const held = (text: string) => [...visibilityOf(text).privateLines]

  it('extends a marked heading to the next heading that is not below it', () => {
    expect(held('# A\nx\n## B ^[private]\ny\n### C\nz\n## D\nw')).toEqual([2, 3, 4, 5])
    expect(held('T\n===\nx\n\nS ^[local]\n---\ny\n\nT2\n===\nz')).toEqual([4, 5, 6, 7])
    // Consecutive lines above an underline are one heading.
    expect(held('T\n===\nx\n\nS\nS ^[local]\n---\ny\n\nT2\n===\nz')).toEqual([4, 5, 6, 7, 8])
    expect(held('S ^[local]\n===\nx\n\ny')).toEqual([0, 1, 2, 3, 4])
    expect(held('## B ^[ Local ]\r\ny\r\n## C\r\n')).toEqual([0, 1])
  })

  // Lines with `S` are private, lines with `pub` are not.
  it.each([
    ['a paragraph', 'pub\n\nS\nS ^[private]\nS\n\npub'],
    ['a mark within a line', 'pub\n\nS ^[private] S\nS\n\npub'],
    ['an item with all its content', '- pub\n- S ^[private]\n  S\n  - S\n\n  S\n\n  ```\n  S\n  ```\n- pub'],
    ['an item, by its further line', '- pub\n- S\n  S ^[private]\n  - S child\n- pub2'],
    ['a numbered item', '1. pub\n2. S\n   S ^[private]\n   1. S\n3. pub2'],
    ['an item, by its second paragraph', '- pub\n- S\n\n  S ^[private]\n\n  - S\n\n- pub2'],
    ['a heading in an item', '- pub\n- # S ^[private]\n  S\n- pub'],
    ['a quote with all its content', 'pub\n\n> S\n>\n> - S ^[private]\n>\n> S\n\npub'],
    ['a quote in an item', '- pub\n- S\n  > S ^[private]\n- pub'],
    ['a footnote', 'pub\n\n[^1]: S ^[private]\n\n    S\n[^2]: pub'],
    ['a table, by a row', 'pub\n\n| S | S |\n|---|---|\n| S | S ^[private] |\n| S | S |\n\npub'],
    ['code, by a line', 'pub\n```sh\nS # ^[private]\nS\n```\npub'],
    ['a formula', 'pub\n\n$$ ^[private]\nS\n\nS\n$$\n\npub'],
    ['a formula, by a line', 'pub\n\n$$\nS ^[private]\n\nS\n$$\n\npub'],
    ['an HTML comment', 'pub\n\n<!-- ^[private]\nS\n\nS\n-->\n\npub'],
    ['the line below code', '```\npub\n```\n^[private] S\n\npub'],
    ['the line below a formula', '$$\npub\n$$\nS ^[private]\n\npub'],
    ['only the comment above a blank line', '<!-- ^[private] -->\n\npub'],
    ['a section with headings in items', '# S ^[private]\n- S\n  # S\n  S\n\n    # S\n# pub'],
    ['a section with a rule', '# S ^[private]\nS\n\n---\nS\n# pub'],
    [
      'a key, by a value below',
      '---\ntags: pub\naliases:\n  - S\n  - S ^[private]\n  # S\n\n  - S\n"title": pub\n---\npub',
    ],
    ['a key with a block scalar', '---\ntext: | # ^[private]\n  S: S\n\n  # S\ndate: pub\n---\npub'],
    ['all YAML, by a comment of its own', '---\n# ^[private]\ntags: S\ntitle: S\n---\npub'],
  ])('a mark covers %s: %j', (_, text) => {
    const lines = text.split('\n')
    const { isFullyPrivate, privateLines: local } = visibilityOf(text)
    expect(isFullyPrivate).toBe(false)
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
        const shown = redactPrivate(text, found).split('\n')
        expect(shown).toHaveLength(text.split('\n').length)
        for (const [at, one] of lines.entries())
          if (/\^\[local\]/i.test(one) && !found.isFullyPrivate) expect(found.privateLines.has(at)).toBe(true)
        if (!found.isFullyPrivate) expect(shown.join('\n')).not.toMatch(/\^\[local\]/i)
      }),
    )
  })

  it('reads 100,000 marked lines in linear time', () => {
    for (const lines of [
      '- x ^[local]\n  y\n',
      'x ^[local]\ny\n',
      '```\nx ^[local]\n```\n',
      '<!-- ^[local] -->\nx\n',
      '    x ^[local]\n  - y\n',
    ]) {
      const text = lines.repeat(50_000)
      expect(
        processorTime(() => expect(visibilityOf(text).privateLines.size).toBeGreaterThanOrEqual(99_999)),
      ).toBeLessThan(2000)
    }
    expect(redactPrivate('a ^[local]\nb', visibilityOf('a ^[local]\n\nb')).split('\n')[0]).toBe(redactionPlaceholder)
  })
})

describe('privacy rules', () => {
  it.each([
    ['private', 'private/a.md', true],
    ['private', 'privately/a.md', false],
    ['private/a', 'private/a.md', true],
    ['hidden2/**', 'hidden2/x/a.md', true],
    ['hidden2/**', 'hidden/a.md', false],
    ['*/a.md', 'x/a.md', true],
    ['*/a.md', 'x/y/a.md', false],
    ['**/private/', 'x/y/private/a.md', true],
    ['**/private/', 'notprivate/a.md', false],
    ['*.secret', 'plans.secret.md', true],
    ['/vault/private', 'private/a.md', true],
    ['/elsewhere', 'any/a.md', false],
  ])('rule %j for %j: %s', (rule, path, isLocal) => {
    const rules = rulesForFolder('/vault', resolveRules('/vault', [rule]))
    expect(findRule(path, rules) !== undefined).toBe(isLocal)
  })
})

describe('time limits for reading marks', () => {
  it.each(pathologicalDocuments())('$name', ({ text: whole }) => {
    // Every request waits for this.
    const text = whole.slice(0, rounds(150_000, whole.length))
    for (const note of [text, `${text}\n\n^[local]\n`, `${text} ^[local]`, `---\nvisibilitee: local\n${text}`])
      expect(
        processorTime(() => expect(visibilityOf(note).privateLines.size).toBeLessThanOrEqual(note.length)),
      ).toBeLessThan(rounds(1000, 10_000))
  })
})
