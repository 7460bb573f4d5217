import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeletionPattern } from '../../../src/main/workspace/deletion/deletion-pattern.ts'

describe('Phrase', () => {
  it.each([
    ['Lisa Kessler', 'lisa   kessler called', true],
    ['Lisa Kessler', 'notes/2026-lisa-kessler.md', true],
    ['Lisa Kessler', 'Lisa Kesslers', false],
    ['Ann', 'Annabel', false],
    ['Ann', "Ann's garden", true],
    ['糖尿病', '她有糖尿病。', true],
    ['café', 'cafe\u0301 at noon', true],
    ['C++ (old)', 'we used C++ (old) then', true],
  ])('phrase “%s” in “%s”: %s', (text, inside, expected) => {
    expect(new DeletionPattern([text]).matches(inside)).toBe(expected)
  })

  it('removes the lines with a match, on both sides of a line break', () => {
    const phrase = new DeletionPattern(['Lisa Kessler', 'insulin'])
    expect(phrase.matches('a long way before it: insulin')).toBe(true)
    const text = 'One.\nLisa\nKessler.\nTwo.\n- insulin\nThree.\n'
    expect(phrase.matchingLines(text)).toEqual([2, 3, 5])
    expect(phrase.removeLines(text)).toBe('One.\nTwo.\nThree.\n')
    expect(phrase.maskLines('+ insulin\n keep')).toBe('+[forgotten]\n keep')
  })

  it.each([[[]], [['a']], [['的']]])('refuses %j', (texts) => {
    expect(() => new DeletionPattern(texts)).toThrow(expect.objectContaining({ code: 'input_invalid' }))
  })

  it('removes all matches, and is idempotent afterwards', () => {
    const words = fc.constantFrom('Lisa', 'Kessler', 'Lisa Kessler', 'insulin', 'the', '糖尿病', '\n', ' ', '-', 'x')
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
        const phrase = new DeletionPattern(['Lisa Kessler', '糖尿病'])
        const text = parts.join(' ')
        const without = phrase.removeLines(text)
        // Removing lines can join two halves to a new match, which the next call removes.
        let rest = without
        for (let times = 0; times < 40 && phrase.matches(rest); times += 1) rest = phrase.removeLines(rest)
        expect(phrase.matches(rest)).toBe(false)
        expect(phrase.removeLines(rest)).toBe(rest)
      }),
    )
  })
})
