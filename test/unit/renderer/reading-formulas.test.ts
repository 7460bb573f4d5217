import { describe, expect, it } from 'vitest'
import { normalizeFormulas } from '../../../src/renderer/markdown/parse/formulas.ts'

describe('formulas in notes', () => {
  it.each([
    ['$x^2$ costs $5', '$$x^2$$ costs $5'],
    ['**Use \\[\\[Wikilinks\\]\\]** and \\(a\\)', '**Use \\[\\[Wikilinks\\]\\]** and \\(a\\)'],
    ['$$\\begin{vmatrix}a\\\\\nb\n\\end{vmatrix}$$', '$$\n\\begin{vmatrix}a\\\\\nb\n\\end{vmatrix}\n$$'],
    ['- $$a\n  b$$\n- c', '- $$\n  a\n  b\n  $$\n- c'],
    ['> $$a\n> b$$', '> $$\n> a\n> b\n> $$'],
    ['$$\na\n$$\n\n$$b\nc$$', '$$\na\n$$\n\n$$\nb\nc\n$$'],
    ['$$a$$\nb', '$$a$$\nb'],
    ['```\n$$a\nb$$\n```', '```\n$$a\nb$$\n```'],
    ['$$a\nb', '$$a\nb'],
  ])('normalizes %j', (text, expected) => {
    expect(normalizeFormulas(text)).toBe(expected)
  })
})
