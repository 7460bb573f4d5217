import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as chinese from '../../../src/renderer/lib/util/chinese-names.ts'
import { completionsAt } from '../../../src/renderer/chat/composer/completion.ts'
import { hasMath, normalizeFormulas, normalizeMath } from '../../../src/renderer/markdown/parse/math.ts'
import { parseDocument } from '../../../src/renderer/markdown/parse/parse-document.ts'

const splitBlocks = (text: string) => parseDocument(text, 'answer').map((row) => row.text)

describe('Markdown blocks', () => {
  it.each([
    ['paragraphs', 'one\ntwo\n\nthree', ['one\ntwo', 'three']],
    ['a fence with empty lines', 'a\n\n```js\nx\n\ny\n```\n\nb', ['a', '```js\nx\n\ny\n```', 'b']],
    ['a fence that is still open', '```\nx\n\ny', ['```\nx\n\ny']],
    ['a loose list', '- a\n\n- b\n\n  more\n\nc', ['- a\n\n- b\n\n  more', 'c']],
    ['a formula with empty lines', '$$\nx\n\ny\n$$\n\nb', ['$$\nx\n\ny\n$$', 'b']],
  ])('splits %s', (_name, text, blocks) => {
    expect(splitBlocks(text)).toEqual(blocks)
  })

  it('adds definitions to the blocks that use them and lists footnotes at the end', () => {
    expect(splitBlocks('see [x]\n\nand [x]\n\n[x]: https://example.com')[1]).toBe('and [x]\n\n[x]: https://example.com')
    expect(splitBlocks('a[^1]\n\n[^1]: b [x]\n\nc\n\n[x]: y')).toEqual(['a[^1]', 'c', 'b [x]\n\n[x]: y'])
  })

  it('loses nothing and keeps earlier blocks while the text grows', () => {
    const line = fc.constantFrom('', 'text', '- item', '  more', '```', '$$', '| a |', '# h', '1. one', '> q')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.array(line, { maxLength: 8 }), (before, after) => {
        const whole = [...before, ...after]
        const blocks = splitBlocks(whole.join('\n'))
        const content = (lines: readonly string[]) => lines.filter((text) => text.trim() !== '')
        expect(content(blocks.join('\n').split('\n'))).toEqual(content(whole))
        const early = splitBlocks(before.join('\n'))
        expect(blocks.slice(0, Math.max(0, early.length - 1))).toEqual(early.slice(0, -1))
      }),
    )
  })
})

describe('formulas', () => {
  it.each([
    ['\\(x^2\\)', '$$x^2$$', true],
    ['so $x$ is', 'so $$x$$ is', true],
    ['$5 and $10', '$5 and $10', false],
    ['US$5 and $x$', 'US$5 and $$x$$', true],
  ])('%j becomes %j', (text, normalized, isMath) => {
    expect(normalizeMath(text)).toBe(normalized)
    expect(hasMath(normalized)).toBe(isMath)
  })
})

describe('formulas in notes', () => {
  it.each([
    ['$x^2$ costs $5', '$$x^2$$ costs $5'],
    ['$$\\begin{vmatrix}a\\\\\nb\n\\end{vmatrix}$$', '$$\n\\begin{vmatrix}a\\\\\nb\n\\end{vmatrix}\n$$'],
    ['- $$a\n  b$$\n- c', '- $$\n  a\n  b\n  $$\n- c'],
    ['```\n$$a\nb$$\n```', '```\n$$a\nb$$\n```'],
  ])('normalizes %j', (text, expected) => {
    expect(normalizeFormulas(text)).toBe(expected)
  })
})

describe('completion', () => {
  const files = [
    'MEMORY.md',
    'memory/2026-01-20.md',
    'memory/projects/acme.md',
    'AGENTS.md',
    'notes/会议.md',
    'notes/café.md',
    'notes/file10.md',
    'notes/file2.md',
  ]

  it.each([
    ['/re', 3, ['reset', 'remember']],
    ['say /re', 7, []],
    ['see @acm', 8, ['memory/projects/acme.md']],
    ['请看@会', 4, ['notes/会议.md']],
    ['请看＠hy', 5, ['notes/会议.md']],
    ['@file', 5, ['notes/file2.md', 'notes/file10.md']],
  ])('%j at %i offers %j', (text, caret, labels) => {
    expect(completionsAt(text, caret, files, chinese).items.map(({ label }) => label)).toEqual(labels)
  })
})
