import { describe, expect, it } from 'vitest'
import { snippetOf, splitChunks, type Chunking } from '../../../../src/main/search/units/split-chunks.ts'
import { rounds, seededRandom } from '../../../support/thorough.ts'

const standard = { tokens: 400, overlap: 80 }

function split(texts: readonly string[], chunking: Chunking = standard, privateLines: readonly number[] = []) {
  const lines = texts.map((text, at) => ({ line: at + 1, text }))
  return splitChunks(lines, chunking, (line) => privateLines.includes(line))
}

const places = (chunks: ReturnType<typeof split>) => chunks.map(({ startLine, endLine }) => `${startLine}-${endLine}`)

describe('chunks', () => {
  it('have up to 400 tokens of four characters, and repeat 80 at line ends', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${String(at + 1).padStart(2)} `.padEnd(99, '.'))
    const chunks = split(lines)
    // Sixteen lines of 100 characters with the line feed; four of them are the first that reach 320.
    expect(places(chunks)).toEqual(['1-16', '13-28', '25-40'])
    expect(chunks[0]?.text).toBe(lines.slice(0, 16).join('\n'))
    expect(chunks.map(({ entry }) => entry)).toEqual([0, 1, 2])
  })

  it('are one for a short text, and none for an empty or blank one', () => {
    expect(places(split(['# Title', '', '- one']))).toEqual(['1-3'])
    expect([split([]), split(['']), split(['', ' ', ''])]).toEqual([[], [], []])
  })

  it('cut a longer line into parts of the same number', () => {
    const long = 'x'.repeat(1600) + 'y'.repeat(1600) + 'z'.repeat(10)
    const chunks = split(['short', long, 'end'])
    expect(places(chunks)).toEqual(['1-1', '2-2', '2-2', '2-3'])
    expect(chunks.map(({ text }) => text.length)).toEqual([5, 1600, 1600, 14])
  })

  it('end before and begin after private lines, with no overlap', () => {
    const lines = Array.from({ length: 12 }, (_, at) => `entry ${at + 1}`)
    expect(places(split(lines, standard, [4, 5, 9]))).toEqual(['1-3', '4-5', '6-8', '9-9', '10-12'])
  })

  it('cover every line, keep to their size and repeat the end of the chunk before, for any text', () => {
    const random = seededRandom()
    const number = (max: number) => Math.floor(random() * max)
    for (let round = 0; round < rounds(300, 5000); round += 1) {
      const tokens = 16 + number(60)
      const chunking = { tokens, overlap: number(tokens) }
      const lines = Array.from({ length: number(60) }, () => (random() < 0.2 ? '' : 'ab😀c'.repeat(number(30))))
      const privateLines = lines.flatMap((_, at) => (random() < 0.1 ? at + 1 : []))
      const chunks = split(lines, chunking, privateLines)
      for (const [at, { startLine, endLine, text }] of chunks.entries()) {
        expect(text.length).toBeLessThanOrEqual(4 * tokens)
        expect(text.isWellFormed()).toBe(true)
        const isPrivate = new Set(
          lines.slice(startLine - 1, endLine).map((_, offset) => privateLines.includes(startLine + offset)),
        )
        expect(isPrivate.size).toBe(1)
        const before = chunks[at - 1]
        if (!before || before.endLine < startLine) continue
        const repeated = lines.slice(startLine - 1, before.endLine)
        if (repeated.some((line) => line.length > 4 * tokens)) continue
        expect(before.text.endsWith(repeated.join('\n')) && text.startsWith(repeated.join('\n'))).toBe(true)
        // Without its first line, the repeated text does not reach the overlap.
        const others = repeated.slice(1).reduce((sum, line) => sum + line.length + 1, 0)
        expect(others).toBeLessThan(4 * chunking.overlap)
      }
      for (const [at, line] of lines.entries()) {
        if (line.trim() === '') continue
        const covering = chunks.filter(({ startLine, endLine }) => startLine <= at + 1 && at + 1 <= endLine)
        expect(covering.length).toBeGreaterThan(0)
        if (line.length <= 4 * tokens) expect(covering.some(({ text }) => text.split('\n').includes(line))).toBe(true)
      }
    }
  })
})

describe('a snippet', () => {
  it('has at most 700 characters', () => {
    expect(snippetOf('a'.repeat(701))).toBe('a'.repeat(700))
    expect(snippetOf('a'.repeat(699) + '😀')).toBe('a'.repeat(699))
    expect(snippetOf('short')).toBe('short')
  })
})
