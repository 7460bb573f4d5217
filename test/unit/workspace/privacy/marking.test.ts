/** Where a new privacy mark goes, and that it changes nothing but the privacy of one entry. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanBlocks, withoutDefinitions } from '../../../../src/shared/markdown/blocks/scan-blocks.ts'
import { hasContent, withPrivateLines } from '../../../../src/shared/markdown/visibility-edit.ts'
import { visibilityOf } from '../../../../src/shared/markdown/visibility.ts'
import { rounds } from '../../../support/thorough.ts'

const mark = '^[private]'
const comment = `<!-- ${mark} -->`

describe('withPrivateLines()', () => {
  it.each([
    ['a paragraph', 'a\nb\n\nc', 0, `a\nb ${mark}\n\nc`],
    ['a block id', 'a ^id', 0, `a ${mark} ^id`],
    ['a heading', '## a\n\nb', 0, `## a ${mark}\n\nb`],
    ['an underlined heading', 'a\nb\n===\nc', 0, `a\nb ${mark}\n===\nc`],
    ['an item', '- a\n  b\n\n  c\n- d', 0, `- a\n  b ${mark}\n\n  c\n- d`],
    ['an item of code alone', '- ```\n  a\n  ```\n- b', 1, `- \`\`\`\n  a\n  \`\`\`\n  ${comment}\n- b`],
    ['a quote of code alone', '> ```\n> a\n> ```', 1, `> \`\`\`\n> a\n> \`\`\`\n> ${comment}`],
    ['a table row', '| a | b |\n|---|---|\n| c | d |', 2, `| a | b |\n|---|---|\n| c | d ${mark} |`],
    ['code', 'a\n```sh\nb\n```', 2, `a\n${comment}\n\`\`\`sh\nb\n\`\`\``],
    [
      'code at the start, with line ends of Windows',
      '\uFEFF```\r\na\r\n```\r\n',
      1,
      `\uFEFF${comment}\r\n\`\`\`\r\na\r\n\`\`\`\r\n`,
    ],
    ['a formula', 'a\n\n$$\nb\n$$', 3, `a\n\n${comment}\n$$\nb\n$$`],
    ['HTML', '<div>\na\n</div>', 1, `${comment}\n<div>\na\n</div>`],
    ['a link definition', '[a]: https://a.example "b"', 0, `${comment}\n[a]: https://a.example "b"`],
    ['a footnote', '[^1]: a\n\n    b', 2, `[^1]: a\n\n    b ${mark}`],
    ['a key', '---\ntitle: a\ntags: b\n---\nc', 1, `---\ntitle: a # ${mark}\ntags: b\n---\nc`],
    ['a key with a list below', '---\ntags:\n  - a\n---\nc', 2, `---\ntags: # ${mark}\n  - a\n---\nc`],
    ['a YAML comment', '---\n# a\ntags: b\n---\nc', 1, `---\n# ${mark}\n# a\ntags: b\n---\nc`],
    ['TOML', '+++\na = "b"\n+++\nc', 1, `+++\n# ${mark}\na = "b"\n+++\nc`],
  ])('marks %s', (_, text, line, expected) => {
    const made = withPrivateLines(text, (at) => at === line)
    expect(made).toBe(expected)
    expect(withPrivateLines(made, (at) => expected.split('\n')[at] === text.split('\n')[line])).toBe(expected)
  })

  const kindsOf = (text: string) =>
    scanBlocks(text.split('\n'), { hasNestedLists: true, hasMath: true }).map((block) => ({
      kind: block.kind,
      info: block.kind === 'fence' ? block.info : '',
      text: text.split('\n').slice(block.from, block.to).join('\n'),
    }))

  /** Blocks that one mark covers, with `#` for a unique number; an item with its own item is covered by its first line. */
  const block = fc.constantFrom(
    'w#\nw#',
    'w# ^id#',
    '# w#',
    '## w# ##',
    '### w#',
    'w#\nw#\n===',
    'w#\n---',
    '- w#\n  w#\n\n  w#\n  ```\n  w#\n  ```',
    '- ```js\n  w#\n  ```',
    '- - w#\n\n      w#',
    '1. [w#]: https://w#.example',
    '- [ ] w#\n\n  | w# | w# |\n  |---|---|\n  | w# | w# |',
    '> w#\n> - w#\n>\n> ## w#\n> w#\nw#',
    '> ```\n> w#\n>\n> w#\n> ```',
    '```js\nw#\n\n# w#\n```',
    '~~~\nw#',
    '    w#\n\n    w#',
    '$$\nw#\n\nw#\n$$',
    '<div>\nw#\n</div>',
    '<!-- w#\n\nw# -->',
    '[w#]: https://w#.example "w#"\n[w#]: <w#>',
    '[^w#]: w#\n\n    w#',
    '| w# | w# |\n|---|---|\n| w# | w# |\n| w# | |',
    'w# | w#\n--- | ---\nw#',
  )
  const matter = fc.constantFrom(
    '',
    '+++\nw# = "w#"\nw# = """\nw#\n"""\n+++',
    '---\nw#:\n- w#\n- w#\n---',
    '---\nw#: "w#\n  w#"\n---',
    '---\nw#: >-\n  w#\n\n  # w#\n---',
  )
  const note = fc.tuple(matter, fc.array(block, { minLength: 1, maxLength: 12 })).map(([matter, blocks]) => {
    let count = 0
    // After an item, indented code would be part of it.
    const parts = [matter, ...blocks].flatMap((part) =>
      part.startsWith('    ') ? ['***', part] : part === '' ? [] : part,
    )
    return parts.map((part) => part.replaceAll(/w#/g, () => `w${(count += 1)}`).replace('^id#', '^id'))
  })
  const levelOf = (part: string) => {
    if (/^\S+\n(?:\S+\n)?(?:===|---)$/.test(part)) return part.endsWith('=') ? 1 : 2
    return /^(#+) /.exec(part)?.[1]?.length ?? 0
  }

  it('makes one entry private, and changes nothing else', () => {
    fc.assert(
      fc.property(note, fc.nat(), fc.nat(), fc.constantFrom('\n', '\r\n'), (parts, which, where, end) => {
        const texts = parts.map((part) => part.replaceAll('\n', end))
        // An unclosed fence contains all that follows.
        const open = texts.findIndex((part) => part.startsWith('~~~'))
        if (open >= 0) texts.splice(open + 1)
        const at = which % texts.length
        const text = texts.join(end + end) + end
        const first =
          texts
            .slice(0, at)
            .join(end + end)
            .split('\n').length + (at === 0 ? -1 : 1)
        const lines = (texts[at] ?? '').split('\n')
        const line = where % lines.length
        const level = levelOf(parts[at] ?? '')
        const next = texts.findIndex(
          (_, index) => index > at && levelOf(parts[index] ?? '') > 0 && levelOf(parts[index] ?? '') <= level,
        )
        const covered = level > 0 ? texts.slice(at, next < 0 ? undefined : next) : [texts[at] ?? '']
        const made = withPrivateLines(text, (index) => index === first + line)
        const { isFullyPrivate, privateLines } = visibilityOf(made)
        if (!hasContent(lines[line] ?? '')) return made === text
        expect(isFullyPrivate).toBe(false)
        const privateWords = made
          .split('\n')
          .flatMap((one, index) => (privateLines.has(index) ? (one.match(/\bw\d+\b/g) ?? []) : []))
        expect(privateWords).toEqual(covered.join('\n').match(/\bw\d+\b/g))
        const openLines = made.split('\n').filter((_, index) => !privateLines.has(index))
        const otherParts = texts.filter((_, index) => index < at || index >= at + covered.length)
        const wordLines = (all: readonly string[]) => all.map((one) => one.trimEnd()).filter((one) => /w\d/.test(one))
        expect(wordLines(openLines)).toEqual(wordLines(otherParts.join('\n').split('\n')))
        const unmarked = (blocks: ReturnType<typeof kindsOf>) =>
          blocks
            .filter((one) => one.text.replace(/^[\s>]*/, '').trim() !== comment)
            .map(({ kind, info, text }) => [kind, info, kind === 'paragraph' && withoutDefinitions(text.trim()) === ''])
        expect(unmarked(kindsOf(made))).toEqual(unmarked(kindsOf(text)))
        expect(/(?<!\r)\n/.test(made)).toBe(end === '\n' && made.includes('\n'))
        return true
      }),
      { numRuns: rounds(1000, 5000) },
    )
  })
})
