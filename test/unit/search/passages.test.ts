import { describe, expect, it } from 'vitest'
import { chunkMarkdown } from '../../../src/main/search/indexing/chunk.ts'
import { passagesOf } from '../../../src/main/search/indexing/passages.ts'
import { estimateTokens } from '../../../src/shared/util/tokens.ts'

const passagesIn = (text: string) => chunkMarkdown(text, { tokens: 400, overlap: 0 }).flatMap(passagesOf)

describe('passages', () => {
  it('makes a long enough line a passage, without its marker and with its heading', () => {
    const long = 'The boiler in the cellar was serviced by the plumber from the next village.'
    const other = 'The roof over the old barn was mended by two carpenters before the winter came.'
    expect(passagesIn(`# House\n\n## Boiler\n\n- [x] ${long}\n- ${other}\n`)).toEqual([
      { startLine: 5, endLine: 5, text: `Boiler\n${long}` },
      { startLine: 6, endLine: 6, text: `Boiler\n${other}` },
    ])
  })

  it('joins short lines, but not across a blank line or heading', () => {
    expect(passagesIn('- milk\n- eggs\n\n- nails\n\n# Later\n\n- paint\n')).toEqual([
      { startLine: 1, endLine: 2, text: 'milk\neggs' },
      { startLine: 4, endLine: 4, text: 'nails' },
      { startLine: 8, endLine: 8, text: 'Later\npaint' },
    ])
  })

  it('cuts a long line into groups of sentences of up to 80 tokens, in every script', () => {
    for (const sentence of ['The walrus swam far out to the cold sea today. ', '今天海象游到很远的冷海里去了。']) {
      const passages = passagesIn(sentence.repeat(20))
      expect(passages.length).toBeGreaterThan(2)
      expect(Math.max(...passages.map(({ text }) => estimateTokens(text)))).toBeLessThanOrEqual(80)
      expect(
        passages
          .map(({ text }) => text)
          .join('')
          .replaceAll(' ', ''),
      ).toBe(sentence.repeat(20).replaceAll(' ', ''))
    }
  })

  it('keeps code and tables together, and reads no heading in code', () => {
    const code = passagesIn('# Build\n\n```sh\n# no heading\nnpm ci\n\nnpm run build\n```\n')
    expect(code).toEqual([{ startLine: 4, endLine: 7, text: 'Build\n# no heading\nnpm ci\nnpm run build' }])
    const table = passagesIn('| key | where it hangs in the house |\n|---|---|\n| cellar | on the third hook |\n')
    expect(table).toHaveLength(1)
  })

  it('makes a passage of a chunk with only a heading', () => {
    expect(passagesIn('# Ideas for the summer\n')).toEqual([
      { startLine: 1, endLine: expect.any(Number), text: 'Ideas for the summer' },
    ])
  })
})
