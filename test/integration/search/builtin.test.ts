import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp, untouchedConfig } from '../../support/app.ts'

const files = {
  'MEMORY.md':
    '# Long-term memory\n\n- Our daughter starts kindergarten in September.\n- The boiler is serviced every October.\n',
  'memory/money.md':
    '# Money\n\n- Put aside three hundred each month for the trip to Japan.\n- The mortgage is fixed until 2031.\n',
  'memory/health.md':
    '# Health\n\n- The dentist will pull the wisdom tooth in March.\n- Blood pressure was 138 over 88.\n',
}

async function openMemory(config = untouchedConfig, more: Readonly<Record<string, string>> = {}) {
  const test = await openTestApp({ files: { ...files, ...more }, config, watch: true })
  const { memory } = await test.app.agents.get('main')
  await memory.settle(10_000)
  await memory.waitForVectors()
  return { ...test, memory }
}

describe('built-in embedding model', () => {
  it('searches a new workspace by vectors without configuration or download', async () => {
    const { memory } = await openMemory()
    const { embedded, units, provider, problems } = await memory.status()
    expect({ embedded, provider, problems }).toEqual({ embedded: units, provider: 'builtin', problems: [] })
    const { candidates, notice } = await memory.explain('When does our little girl begin preschool?')
    expect(candidates[0]).toMatchObject({ path: 'MEMORY.md', verdict: { kind: 'returned' } })
    expect(notice).toBeNull()
    const { raw = 0, terms = [] } = candidates[0]?.vector ?? {}
    expect(terms.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(raw, 4)
    expect(terms.map(({ term }) => term)).toContain('preschool')
    expect(candidates[0]?.text?.terms.find(({ term }) => term === 'preschool')?.alike).toContain('kindergarten')
  })

  it('returns nothing for queries without words, and filtered notes for queries of filters only', async () => {
    const { memory } = await openMemory()
    const found = async (query: string) => {
      const { candidates, notice } = await memory.explain(query)
      expect(notice, query).toBeNull()
      const returned = candidates.filter(({ verdict }) => verdict.kind === 'returned')
      for (const { path, vector, text } of returned)
        expect({ query, path, vector, text }).toEqual({ query, path, vector: null, text: null })
      return [...new Set(returned.map(({ path }) => path))].toSorted()
    }
    for (const query of ['?', '。', '😀', '"', '-', '#', '  ', '…?!'])
      expect({ query, found: await found(query) }).toEqual({ query, found: [] })
    const all = ['MEMORY.md', 'memory/health.md', 'memory/money.md']
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['source:memory', all],
      ['-path:health', all.filter((path) => !path.includes('health'))],
      ['-tooth', all],
      ['path:health ?', ['memory/health.md']],
      ['in:2026-11', []],
    ]
    for (const [query, paths] of cases) expect({ query, found: await found(query) }).toEqual({ query, found: paths })
  })

  it('is not misled by repetitive lists and logs', async () => {
    const lines = Array.from({ length: 3000 }, (_, at) => `- line ${at} lorem ipsum dolor sit amet consectetur`)
    const logs = Array.from({ length: 11 }, (_, at) => [
      `memory/2026-11-${String(at + 1).padStart(2, '0')}.md`,
      `# Day ${at}\n\n## 09:00 - meeting ${at}\n- Talked with Alice about budget item ${at}.\n- Had soup for lunch.\n`,
    ])
    const decisions = '# Decisions\n\n- We chose PostgreSQL for the database.\n- Deploys happen on Tuesdays.\n'
    const { memory } = await openMemory(untouchedConfig, {
      ...(Object.fromEntries(logs) as Record<string, string>),
      'decisions.md': decisions,
      'projects/huge.md': `# Huge\n\n${lines.join('\n')}\n`,
    })
    const explained = await memory.explain('How tall is the lighthouse on the moon?')
    const sure = explained.candidates.filter(({ vector }) => (vector?.score ?? 0) > 0.9)
    expect(sure.map(({ path, vector }) => ({ path, vector }))).toEqual([])
    expect(explained.candidates.filter(({ verdict }) => verdict.kind === 'returned')).toEqual([])
    const found = await memory.explain('When does our little girl begin preschool?')
    expect(found.candidates[0]).toMatchObject({ path: 'MEMORY.md', verdict: { kind: 'returned' } })
  })

  it('finds notes on the same subject by their units, and no others', async () => {
    const { memory, workspace } = await openMemory()
    await writeFile(
      join(workspace, 'memory', 'school.md'),
      '# Plans\n\n- Buy a satchel for our little girl’s preschool.\n',
    )
    await writeFile(join(workspace, 'memory', 'boats.md'), '# Boats\n\n- The dinghy has a hole below the waterline.\n')
    await memory.notifyWritten(['memory/school.md', 'memory/boats.md'])
    await memory.settle(10_000)
    await memory.waitForVectors()
    const [nearest, ...others] = await memory.similarNotes('memory/school.md', 8)
    expect(nearest).toMatchObject({ path: 'MEMORY.md', from: 3 })
    expect(nearest?.text).toContain('kindergarten')
    expect(others.map(({ path }) => path)).not.toContain('memory/boats.md')
    expect(await memory.similarNotes('memory/boats.md', 8)).toEqual([])
    expect(await memory.similarNotes('memory/nowhere.md', 8)).toEqual([])
  })
})
