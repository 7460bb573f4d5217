import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SavedSearches, type SavedSearchesOptions } from '../../../src/main/curation/saved-searches/saved-searches.ts'
import type { Explanation, SearchResponse } from '../../../src/shared/contract/index.ts'
import { temporaryFolder } from '../../support/folder.ts'

type Why = NonNullable<Explanation['why']>

/** Runs a saved query for line 5 of `a.md` with a search that returns these lines. */
async function outcomeOf(lines: readonly (readonly [startLine: number, endLine: number])[], reason: Why['reason']) {
  const results = lines.map(([startLine, endLine]) => ({ path: 'a.md', startLine, endLine, score: 0.6 }))
  const asked: unknown[] = []
  const memory = {
    search: (_query: string, options: unknown) => {
      asked.push(options)
      return Promise.resolve({ results } as unknown as SearchResponse)
    },
    explain: () => Promise.resolve({ why: { reason, candidate: { score: 0.1 } } } as unknown as Explanation),
  }
  const queries = new SavedSearches({
    folder: join(await temporaryFolder(), 'checks'),
    memory: memory as unknown as SavedSearchesOptions['memory'],
    readText: () => Promise.resolve('1\n2\n3\n4\nfive\nsix\n'),
    now: () => new Date(),
    watch: false,
    onFault: (error) => {
      throw error
    },
  })
  await queries.add({ query: 'q', relevant: [{ path: 'a.md', startLine: 5, endLine: 5 }] })
  await queries.run('asked')
  const { checks } = await queries.list()
  queries.close()
  expect(asked).toEqual([{}])
  return checks[0]?.outcome
}

describe('a saved query', () => {
  it('passes if an expected line is within a result of a search with default settings', async () => {
    const results = [
      [1, 4],
      [4, 6],
    ] as const
    expect(await outcomeOf(results, 'returned')).toEqual({ rank: 2, reason: null, score: 0.6 })
  })

  it.each([
    ['weak', 'weak'],
    ['private', 'noMatch'],
  ] as const)('fails with the reason of its line: %s as %s', async (reason, shown) => {
    expect(await outcomeOf([[1, 4]], reason)).toEqual({ rank: null, reason: shown, score: 0.1 })
  })
})
