import { describe, expect, it } from 'vitest'
import { lineOfFragment, slugOf } from '../../../../src/shared/markdown/links/fragment.ts'
import { parseLinks } from '../../../../src/shared/markdown/links/parse-links.ts'
import { namesOf, parseProperties } from '../../../../src/shared/markdown/properties/parse-properties.ts'
import { pageNames } from '../../../../src/shared/markdown/links/resolve-link.ts'
import { expectLinear } from '../../../support/processor-time.ts'

const shown = (text: string) =>
  parseLinks(text).links.map((link) => {
    expect(text.slice(link.targetFrom, link.targetTo)).toBe(link.written)
    return `${link.isEmbed ? '!' : ''}${link.kind[0]}:${link.target}${link.fragment === undefined ? '' : `#${link.fragment}`}@${link.line}`
  })

describe('link parser', () => {
  it.each([
    ['[[Note]]', ['w:Note@1']],
    ['[[Note#Head ing#Sub|label [x] y]]', ['w:Note#Head ing#Sub@1']],
    ['[[Note^x]] [[#Here]] [[Note#^abc]]', ['w:Note^x@1', 'w:#Here@1', 'w:Note#^abc@1']],
    ['![[pic.png|200]]', ['!w:pic.png@1']],
    ['| a | [[Note\\|label]] |', ['w:Note@1']],
    ['[[outer [[inner]] x]]', ['w:inner@1']],
    ['{{embed [[Page]]}} #[[Two words]] [label]([[Page]])', ['w:Page@1', 'w:Two words@1', 'w:Page@1']],
    [
      '[t](<a b.md>) [t](a%20b.md) [t](a\\(1\\).md) [t](a(1).md)',
      ['i:a b.md@1', 'i:a b.md@1', 'i:a(1).md@1', 'i:a(1).md@1'],
    ],
    ['[t](x y.md) [t](https://a.b/c.md) [t](mailto:a@b) [t](//a/b) [t]()', []],
    ['[a [b] c](x.md) ![alt](p.png) [![alt](p.png)](x.md)', ['i:x.md@1', '!i:p.png@1', 'i:x.md@1', '!i:p.png@1']],
    ['text\n\n[id]: <a b.md> "t"\n[^1]: note.md\n[//b]: # "x"', ['d:a b.md@3', 'd:#@5']],
    ['`[[no]]` ``a ` [[no]]`` [[yes]]', ['w:yes@1']],
    ['```\n[[no]]\n```\n[[yes]]\n~~~ js\n[[no]]\n', ['w:yes@4']],
    ['    [[no]]\n\n- a\n\n    [[yes]]\n\t- [[yes]]', ['w:yes@5', 'w:yes@6']],
    ['%% [[no]]\n[[no]] %% [[yes]] <!-- [[no]]\n\n[[no]] --> [[yes]]', ['w:yes@2', 'w:yes@4']],
    ['\uFEFF---\r\nup: "[[Above]]"\r\n---\r\n[[yes]]\r\n', ['w:Above@2', 'w:yes@4']],
  ])('%j', (text, links) => expect(shown(text)).toEqual(links))

  it('finds headings and blocks outside code', () => {
    const { headings, blocks } = parseLinks(
      '# One #\n\n```\n# no\n```\n- ## Two ^two\ntext ^a-1\n  id:: 64a1b2c3-0000-4000-8000-000000000000\n',
    )
    expect(headings).toEqual([
      { title: 'One', level: 1, line: 1 },
      { title: 'Two', level: 2, line: 6 },
    ])
    expect(blocks.map(({ id, line }) => `${id}@${line}`)).toEqual([
      'two@6',
      'a-1@7',
      '64a1b2c3-0000-4000-8000-000000000000@7',
    ])
  })

  it.each([
    ['Setup', 3],
    ['Linux#Setup', 9],
    ['Linux: the 1st!', 7],
    ['setup-1', 9],
    ['^blk', 4],
    ['L5', 5],
    ['nowhere', undefined],
  ])('resolves the fragment %s to a line', (fragment, line) => {
    const text = '# Mac\n\n## Setup\nx ^BLK\n\n\n# Linux: the 1st\n\n## Setup\n'
    const parsed = parseLinks(text)
    expect(lineOfFragment(fragment === 'Linux#Setup' ? 'Linux the 1st#Setup' : fragment, parsed)).toBe(line)
  })

  it('creates the same slugs as GitHub', () => expect(slugOf('Héllo, World: 2.0 & more')).toBe('héllo-world-20--more'))

  it.each([
    ['---\ntitle: My note\naliases: [One, "Two, three"]\n---\n', ['My note', 'One', 'Two, three']],
    ['---\naliases:\n- One\n- 2\nother: [\n---\n', ['One', '2']],
    ['title:: A/B\nalias:: [[C]], D\n\n- text\nalias:: no', ['A/B', 'C', 'D']],
    ['text\ntitle: no\n', []],
  ])('%j defines names', (text, names) => expect(namesOf(parseProperties(text))).toEqual(names))

  it.each([
    ['pages/a___b.md', ['a/b']],
    ['journals/2025_01_31.md', ['Jan 31st, 2025', '2025-01-31']],
    ['a.md', []],
  ])('%s is a Logseq page', (path, names) => expect(pageNames(path)).toEqual(names))

  it('runs in linear time for any input', () => {
    for (const piece of ['[[a|', '[](a "', '[](a (', '`a ``', '<!-- ', '[[[', '](', '\\', '%%a', '> '])
      expectLinear((length) => parseLinks(piece.repeat(length / piece.length)), 15_000, piece)
  })
})
