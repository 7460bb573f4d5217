import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withIds } from '../../../src/renderer/markdown/document/use-document.ts'
import { parseDocument, sectionOf } from '../../../src/renderer/markdown/parse/parse-document.ts'
import {
  shownProperties,
  toggleTaskBox,
  writeProperty,
  type LineChange,
} from '../../../src/renderer/markdown/parse/line-edits.ts'
import { remarkLineBreaks } from '../../../src/renderer/markdown/parse/plugins.ts'
import { noteHtml } from '../../support/note-html.ts'

const rowsOf = (text: string) =>
  parseDocument(text).map(({ line, kind, text: rowText }) => `${line} ${kind} ${rowText}`)

describe('rows of a note', () => {
  it.each([
    ['blocks with their lines', 'a\nb\n\n\n# c\n\nd', ['1 markdown a\nb', '5 markdown # c', '7 markdown d']],
    ['front matter', '---\nstatus: open\n---\n\ntext', ['2 properties status: open', '5 markdown text']],
    ['comments are removed, lines stay', 'a %%b%% c\n\n%%\nd\n\ne\n%%\n\nf', ['1 markdown a  c', '9 markdown f']],
    [
      'footnotes last, in order of use',
      'x[^b] y[^a]\n\n[^a]: one\n[^b]: two\n    more\n\nz',
      ['1 markdown x[^b] y[^a]', '7 markdown z', '4 footnote two\nmore', '3 footnote one'],
    ],
    [
      'inline footnotes, numbered with the others',
      'a\n\nx^[see [this](y)] y[^a] z^[web: a.b] `^[c]` $k^[d]$\n\n[^a]: one',
      [
        '1 markdown a',
        '3 markdown x[^^1] y[^a] z^[web: a.b] `^[c]` $k^[d]$',
        '3 footnote see [this](y)',
        '5 footnote one',
      ],
    ],
    ['Org blocks', '#+BEGIN_SRC js\nx\n#+END_SRC', ['1 markdown ```js\nx\n```']],
  ])('splits %s', (_name, text, rows) => {
    expect(rowsOf(text)).toEqual(rows)
  })

  it('gives each row its first line for any text', () => {
    const line = fc.constantFrom(
      '',
      'text',
      '- item',
      '  more',
      '```',
      '| a |',
      '|---|',
      '# h',
      '> q',
      '%%',
      '[^a]: n',
      '\ttab',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (all) => {
        for (const row of parseDocument(all.join('\n')))
          if (row.kind === 'markdown') {
            const first = row.text.split('\n', 1)[0]?.replaceAll('%%', '').trim()
            expect(all[row.line - 1]?.replaceAll('%%', '').trim()).toBe(first)
          }
      }),
    )
  })

  it('keeps the ids of rows that are the same or edited', () => {
    const block = fc.constantFrom('one', 'two', '- a\n- b', '# h', '[^1]: note', 'see[^1]')
    const blocks = fc.array(block, { maxLength: 20 })
    fc.assert(
      fc.property(blocks, blocks, (before, after) => {
        const rows = parseDocument(after.join('\n\n'))
        const now = withIds(withIds([], parseDocument(before.join('\n\n'))), rows)
        expect(now).toEqual(rows.map((row) => ({ ...row, id: expect.any(Number) as number })))
        expect(new Set(now.map((row) => row.id)).size).toBe(now.length)
      }),
    )
    const first = withIds([], parseDocument('a\n\nb\n\nc'))
    const [a, b, c] = first.map(({ id }) => id)
    const idsOf = (text: string) => withIds(first, parseDocument(text)).map(({ id }) => id)
    expect(idsOf('a\n\nb!\n\nc')).toEqual([a, b, c])
    expect(idsOf('a\n\nc')).toEqual([a, c])
    expect(idsOf('a\n\nnew\n\nb\n\nc')).toEqual([a, expect.any(Number), b, c])
  })
})

