import { describe, expect, it } from 'vitest'
import { identifiersIn } from '../../../src/main/agent/compaction/summarize.ts'

describe('identifiersIn', () => {
  it('finds paths, addresses, names, versions, dates and quantities', () => {
    const found = identifiersIn(
      'Ask ada@example.org about src/main/app/composition/create-app.ts, POSTGRES_URL and v2.3.0 (2026-01-20): 500 ms.',
    )
    expect([...found].sort()).toEqual(
      [
        '2026-01-20',
        '500 ms',
        'POSTGRES_URL',
        'ada@example.org',
        'src/main/app/composition/create-app.ts',
        'v2.3.0',
      ].sort(),
    )
  })

  // Each of these once took half a minute because of backtracking; the test's time limit catches that.
  it.each(['x', 'a-', 'x@'])('finds identifiers next to 100,000 characters of %j quickly', (letters) => {
    const run = letters.repeat(100_000 / letters.length)
    expect([...identifiersIn(`see docs/keeping.md ${run} and v2.3.0`)]).toEqual(
      expect.arrayContaining(['docs/keeping.md', 'v2.3.0']),
    )
  })
})
