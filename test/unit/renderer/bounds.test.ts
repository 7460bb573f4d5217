import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitCitations } from '../../../src/shared/markdown/citation.ts'
import { decodeAddress, decodePart, encodePart } from '../../../src/shared/util/decode.ts'
import { sectionsOf } from '../../../src/shared/markdown/sections.ts'
import { parseCitationHref, parseNameHref, splitWikiLinks } from '../../../src/renderer/markdown/parse/mdast.ts'
import { hasMath, isCheapMath, normalizeMath } from '../../../src/renderer/markdown/parse/math.ts'
import { parseDocument } from '../../../src/renderer/markdown/parse/parse-document.ts'
import { clipLine, clipPassage, splitLongLines } from '../../../src/renderer/lib/util/clip.ts'
import { fileAt, isFileAt, linesOfHash, paths, sessionAt } from '../../../src/renderer/lib/router/paths.ts'
import { hostileNames, longNote, pathologicalDocuments, randomDocument } from '../../support/hostile-markdown.ts'

const rowsOfAnswer = (text: string) => parseDocument(text, 'answer')

const documents = pathologicalDocuments()
const textOf = (name: string) => documents.find((known) => known.name === name)?.text ?? ''

describe('addresses', () => {
  it('keeps text that cannot be decoded, in links and parameters', () => {
    expect(decodePart('%E0')).toBe('%E0')
    expect(decodePart('100% done')).toBe('100% done')
    expect(decodePart('a%20b%2Fc')).toBe('a b/c')
    expect(decodeAddress('a%20b%2Fc')).toBe('a b%2Fc')
    expect(parseCitationHref('#cite:%E0')).toEqual({ path: '%E0', line: undefined })
    expect(parseNameHref('#name:%E0%A4%A')).toEqual({ target: '%E0%A4%A' })
  })

  it('maps every file name to an address and back', () => {
    const check = (name: string) => {
      const path = `notes/${name}`
      const place = new URL(paths.file(path, 3), 'http://localhost').pathname
      expect(fileAt(place)).toBe(path)
      expect(isFileAt(place, path)).toBe(true)
      expect(isFileAt(place, decodePart(path))).toBe(decodePart(path) === path)
    }
    for (const name of hostileNames()) check(name)
    const name = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((text) => text.replaceAll('/', ''))
      .filter((text) => text !== '' && text !== '.' && text !== '..')
    fc.assert(fc.property(name, check))
  })

  it('names the lines to mark', () => {
    const linesOf = (address: string) => linesOfHash(new URL(address, 'http://localhost').hash)
    expect(linesOf(paths.source('a.md', 3, 5))).toEqual({ startLine: 3, endLine: 5 })
    expect(linesOf(paths.source('a.md', 3, 3))).toEqual({ startLine: 3, endLine: 3 })
    expect(paths.file('a.md', 3, 3)).toBe('/file/a.md#L3')
    expect(linesOf(paths.file('a.md'))).toBeUndefined()
    expect(linesOfHash('#L5-3')).toEqual({ startLine: 5, endLine: 5 })
  })

  it('encodes lone surrogates and accepts any session id', () => {
    expect(encodePart('\ud800')).toBe('%EF%BF%BD')
    expect(sessionAt(paths.chat('100% done'))).toBe('100% done')
    expect(sessionAt('/inspect/sent/%E0')).toBe('%E0')
  })
})

