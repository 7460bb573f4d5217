import { describe, expect, it } from 'vitest'
import { linkLabel } from '../../../src/renderer/lib/notes/note-titles.ts'
import { parseDocument, sectionOf } from '../../../src/renderer/markdown/parse/parse-document.ts'
import { remarkLineBreaks } from '../../../src/renderer/markdown/parse/plugins.ts'
import { splitTarget } from '../../../src/shared/markdown/links/parse-links.ts'
import { noteHtml } from '../../support/note-html.ts'

const id = '60ab6f5b-4bdc-4ef0-a0f8-6cad9dcad2b2'

describe('notes of real vaults', () => {
  it('adds link definitions to each part of a long table or list', () => {
    for (const [head, row] of [
      ['| a | b |\n|---|---|\n', '| [b] | [[c]] **some** words |'],
      ['', '- [b] and [[c]] **some** words'],
    ] as const) {
      const rows = parseDocument(`${head}${`${row}\n`.repeat(400)}\n[b]: b.md "B"\n[c]: c.md`)
      expect(rows.length).toBeGreaterThan(2)
      for (const { text } of rows) {
        expect(text).toMatch(/words(?: \|)?\n\n\[b\]: b\.md "B"\n\[c\]: c\.md$/)
        expect(noteHtml(text)).toContain('href="b.md"')
      }
    }
  })

  it.each([
    ['obsidian', 'A#B', 'Note', 'A > B'],
    ['obsidian', '#B', undefined, 'B'],
    ['foam', 'a', 'Note', 'Note'],
    ['foam', 'a#B', 'Note', 'Note#B'],
    ['logseq', 'A#B', 'Note', 'A#B'],
  ])('in a vault of %s, [[%s]] with the title %s is labelled %s', (kind, target, title, name) => {
    expect(linkLabel(kind, splitTarget(target), title)).toBe(name)
  })

  it.each([
    [`a ((${id})) b`, `<p>a <block-reference data-target="${id}"></block-reference> b</p>`],
    [`{{embed ((${id}))}}`, `<note-embed data-target="((${id}))" data-block="yes"></note-embed>`],
    [`\`((${id}))\``, `<p><code>((${id}))</code></p>`],
  ])('links Logseq blocks by id: %j', (text, expected) => {
    expect(noteHtml(text)).toBe(expected)
  })

  it('resolves an id to the block above it with its properties and children', () => {
    const note = `- one\n\t- two\n\t  collapsed:: true\n\t  id:: ${id}\n\t\t- below\n- three\n`
    expect(sectionOf(note, `^${id}`)).toBe(`- two\n  collapsed:: true\n  id:: ${id}\n\t- below`)
  })

  it.each([
    [
      'type:: [[A]]\nname:: b\n\ntext',
      '<p><note-property data-key="type"><a href="#name:A">A</a></note-property><note-property data-key="name">b</note-property></p>\n<p>text</p>',
    ],
    ['- text\n  key:: a\n  more', '<ul>\n<li>text<note-property data-key="key">a</note-property>more</li>\n</ul>'],
  ])('puts properties on separate lines without line breaks: %j', (text, expected) => {
    expect(noteHtml(text, [remarkLineBreaks])).toBe(expected)
  })
})
