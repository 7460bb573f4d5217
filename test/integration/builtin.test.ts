import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp, untouchedConfig } from '../support/app.ts'

const files = {
  'MEMORY.md':
    '# Long-term memory\n\n- Our daughter starts kindergarten in September.\n- The boiler is serviced every October.\n',
  'memory/money.md':
    '# Money\n\n- Put aside three hundred each month for the trip to Japan.\n- The mortgage is fixed until 2031.\n',
  'memory/health.md':
    '# Health\n\n- The dentist will pull the wisdom tooth in March.\n- Blood pressure was 138 over 88.\n',
}

async function openMemory(config = untouchedConfig) {
  const test = await openTestApp({ files, config })
  const { memory } = await test.app.agents.get('main')
  await memory.settle(10_000)
  await memory.settleVectors(() => undefined)
  return { ...test, memory }
}

describe('M52 meaning at the first start', () => {
  it('M52: nothing chosen, nothing fetched: a new workspace is searched by meaning', async () => {
    const { memory } = await openMemory()
    const { embedded, chunks, provider, problems } = await memory.status()
    expect({ embedded, provider, problems }).toEqual({ embedded: chunks, provider: 'builtin', problems: [] })
    const { candidates, vectorScale, notice } = await memory.explain('When does our little girl begin preschool?')
    expect(candidates[0]).toMatchObject({ path: 'MEMORY.md', verdict: { kind: 'returned' } })
    expect(notice).toBeNull()
    expect(vectorScale?.worth).toBeGreaterThan(0)
    const { raw = 0, terms = [] } = candidates[0]?.vector ?? {}
    expect(terms.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(raw, 4)
    expect(terms.map(({ term }) => term)).toContain('preschool')
    expect(candidates[0]?.text?.terms.find(({ term }) => term === 'preschool')?.alike).toContain('kindergarten')
  })

  it('M52: what is written later is found by meaning too', async () => {
    const { memory, workspace } = await openMemory()
    await writeFile(join(workspace, 'memory', 'pets.md'), '# Pets\n\n- The dinghy has a hole below the waterline.\n')
    await memory.touch(['memory/pets.md'])
    await memory.settle(10_000)
    await memory.settleVectors(() => undefined)
    const { candidates } = await memory.explain('What is broken on my boat?')
    expect(candidates[0]?.path).toBe('memory/pets.md')
  })

  it('M52: whoever wants words alone says so', async () => {
    const { memory } = await openMemory(`${untouchedConfig}  defaults: { memory: { embedding: { provider: none } } }\n`)
    const { candidates, provider } = await memory.explain('When does our little girl begin preschool?')
    expect(provider).toBe('none')
    expect(candidates.every(({ vector }) => vector === null)).toBe(true)
  })
})
