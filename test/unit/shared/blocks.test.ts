import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { describe, expect, it } from 'vitest'
import { frontMatterEnd, frontMatterOf } from '../../../src/shared/markdown/blocks/front-matter.ts'
import { scanBlocks } from '../../../src/shared/markdown/blocks/scan-blocks.ts'

interface Node {
  readonly type: string
  readonly depth?: number | undefined
  readonly children?: readonly Node[] | undefined
  readonly position?: { readonly start: { readonly line: number; readonly column: number } } | undefined
}

/** Returns micromark's headings and fenced code as `line kind`; lines are 0-based. */
function byMicromark(text: string): string[] {
  const lines = text.split('\n')
  const found: string[] = []
  const visit = ({ type, depth, children, position }: Node): void => {
    const { line = 1, column = 1 } = position?.start ?? {}
    if (type === 'heading') found.push(`${line - 1} heading ${depth}`)
    if (type === 'code' && /^[`~]{3}/.test((lines[line - 1] ?? '').slice(column - 1))) found.push(`${line - 1} fence`)
    children?.forEach(visit)
  }
  visit(fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }))
  return found
}

function byScanner(text: string): string[] {
  return scanBlocks(text.split('\n')).flatMap((block) => {
    if (block.kind === 'heading') return [`${block.from} heading ${block.level}`]
    return block.kind === 'fence' ? [`${block.from} fence`] : []
  })
}

const kindsOf = (text: string) => scanBlocks(text.split('\n')).map(({ kind, from, to }) => `${kind} ${from}-${to}`)

describe('Markdown block scanner', () => {
  it.each([
    ['# A\n## B ##\n#C\n####### D\n#', ['0 heading 1', '1 heading 2', '4 heading 1']],
    ['A\n===\nB\n---\n\n---', ['0 heading 1', '2 heading 2']],
    ['- A\n===\n\n> B\n---', []],
    ['- # A\n  B\n  ---\n\n> ## C', ['0 heading 1', '1 heading 2', '4 heading 2']],
    ['```\n# A\n```\n# B', ['0 fence', '3 heading 1']],
    ['````\n```\n# A\n`````\n# B', ['0 fence', '4 heading 1']],
    ['- ```\n  # A\n# B', ['0 fence', '2 heading 1']],
    ['- a\n\n      # no\n\n  # A', ['4 heading 1']],
    ['<div>\n# no\n\n# A\n<!--\n\n# no\n-->\n# B', ['3 heading 1', '8 heading 1']],
    ['| a |\n|---|\n===\n# A', ['3 heading 1']],
    ['# A\r\n```\r\n# no\r\n```\r\nB\r\n==\r\n', ['0 heading 1', '1 fence', '4 heading 1']],
    ['-\t# A\n\n\t# B\n>\t# C', ['0 heading 1', '2 heading 1', '3 heading 1']],
  ])('parses %j like micromark', (text, blocks) => {
    expect(byScanner(text)).toEqual(blocks)
    expect(byMicromark(text)).toEqual(blocks)
  })

  it('agrees with micromark on headings and fences for any text', () => {
    const breaks = ['\n', '\n', '\n', '\n\n', '\r\n', ' ', '  ', '    ', '\t']
    const signs = '- ·* ·-·+ ·1. ·2) ·> ·>·# ·#·## ·```·```js·~~~·````·===·---·--·=·***·`·~·\\·|a|b|·|-|-|·:-:·|'
    const others = 'a·b c·<div>·</div>·<!--·-->·<pre>·<b>·[^f]: '
    const part = fc.constantFrom(...breaks, ...signs.split('·'), ...others.split('·'))
    const text = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (one) => {
        fc.pre(frontMatterEnd(one) === 0)
        expect(byScanner(one).join()).toBe(byMicromark(one).join())
      }),
      { numRuns: 1000 },
    )
  }, 60_000)

  it('returns the range and parent of every block', () => {
    const text = 'a\n\n- b\n  - c\n\n    code\n\n> d\n---\n\n    code\n\n| a |\n| - |\n| b |\n\n<div>'
    expect(kindsOf(text).join(', ')).toBe(
      'paragraph 0-1, item 2-6, paragraph 2-3, item 3-6, paragraph 3-4, paragraph 5-6, quote 7-8, ' +
        'paragraph 7-8, rule 8-9, indentedCode 10-11, table 12-15, html 16-17',
    )
    const nested = scanBlocks(['> - # A'])
    expect([nested[2]?.parent?.kind, nested[2]?.parent?.parent?.kind, nested[0]?.parent]).toEqual([
      'item',
      'quote',
      undefined,
    ])
  })

  it('supports nested lists and math blocks as dialects', () => {
    const logseq = ['# A', '\t- ## B', '\t  ```', 'a', '\t- ## C']
    expect(scanBlocks(logseq).filter(({ kind }) => kind === 'heading')).toHaveLength(1)
    expect(scanBlocks(logseq, { hasNestedLists: true }).filter(({ kind }) => kind === 'heading')).toHaveLength(3)
    const formula = ['$$', '# a', '', 'b $$', '# A']
    expect(scanBlocks(formula, { hasMath: true }).map(({ kind, from }) => `${kind} ${from}`)).toEqual([
      'math 0',
      'heading 4',
    ])
  })

  it('finds front matter only at the start', () => {
    const inside = (text: string) => {
      const matter = frontMatterOf(text)
      return matter && [text.slice(matter.from, matter.to), text.slice(matter.end)]
    }
    expect(inside('---\na: b\n---\nc')).toEqual(['a: b\n', 'c'])
    expect(inside('\uFEFF--- \r\na: b\r\n...\r\nc')).toEqual(['a: b\r\n', 'c'])
    expect(inside('---\n---')).toEqual(['', ''])
    for (const text of ['a\n---\nb\n---', '---\na: b', ' ---\na\n---', '---a\n---', '---\n ---\n----'])
      expect(frontMatterOf(text)).toBeUndefined()
  })

  it.each([
    ['+++\n# a\n+++ \r\nb', ['frontMatter', 'paragraph']],
    ['+++\n# a\n---\nb', ['paragraph', 'heading', 'rule', 'paragraph']],
  ])('finds TOML only at the start: %j', (text, kinds) => {
    expect(scanBlocks(text.split('\n')).map(({ kind }) => kind)).toEqual(kinds)
  })

  it('runs in linear time', () => {
    const much = 200_000
    const texts = [
      ' '.repeat(much) + 'x',
      '`'.repeat(much) + 'a`',
      '# ' + ' #'.repeat(much) + 'x',
      'a\n' + '-'.repeat(much) + 'x',
      '* '.repeat(much) + 'x',
      '- '.repeat(much) + '\n'.repeat(much),
      '<a ' + 'b="c" '.repeat(much),
      '[' + 'a\n'.repeat(much) + '===',
      '[a]: b\n'.repeat(much) + '===',
      'a\n:-\n'.repeat(much),
      '- a\n'.repeat(much),
    ]
    const start = performance.now()
    for (const text of texts) scanBlocks(text.split('\n'))
    expect(performance.now() - start).toBeLessThan(50_000)
  }, 60_000)
})
