import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  hashLetters,
  hashTerm,
  lineEnd,
  ChunkPacker,
  readTerms,
  runEnd,
} from '../../../src/main/search/keyword/packed-terms.ts'
import { countPhrase, TermCounter } from '../../../src/main/search/keyword/term-counter.ts'

const pack = (text: string, heading = '', path = '') => readTerms(new ChunkPacker(path).pack({ text, heading }).terms)
const letters = (text: string) => [...text].map((letter) => letter.codePointAt(0) ?? 0)

describe('packed terms', () => {
  it('keep the order of terms, line ends, heading and path', () => {
    const { text, heading, place, lines, length } = pack(
      'green\n\n数据 red 库',
      'Choices › 选型',
      'memory/2026-10-03-paint.md',
    )
    expect([...text.words]).toEqual([hashTerm('green'), lineEnd, lineEnd, hashTerm('red')])
    expect([...text.letters]).toEqual([lineEnd, lineEnd, ...letters('数据'), runEnd, ...letters('库')])
    expect([...heading.words]).toEqual([hashTerm('choic')])
    expect([...heading.letters]).toEqual(letters('选型'))
    expect([...place.words]).toEqual(expect.arrayContaining(['paint', '2026-10-03'].map(hashTerm)))
    expect({ lines, length }).toEqual({ lines: 3, length: 3.5 })
  })

  it('can be read at any byte offset', () => {
    const { terms } = new ChunkPacker('a.md').pack({ text: 'green red', heading: '' })
    const shifted = Buffer.alloc(terms.length + 1)
    terms.copy(shifted, 1)
    expect(readTerms(shifted.subarray(1))).toEqual(readTerms(terms))
  })

  it('one and two letters hash like the terms they spell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 2, maxLength: 2 }), (text) => {
        const [one = 0, other = 0] = letters(text)
        expect(hashLetters(one)).toBe(hashTerm(String.fromCodePoint(one)))
        expect(hashLetters(one, other)).toBe(hashTerm(String.fromCodePoint(one, other)))
      }),
    )
  })

  it('have few hash collisions in a large memory', () => {
    const hashes = new Set<number>()
    for (let index = 0; index < 200_000; index += 1) hashes.add(hashTerm(`w${index.toString(36)}`))
    // For 200,000 random values in 2^32, 4 to 5 collisions are expected.
    expect(hashes.size).toBeGreaterThan(200_000 - 20)
  })
})

describe('counting terms', () => {
  const count = (terms: readonly [kind: 'word' | 'cjk', term: string][], text: string) => {
    const counter = new TermCounter(terms.map(([kind, term]) => ({ readings: [{ kind, term, weight: 1 }] })))
    const { text: counts, lines } = counter.count(pack(text))
    return terms.map((_, index) => [...counts.subarray(index * lines, (index + 1) * lines)])
  }

  it('counts whole terms and phrases by line, without overlaps', () => {
    expect(
      count(
        [
          ['word', 'red'],
          ['word', 'red red'],
          ['cjk', '哈 哈'],
        ],
        'red red red 哈哈哈\nred\n哈 哈',
      ),
    ).toEqual([
      [3, 1, 0],
      [1, 0, 0],
      [1, 0, 0],
    ])
  })

  it('does not count phrases across the end of a line or run', () => {
    expect(
      count(
        [
          ['word', 'red green'],
          ['cjk', '数 据'],
        ],
        'red\ngreen 数, 据\n数据',
      ),
    ).toEqual([
      [0, 0, 0],
      [0, 0, 1],
    ])
  })

  it('countPhrase matches words across a line end', () => {
    expect(countPhrase(pack('red\ngreen'), { kind: 'word', term: 'red green' }).text).toBe(1)
    expect(countPhrase(pack('red blue green'), { kind: 'word', term: 'red green' }).text).toBe(0)
  })
})
