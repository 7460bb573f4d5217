import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attachmentKind, attachmentType } from '../../../src/shared/util/attachments.ts'
import { rowOfLine, withIds } from '../../../src/renderer/markdown/document/use-document.ts'
import { parseDocument, sectionOf } from '../../../src/renderer/markdown/parse/parse-document.ts'
import {
  shownProperties,
  toggleTaskBox,
  writeProperty,
  type LineChange,
} from '../../../src/renderer/markdown/parse/line-edits.ts'
import { remarkLineBreaks } from '../../../src/renderer/markdown/parse/plugins.ts'
import { noteHtml } from '../../support/note-html.ts'

const rowsOf = (text: string) => {
  return parseDocument(text).map(({ line, kind, text: rowText }) => `${line} ${kind} ${rowText}`)
}

describe('rows of a note', () => {
  it.each([
    ['blocks with their lines', 'a\nb\n\n\n# c\n\nd', ['1 markdown a\nb', '5 markdown # c', '7 markdown d']],
    ['front matter', '---\nstatus: open\n---\n\ntext', ['2 properties status: open', '5 markdown text']],
    ['a horizontal rule is not front matter', 'a\n\n---\n\nb', ['1 markdown a', '3 markdown ---', '5 markdown b']],
    ['comments are removed, lines stay', 'a %%b%% c\n\n%%\nd\n\ne\n%%\n\nf', ['1 markdown a  c', '9 markdown f']],
    ['comments of HTML', 'a\n\n<!-- b\n\nc -->\n\nd', ['1 markdown a', '7 markdown d']],
    ['no comments in code', '`%%a%%` and\n\n```\n%%b%%\n```', ['1 markdown `%%a%%` and', '3 markdown ```\n%%b%%\n```']],
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
    [
      'Org notes',
      '- #+BEGIN_NOTE\n  [[A]] is good\n  #+END_NOTE\n- b\n\n#+BEGIN_QUOTE\nsaid\n#+END_QUOTE',
      ['1 markdown - > [!note]\n  > [[A]] is good\n  >\n- b', '6 markdown > \n> said\n>'],
    ],
    ['nothing', '', []],
  ])('splits %s', (_name, text, rows) => {
    expect(rowsOf(text)).toEqual(rows)
  })

  it('splits a long list into rows with their lines', () => {
    const text = `# List\n\n${Array.from({ length: 400 }, (_, index) => `- item ${index} **bold** [x](y)`).join('\n')}`
    const rows = parseDocument(text)
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) expect(text.split('\n')[row.line - 1]).toBe(row.text.split('\n')[0])
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

  it('finds the row of a line, also with footnotes at the end', () => {
    const rows = parseDocument('a[^1]\n\n[^1]: note\n\nb\n\nc')
    expect([1, 2, 4, 5, 6, 7, 99].map((line) => rowOfLine(rows, line))).toEqual([0, 0, 0, 1, 1, 2, 2])
    expect(rowOfLine([], 1)).toBe(-1)
  })
})

describe('Markdown extensions of notes', () => {
  it.each([
    ['==marked== and a == b', '<p><mark>marked</mark> and a == b</p>'],
    ['==**bold** too==', '<p><mark><strong>bold</strong> too</mark></p>'],
    ['[[A]] [[A#B|c]]', '<p><a href="#name:A">A</a> <a href="#name:A%23B">c</a></p>'],
    ['![[x.png|200]]', '<note-embed data-target="x.png" data-label="200" data-block="yes"></note-embed>'],
    ['see ![[N#^b]]', '<p>see </p>\n<note-embed data-target="N#^b" data-block="yes"></note-embed>'],
    [
      'a ![[N]] b ![[x.png]]',
      '<p>a </p>\n<note-embed data-target="N" data-block="yes"></note-embed>\n<p> b <note-embed data-target="x.png"></note-embed></p>',
    ],
    [
      'See [[b]] and ![[C d]].\n\n[b]: b.md "B"\n[C d]: C.md',
      '<p>See <a href="#name:b">b</a> and </p>\n<note-embed data-target="C d" data-block="yes"></note-embed>\n<p>.</p>',
    ],
    ['use std::vector  \nline\\\nthree', '<p>use std::vector<br/>\nline<br/>\nthree</p>'],
    ['H~2~O and ~~gone~~', '<p>H~2~O and <del>gone</del></p>'],
    ['[to a page]([[Page]])', '<p><a href="#name:Page">to a page</a></p>'],
    [
      'a #tag/b, `#no` #1 [#no](x)',
      '<p>a <note-tag data-text="tag/b"></note-tag>, <code>#no</code> #1 <a href="x">#no</a></p>',
    ],
    ['text ^id1', '<p>text</p>'],
    ['^id1', ''],
    ['# Head ^x', '<h1>Head</h1>'],
    ['x[^1]', '<p>x<foot-note data-label="1"></foot-note></p>'],
    ['{{embed [[A page]]}}', '<note-embed data-target="A page" data-block="yes"></note-embed>'],
    ['- NOW do\n  now:: 1621585437721', '<ul>\n<li><task-state data-state="NOW"></task-state>do</li>\n</ul>'],
    ['{{query x}}', '<p><quiet-macro data-text="query x"></quiet-macro></p>'],
    ['{{video https://a.b/c}}', '<p><web-page data-address="https://a.b/c"></web-page></p>'],
    ['{{renderer :x, https://a.b/c}}', '<p><quiet-macro data-text="renderer :x, https://a.b/c"></quiet-macro></p>'],
    ['^^marked^^ 2^^3 and ==a ^^ b==', '<p><mark>marked</mark> 2^^3 and <mark>a ^^ b</mark></p>'],
    ['key:: value\nid:: 1', '<p><note-property data-key="key">value</note-property></p>'],
    ['- a\n  id:: 1', '<ul>\n<li>a</li>\n</ul>'],
    ['<kbd>Q</kbd> a<br>b', '<p><kbd>Q</kbd> a<br/>b</p>'],
    [
      '<script>alert(1)</script>',
      '<p><quiet-macro data-text="&lt;script&gt;alert(1)&lt;/script&gt;"></quiet-macro></p>',
    ],
    ['a <b onclick="x">b</b>', '<p>a <b>b</b></p>'],
    ['a <b>b', '<p>a <b>b</b></p>'],
    [
      '- [ ] a\n- b\n- [x] c',
      '<ul class="contains-task-list">\n<li class="task-list-item"><input type="checkbox" disabled="" data-line="1"/> a</li>\n<li>b</li>\n<li class="task-list-item"><input type="checkbox" disabled="" data-line="3" checked=""/> c</li>\n</ul>',
    ],
    [
      '- [/] a\n- [-] b *c*\n- [?]no',
      '<ul class="contains-task-list">\n<li class="task-list-item"><task-mark data-mark="/" data-line="1"></task-mark>a</li>\n<li class="task-list-item"><task-mark data-mark="-" data-line="2"></task-mark><del>b <em>c</em></del></li>\n<li>[?]no</li>\n</ul>',
    ],
    [
      '1. [>] a\n\n   more',
      '<ol class="contains-task-list">\n<li class="task-list-item">\n<p><task-mark data-mark="&gt;" data-line="1"></task-mark>a</p>\n<p>more</p>\n</li>\n</ol>',
    ],
    [
      '> [!tip]- Title\n> body',
      '<call-out data-kind="tip" data-fold="-"><call-out-title>Title</call-out-title><p>body</p></call-out>',
    ],
    [
      '> [!note]\n> body',
      '<call-out data-kind="note" data-fold=""><call-out-title>Note</call-out-title><p>body</p></call-out>',
    ],
    ['> only a quote', '<blockquote>\n<p>only a quote</p>\n</blockquote>'],
    ['![a|100](b%20c.png)', '<p><img src="b%20c.png" alt="a|100"/></p>'],
    ['- TODO do', '<ul>\n<li><task-state data-state="TODO"></task-state>do</li>\n</ul>'],
  ])('renders %j', (text, expected) => {
    const shown = noteHtml(text)
    expect(shown).toBe(expected)
  })

  it.each([
    ['a\nb *c\nd*', '<p>a<br/>\nb <em>c<br/>\nd</em></p>'],
    ['a  \nb\\\nc', '<p>a<br/>\nb<br/>\nc</p>'],
    ['- a\n  b\n- c', '<ul>\n<li>a<br/>\nb</li>\n<li>c</li>\n</ul>'],
    ['`a\nb`', '<p><code>a b</code></p>'],
    ['a\n![[x.png]]\nb', '<p>a<br/>\n<note-embed data-target="x.png"></note-embed><br/>\nb</p>'],
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
    ['  1. [x] [ ] a', 'x', '  1. [ ] [ ] a'],
    ['> - [X] a', 'x', '> - [ ] a'],
    ['- [x] a', ' ', undefined],
    ['[ ] a', ' ', undefined],
    ['- [ ]a', ' ', undefined],
    ['- [/] begun', '/', '- [x] begun'],
    ['- [>] forwarded', '>', '- [x] forwarded'],
    ['- [-] given up', '-', '- [ ] given up'],
    ['- [🎉] a', '🎉', '- [x] a'],
    ['- [/] a', '-', undefined],
  ])('toggles %j, shown as %j', (line, was, after) => {
    expect(changed(line, toggleTaskBox(was))).toBe(after)
  })

  it.each([
    ['status: open # why', 'status', 'open', 'done', 'status: done # why'],
    ['title: "A: b"', 'title', 'A: b', 'C', 'title: C'],
    ['a: x', 'a', 'x', 'y: z', 'a: "y: z"'],
    ['a:', 'a', '', 'x', 'a: x'],
    ['a: 2024-05-21', 'a', '2024-05-21', '2024-05-22', 'a: 2024-05-22'],
    ['a: x', 'a', 'y', 'z', undefined],
    ['b: x', 'a', 'x', 'z', undefined],
    ['done: false', 'done', false, true, 'done: true'],
    ['a: ~', 'a', '', 'true', 'a: "true"'],
    ['a: Null # none', 'a', '', 'v', 'a: v # none'],
    ['a:', 'a', '', 'v', 'a: v'],
    ['a: # empty', 'a', '', 'v', 'a: v # empty'],
    ['hash: x', 'hash', 'x', '', 'hash:'],
    ['a:  "x" # why', 'a', 'x', '', 'a: # why'],
    ['a: x  ', 'a', 'x', '', 'a:'],
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
    [undefined, note.slice(note.indexOf('# One'))],
    ['Two', '## Two\n\nunder ^id\n\n- item ^i\n  - below\n- next\n'],
    ['one', note.slice(note.indexOf('# One'), note.indexOf('# Three') - 1)],
    ['^id', 'under ^id'],
    ['^i', '- item ^i\n  - below'],
    ['^table', '| t |\n|---|'],
    ['Nothing', undefined],
  ])('#%s', (fragment, part) => {
    expect(sectionOf(note, fragment)).toBe(part)
  })

  it('excludes front matter and headings from a block', () => {
    expect(sectionOf('---\na: b\n---\ntext ^x', '^x')).toBe('text ^x')
    expect(sectionOf('# One\ntext\nmore ^x', '^x')).toBe('text\nmore ^x')
    expect(sectionOf('text\n# One ^x\nmore', '^x')).toBe('# One ^x')
  })

  it.each([
    ['a.PNG', 'image/png', 'image'],
    ['b.pdf', 'application/pdf', 'document'],
    ['c.mp3', 'audio/mpeg', 'audio'],
    ['d.md', undefined, undefined],
    ['e.html', undefined, undefined],
    ['f.constructor', undefined, undefined],
    ['png', undefined, undefined],
  ])('%s is %s', (path, type, kind) => {
    expect(attachmentType(path)).toBe(type)
    expect(attachmentKind(path)).toBe(kind)
  })
})
