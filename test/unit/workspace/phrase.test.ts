import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Phrase } from '../../../src/main/workspace/erasure/erase-pattern.ts'

describe('Phrase', () => {
  it.each([
    ['Lisa Kessler', 'lisa   kessler called', true],
    ['Lisa Kessler', 'notes/2026-lisa-kessler.md', true],
    ['Lisa Kessler', 'LISA_KESSLER=1', true],
    ['Lisa Kessler', 'Lisa Kesslers', false],
    ['Ann', 'Annabel', false],
    ['Ann', "Ann's garden", true],
    ['糖尿病', '她有糖尿病。', true],
    ['王芳', '王芳芳', true],
    ['café', 'cafe\u0301 at noon', true],
    ['C++ (old)', 'we used C++ (old) then', true],
    ['a.b.com', 'axb.com', false],
  ])('phrase “%s” in “%s”: %s', (text, inside, expected) => {
    expect(new Phrase([text]).isIn(inside)).toBe(expected)
  })

  it('removes the lines with a match, on both sides of a line break', () => {
    const phrase = new Phrase(['Lisa Kessler', 'insulin'])
    expect(phrase.isIn('a long way before it: insulin')).toBe(true)
    const text = 'One.\nLisa\nKessler.\nTwo.\n- insulin\nThree.\n'
    expect(phrase.linesIn(text)).toEqual([2, 3, 5])
    expect(phrase.without(text)).toBe('One.\nTwo.\nThree.\n')
    expect(phrase.blotted('+ insulin\n keep')).toBe('+[forgotten]\n keep')
  })

  it.each([[[]], [['']], [['a']], [['- .']], [['的']], [['Lisa', 'x']]])('refuses %j', (texts) => {
    expect(() => new Phrase(texts)).toThrow(expect.objectContaining({ code: 'input_invalid' }))
  })

  it('removes all matches, and is idempotent afterwards', () => {
    const words = fc.constantFrom('Lisa', 'Kessler', 'Lisa Kessler', 'insulin', 'the', '糖尿病', '\n', ' ', '-', 'x')
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
        const phrase = new Phrase(['Lisa Kessler', '糖尿病'])
        const text = parts.join(' ')
        const without = phrase.without(text)
        // Removing lines can join two halves to a new match, which the next call removes.
        let rest = without
        for (let times = 0; times < 40 && phrase.isIn(rest); times += 1) rest = phrase.without(rest)
        expect(phrase.isIn(rest)).toBe(false)
        expect(phrase.without(rest)).toBe(rest)
      }),
    )
  })
})