describe('Markdown extensions of notes', () => {
  it.each([
    ['==marked== and a == b', '<p><mark>marked</mark> and a == b</p>'],
    ['[[A]] [[A#B|c]]', '<p><a href="#name:A">A</a> <a href="#name:A%23B">c</a></p>'],
    ['see ![[N#^b]]', '<p>see </p>\n<note-embed data-target="N#^b" data-block="yes"></note-embed>'],
    [
      'See [[b]] and ![[C d]].\n\n[b]: b.md "B"\n[C d]: C.md',
      '<p>See <a href="#name:b">b</a> and </p>\n<note-embed data-target="C d" data-block="yes"></note-embed>\n<p>.</p>',
    ],
    [
      'a #tag/b, `#no` #1 [#no](x)',
      '<p>a <note-tag data-text="tag/b"></note-tag>, <code>#no</code> #1 <a href="x">#no</a></p>',
    ],
    ['text ^id1', '<p>text</p>'],
    ['{{embed [[A page]]}}', '<note-embed data-target="A page" data-block="yes"></note-embed>'],
    ['- NOW do\n  now:: 1621585437721', '<ul>\n<li><task-state data-state="NOW"></task-state>do</li>\n</ul>'],
    ['{{renderer :x, https://a.b/c}}', '<p><quiet-macro data-text="renderer :x, https://a.b/c"></quiet-macro></p>'],
    ['key:: value\nid:: 1', '<p><note-property data-key="key">value</note-property></p>'],
    ['<kbd>Q</kbd> a<br>b', '<p><kbd>Q</kbd> a<br/>b</p>'],
    [
      '- [ ] a\n- b\n- [x] c',
      '<ul class="contains-task-list">\n<li class="task-list-item"><input type="checkbox" disabled="" data-line="1"/> a</li>\n<li>b</li>\n<li class="task-list-item"><input type="checkbox" disabled="" data-line="3" checked=""/> c</li>\n</ul>',
    ],
    [
      '> [!tip]- Title\n> body',
      '<call-out data-kind="tip" data-fold="-"><call-out-title>Title</call-out-title><p>body</p></call-out>',
    ],
    ['![a|100](b%20c.png)', '<p><img src="b%20c.png" alt="a|100"/></p>'],
  ])('renders %j', (text, expected) => {
    const shown = noteHtml(text)
    expect(shown).toBe(expected)
  })

  it.each([
    ['a\nb *c\nd*', '<p>a<br/>\nb <em>c<br/>\nd</em></p>'],
    ['- a\n  b\n- c', '<ul>\n<li>a<br/>\nb</li>\n<li>c</li>\n</ul>'],
    ['`a\nb`', '<p><code>a b</code></p>'],
  ])('renders newlines as line breaks: %j', (text, expected) => {
    expect(noteHtml(text, [remarkLineBreaks])).toBe(expected)
  })

  it('creates no element or address that runs scripts', () => {
    const piece = fc.constantFrom(
      '<img src=x onerror=alert(1)>',
      '[[',
      ']]',
      '![[',
      '|',
      '==',
      '{{',
      '}}',
      '`',
      'javascript:alert(1)',
      '](',
      ')',
      '[',
      '<a href="javascript:x">',
      '</a>',
      '> [!note]',
      '\n',
      'text',
      '<svg onload=x>',
      '<iframe src="javascript:x">',
      '<iframe src=https://a.b>',
      '<td onclick=x style="background:url(//a.b)">',
      '<video src="data:x" onerror=x>',
      '<div>',
      '</p>',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const shown = noteHtml(pieces.join(''))
        // Attribute values are text.
        expect(shown.replaceAll(/data-\w+="[^"]*"/g, '')).not.toMatch(
          /<(?:script|svg|iframe|object|video)|<[^>]*\son\w+=|(?:href|src)="(?:javascript|data):|style="[^"]*url/i,
        )
      }),
    )
  })
})

const changed = (line: string, change: LineChange) => {
  const edit = change(line)
  return edit ? line.slice(0, edit.from) + edit.text + line.slice(edit.to) : undefined
}

describe('line edits', () => {
  it.each([
    ['- [ ] a', ' ', '- [x] a'],
    ['- [x] a', ' ', undefined],
    ['[ ] a', ' ', undefined],
    ['- [/] begun', '/', '- [x] begun'],
    ['- [-] given up', '-', '- [ ] given up'],
  ])('toggles %j, shown as %j', (line, was, after) => {
    expect(changed(line, toggleTaskBox(was))).toBe(after)
  })

  it.each([
    ['status: open # why', 'status', 'open', 'done', 'status: done # why'],
    ['a: x', 'a', 'x', 'y: z', 'a: "y: z"'],
    ['a: x', 'a', 'y', 'z', undefined],
    ['done: false', 'done', false, true, 'done: true'],
    ['a: ~', 'a', '', 'true', 'a: "true"'],
  ])('in %j, changes %s from %j to %j', (line, key, was, now, after) => {
    expect(changed(line, writeProperty(key, was, now))).toBe(after)
  })

  it('parses front matter into properties, or returns undefined', () => {
    const matter = 'title: A\ntags: [a, b]\ndone: true\ndate: 2024-05-21\nlong: |\n  x\n  y\nmap: { a: 1 }\nempty:'
    const properties = shownProperties(matter) ?? []
    expect(properties.map(({ key, value, line }) => [key, value.kind, line])).toEqual([
      ['title', 'text', 0],
      ['tags', 'list', 1],
      ['done', 'flag', 2],
      ['date', 'text', 3],
      ['long', 'text', 4],
      ['map', 'other', 7],
      ['empty', 'text', 8],
    ])
    expect(properties.filter(({ value }) => value.kind === 'text' && value.isOwn).map(({ key }) => key)).toEqual([
      'title',
      'date',
      'empty',
    ])
    expect(shownProperties('aliases:\n-\ntags:\n- a\n-')?.map(({ value }) => value)).toEqual([
      { kind: 'list', items: [] },
      { kind: 'list', items: ['a'] },
    ])
    expect(shownProperties('a: [')).toBeUndefined()
    expect(shownProperties('just words')).toBeUndefined()
    expect(shownProperties('')).toEqual([])
  })
})

describe('embedded sections', () => {
  const note =
    '---\na: b\n---\n# One\n\ntext\n\n## Two\n\nunder ^id\n\n- item ^i\n  - below\n- next\n\n# Three\n\n| t |\n|---|\n\n^table\n'
  it.each([
    ['Two', '## Two\n\nunder ^id\n\n- item ^i\n  - below\n- next\n'],
    ['^id', 'under ^id'],
    ['^i', '- item ^i\n  - below'],
    ['Nothing', undefined],
  ])('#%s', (fragment, part) => {
    expect(sectionOf(note, fragment)).toBe(part)
  })
})