describe('cost of Markdown', () => {
  it.each([
    ['quotes, 5,000 deep', 'deep'],
    ['quotes, 5,000 deep, with spaces', 'deep'],
    ['lists, 2,000 deep, on one line', 'deep'],
    ['lists and quotes in turn, 3,000 deep', 'deep'],
    ['numbers, 2,000 deep', 'deep'],
    ['a table of 10,000 columns', 'large'],
    ['markers on both sides', 'large'],
    ['markers that open, 100,000', 'large'],
    ['one line of 5 MB', 'large'],
  ])('shows %s as plain text: %s', (name, reason) => {
    const pieces = rowsOfAnswer(textOf(name))
    expect(pieces.map((piece) => piece.kind === 'plain' && piece.reason)).toContain(reason)
  })

  it.each(documents.map(({ name, text }) => [name, text] as const))('splits into small rows: %s', (_name, text) => {
    // Quadratic code would take minutes here and exceed the timeout.
    for (const row of rowsOfAnswer(text))
      if (row.kind === 'markdown') expect(row.text.length).toBeLessThanOrEqual(60_000)
  })

  it('keeps all of a long note as Markdown', () => {
    const pieces = rowsOfAnswer(longNote(430_000))
    expect(pieces.filter(({ kind }) => kind === 'plain')).toEqual([])
    const long = rowsOfAnswer(textOf('a list of 30,000 items'))
    expect(long.length).toBeGreaterThan(50)
    expect(long.every(({ kind }) => kind === 'markdown')).toBe(true)
    expect(long.map(({ text }) => text).join('\n')).toBe(textOf('a list of 30,000 items'))
    const rows = rowsOfAnswer(textOf('a table of 10,000 rows'))
    expect(rows.every(({ kind, text }) => kind === 'markdown' && text.startsWith('| a | b |\n|---|---|\n'))).toBe(true)
  })

  it('splits an outline inside a single item without turning it into code', () => {
    const pieces = rowsOfAnswer(textOf('an outline of 6,000 lines under one item'))
    expect(pieces.length).toBeGreaterThan(5)
    for (const { kind, text } of pieces) {
      expect(kind).toBe('markdown')
      expect(text).toMatch(/^- /)
    }
  })

  it('recognizes large code without the parser', () => {
    const [piece, ...others] = rowsOfAnswer(textOf('code of 1 MB'))
    expect(others).toEqual([])
    expect(piece).toMatchObject({ kind: 'code', language: 'ts' })
    expect(piece?.text.endsWith('// note')).toBe(true)
  })

  it('loses no visible line when splitting', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (seed) => {
        // A definition renders nothing; a block of definitions is omitted.
        const isDefinition = (line: string) => /^ {0,3}\[[^\]]*\]:/.test(line)
        const shown = (text: string) =>
          new Set(
            text
              .split(/\r\n?|\n/)
              .filter((line) => !isDefinition(line))
              .join('\n')
              .match(/word|你好/g),
          )
        // Of footnotes with the same label, only the first is shown.
        let footnote = 0
        const text = randomDocument(seed).replaceAll('[^1]:', () => `[^${(footnote += 1)}]:`)
        const pieces = rowsOfAnswer(text).map((piece) => piece.text)
        expect(shown(pieces.join('\n'))).toEqual(shown(text))
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    ['macros that double', true],
    ['a long macro used often', false],
    ['roots within roots', false],
    ['braces, 3,000 deep', false],
    ['fractions within fractions', false],
    ['a large matrix', false],
  ])('allows cheap formulas only: %s', (name, isCheap) => {
    const text = normalizeMath(textOf(name))
    expect(hasMath(text)).toBe(true)
    expect(isCheapMath(text)).toBe(isCheap)
  })

  it('finds citations and names of notes in linear time', () => {
    for (const name of ['citations that never end', 'names of notes that never end', 'brackets that open, 100,000']) {
      expect(splitCitations(textOf(name)).length).toBe(1)
      expect(splitWikiLinks(textOf(name)).length).toBe(1)
    }
    sectionsOf([textOf('a heading of 200,000 spaces')])
  })

  it('returns titles and line ranges of headings', () => {
    expect(sectionsOf(['# A  ##', '## B#', 'x', '# C', '### D', '## E'])).toEqual([
      { title: 'A', level: 1, from: 1, to: 3 },
      { title: 'B#', level: 2, from: 2, to: 3 },
      { title: 'C', level: 1, from: 4, to: 6 },
      { title: 'D', level: 3, from: 5, to: 5 },
      { title: 'E', level: 2, from: 6, to: 6 },
    ])
  })
})

describe('clipping', () => {
  it('cuts between characters, never inside a surrogate pair', () => {
    expect(clipLine('👍👍', 3)).toBe('👍…')
    expect(clipPassage('👍👍', 3)).toBe('👍')
    expect(clipPassage('a\nb')).toBe('a\nb')
    expect(clipPassage('a\n'.repeat(5000)).split('\n').length).toBe(800)
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 2, max: 9 }), (lines, most) => {
        const rows = splitLongLines(lines, most)
        expect(rows.join('')).toBe(lines.join(''))
        expect(rows.every((row) => row.length <= most)).toBe(true)
      }),
    )
  })
})
