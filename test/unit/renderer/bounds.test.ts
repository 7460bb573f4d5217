import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitCitations } from '../../../src/shared/markdown/citation.ts'
import { decodeAddress, decodePart } from '../../../src/shared/util/decode.ts'
import { sectionsOf } from '../../../src/shared/markdown/sections.ts'
import { parseCitationHref, parseNameHref, splitWikiLinks } from '../../../src/renderer/markdown/parse/mdast.ts'
import { hasMath, isCheapMath, normalizeMath } from '../../../src/renderer/markdown/parse/math.ts'
import { parseDocument } from '../../../src/renderer/markdown/parse/parse-document.ts'
import { clipLine, clipPassage, splitLongLines } from '../../../src/renderer/lib/util/clip.ts'
import { fileAt, paths } from '../../../src/renderer/lib/router/paths.ts'
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
    }
    for (const name of hostileNames()) check(name)
    const name = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((text) => text.replaceAll('/', ''))
      .filter((text) => text !== '' && text !== '.' && text !== '..')
    fc.assert(fc.property(name, check))
  })
})

describe('cost of Markdown', () => {
  it.each([
    ['quotes, 5,000 deep', 'deep'],
    ['lists, 2,000 deep, on one line', 'deep'],
    ['a table of 10,000 columns', 'large'],
    ['markers on both sides', 'large'],
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

  it('loses no visible line when splitting', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (seed) => {
        // Lines of definitions and of footnotes may render nothing.
        const outsideDefinitions = (text: string) =>
          text
            .split(/\r\n?|\n/)
            .filter((line) => !/^ {0,3}\[[^\]]*\]:/.test(line))
            .join('\n')
        // Of footnotes with the same label, only the first is shown.
        let footnote = 0
        const text = randomDocument(seed).replaceAll('[^1]:', () => `[^${(footnote += 1)}]:`)
        const rows = rowsOfAnswer(text)
          .map((row) => row.text)
          .join('\n')
        for (const word of ['word', '你好'])
          if (outsideDefinitions(text).includes(word)) expect(rows.includes(word)).toBe(true)
      }),
      { numRuns: 60, seed: 1 },
    )
  })

  it.each([
    ['macros that double', true],
    ['a long macro used often', false],
    ['braces, 3,000 deep', false],
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
