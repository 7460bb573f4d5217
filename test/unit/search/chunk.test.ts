import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkMarkdown } from '../../../src/main/search/indexing/chunk.ts'
import { estimateTokens } from '../../../src/shared/util/tokens.ts'

const settings = { tokens: 60, overlap: 12 }

describe('chunks', () => {
  it('keeps a short file whole', () => {
    expect(chunkMarkdown('# A\n\ntext\n', settings)).toEqual([
      { startLine: 1, endLine: 3, heading: 'A', text: '# A\n\ntext' },
    ])
  })

  it('returns no chunk for an empty file or blank lines', () => {
    expect(chunkMarkdown('', settings)).toEqual([])
    expect(chunkMarkdown('\n\n  \n', settings)).toEqual([])
  })

  it('begins a chunk at a heading rather than within a section', () => {
    const section = (title: string) => `## ${title}\n${'some words of text here\n'.repeat(5)}`
    const chunks = chunkMarkdown(`# Log\n${section('one')}${section('two')}${section('three')}`, settings)
    expect(chunks.map((chunk) => chunk.text.split('\n')[0])).toEqual(['# Log', '## two', '## three'])
    expect(chunks.map((chunk) => chunk.heading)).toEqual(['Log', 'Log › two', 'Log › three'])
  })

  it('repeats the last lines of the previous chunk up to the overlap', () => {
    const text = Array.from({ length: 30 }, (_, index) => `line number ${index + 1} of the note`).join('\n')
    const [first, second] = chunkMarkdown(text, settings)
    expect(second?.startLine).toBeLessThanOrEqual(first?.endLine ?? 0)
    const shared = text.split('\n').slice((second?.startLine ?? 1) - 1, first?.endLine)
    expect(shared.length).toBeGreaterThan(0)
    expect(shared.reduce((sum, line) => sum + estimateTokens(line) + 1, 0)).toBeLessThanOrEqual(settings.overlap)
  })

  it('keeps a code fence whole if it fits, and reads no heading in it', () => {
    const fence = '```sh\n# not a heading\nrun it\nrun it again\n```'
    const before = 'words and words and words and words\n'.repeat(4)
    const chunks = chunkMarkdown(`# Top\n${before}\n${fence}\nafter`, settings)
    expect(chunks.some((chunk) => chunk.text.includes(fence))).toBe(true)
    expect(chunks.every((chunk) => !chunk.heading.includes('not a heading'))).toBe(true)
  })

  it('splits an over-long line without cutting through a character', () => {
    const line = `${'字👩‍👩‍👧'.repeat(80)}`
    const chunks = chunkMarkdown(line, settings)
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.map((chunk) => chunk.text).join('')).toBe(line)
    expect(chunks.every((chunk) => chunk.startLine === 1 && chunk.endLine === 1)).toBe(true)
    expect(chunks.every((chunk) => !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(chunk.text))).toBe(true)
  })

  it('counts a CJK character as one token and four others as one', () => {
    expect(estimateTokens('数据库')).toBe(3)
    expect(estimateTokens('database')).toBe(2)
    expect(estimateTokens('用 PostgreSQL')).toBe(1 + 3)
    expect(estimateTokens('')).toBe(0)
  })

  const line = fc.oneof(
    fc.string({ maxLength: 80 }).map((text) => text.replace(/[\r\n\ufeff]/g, ' ')),
    fc.constantFrom(
      '',
      '# Heading',
      '## 10:30 - 会议',
      '```',
      '- item',
      '| a | b |',
      '数据库选型讨论'.repeat(3),
      'word '.repeat(60),
    ),
  )
  const document = fc.tuple(fc.array(line, { maxLength: 60 }), fc.constantFrom('\n', '\r\n'))

  it('covers every line, in order, with exact line numbers and no chunk over the limit (any text)', () => {
    fc.assert(
      fc.property(document, ([lines, end]) => {
        const chunks = chunkMarkdown(lines.join(end), settings)
        const covered = new Set<number>()
        let last = 0
        for (const chunk of chunks) {
          expect(chunk.startLine).toBeGreaterThanOrEqual(1)
          expect(chunk.endLine).toBeGreaterThanOrEqual(last)
          last = chunk.endLine
          for (let number = chunk.startLine; number <= chunk.endLine; number += 1) covered.add(number)
          const source = lines.slice(chunk.startLine - 1, chunk.endLine).join('\n')
          if (chunk.startLine === chunk.endLine) expect(source).toContain(chunk.text)
          else expect(chunk.text).toBe(source)
          expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(settings.tokens)
        }
        for (const [index, text] of lines.entries()) if (text.trim() !== '') expect(covered.has(index + 1)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
