/** The newer line on the subject of a result: found, placed first or second, or left out. */
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { createSearchIndex } from '../../../support/search-index.ts'

const provider = createBuiltinEmbeddings(builtinFile)
const notes = {
  'memory/2026-01-12.md': `# 2026-01-12

- 09:00 Standup is at 9:30, online
- 10:00 The cargo bike stands in the cellar
- 11:00 理发在街角那家，一次 50 块
- 12:00 Office wifi is called AM-guest5
- 13:00 I cycle to the office on Mondays
`,
  'memory/2026-02-20.md': `# 2026-02-20

- 09:00 Standup moved to 10:15
- 10:00 Bought a helmet for the cargo bike, 89
- 11:00 理发涨价了，现在一次 60 块
- 12:00 Home wifi is called moss-garden
- 13:00 Rain all day, the laundry hangs on the stairs
- 14:00 No longer cycle to the office, the train is free
`,
  'notes/printing.md':
    '# Printing\n\n- The office printer takes the 305 cartridge\n- The hall has a lamp with a timer\n',
}

async function resultsOf(query: string, overrides = {}) {
  const { results } = await createSearchIndex(notes, provider).search(query, overrides)
  return results.map(({ path, startLine, newer }) => ({ at: `${path}:${startLine}`, newer }))
}

describe('a newer line on the same subject', () => {
  it.each([
    ['when is the standup?', 'memory/2026-02-20.md:3', 'memory/2026-01-12.md:3'],
    ['Do I cycle to the office?', 'memory/2026-02-20.md:8', 'memory/2026-01-12.md:7'],
  ])('comes before the older one, which names it: %s', async (query, newer, older) => {
    const [first, second] = await resultsOf(query)
    expect([first?.at, second?.at]).toEqual([newer, older])
    expect(second?.newer?.at).toBe(newer)
  })

  it('comes second for a question about the past', async () => {
    const [first, second] = await resultsOf('when was the standup originally?')
    expect([first?.at, second?.at]).toEqual(['memory/2026-01-12.md:3', 'memory/2026-02-20.md:3'])
  })

  it.each([
    ['What is the office wifi called?', 'memory/2026-01-12.md:6'],
    ['which cartridge does the office printer take?', 'notes/printing.md:3'],
  ])('does not make a line about another thing outdated: %s', async (query, own) => {
    const [first] = await resultsOf(query)
    expect(first?.at).toBe(own)
    expect(first?.newer?.isSure).not.toBe(true)
  })

  it('is the newest one of three', async () => {
    const rent = (amount: number) => `- 09:00 The rent of the flat is ${amount} euros now\n`
    const days = {
      'memory/2025-03-02.md': rent(870),
      'memory/2025-09-01.md': rent(920),
      'memory/2026-02-01.md': rent(955),
    }
    const { results } = await createSearchIndex({ ...notes, ...days }, provider).search(
      'How much is the rent of the flat?',
    )
    expect(results.map(({ path }) => path).slice(0, 2)).toContain('memory/2026-02-01.md')
  })

  it('is never surely newer than a line without a day that was already there', async () => {
    const { 'memory/2026-01-12.md': january, ...others } = notes
    const files = {
      ...others,
      'memory/2026-01-12.md': january.replace(/^.*Standup.*\n/m, ''),
      'MEMORY.md': '- Standup is at 9:30, online\n',
    }
    const newerOf = async (day: string) => {
      const writtenDays = { of: () => ({ day, isWritten: false }) }
      const index = createSearchIndex(files, provider, undefined, undefined, writtenDays)
      const { results } = await index.search('when is the standup?')
      return results.find(({ path }) => path === 'MEMORY.md')?.newer?.isSure
    }
    expect([await newerOf('2026-02-19'), await newerOf('2026-02-21')]).toEqual([true, false])
  })

  it('is only named with classic weights', async () => {
    const settings = { weights: { vector: 0.7, text: 0.3 }, minScore: 0 }
    const [older, newer] = ['memory/2026-01-12.md:7', 'memory/2026-02-20.md:8']
    const classic = await resultsOf('Do I cycle to the office on Mondays?', settings)
    const ranked = await resultsOf('Do I cycle to the office on Mondays?')
    expect([classic[0]?.at, ranked[0]?.at]).toEqual([older, newer])
    expect(classic[0]?.newer?.at).toBe(newer)
  })
})
