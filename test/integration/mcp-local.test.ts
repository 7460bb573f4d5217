/** What stays on this machine cannot be guessed by asking another program's tools about it (M64). */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestServer } from '../support/app.ts'
import { connect } from '../support/client.ts'
import { connectClient } from '../support/mcp-clients.ts'

const files = {
  'pin.md': '---\nvisibility: local\n---\nThe safe opens with 93417\n',
  'private/gate.md': 'The gate opens with 55120\n',
  'MEMORY.md':
    '# Memory\n\n## Codes ^[local]\n\n- The bike opens with 8841\n\n## Places\n\n- The harbour opens at seven\n',
  'mixed.md': 'The shed is green\n\nIt opens with 20417 ^[local]\n',
  'open.md': '# Open\n\nThe shop opens at nine\n',
}

async function open() {
  const server = await openTestServer({
    files,
    config: `agents:
  list:
    - { id: main, workspace: "{{workspace}}" }
  defaults: { visibility: { local: [private/] }, memory: { scope: workspace, embedding: { provider: none } } }
`,
  })
  const app = await connect(server.url)
  const { token } = await app.clients.issueToken({ client: 'remote', name: 'Remote', agent: 'main' })
  await app.search.settle({ agent: 'main' })
  const { call } = await connectClient('v2', { url: new URL('/mcp', server.url).href, token })
  const read = (path: string) => readFile(join(server.workspace, path), 'utf8')
  return { app, call, read }
}

it('M64: whether words match a place that stays here is not told, whatever is asked', async () => {
  const { call } = await open()
  for (const [path, line, right] of [
    ['pin.md', 4, '93417'],
    ['private/gate.md', 1, '55120'],
    ['MEMORY.md', 5, '8841'],
    ['mixed.md', 1, '20417'],
    ['mixed.md', 3, '20417'],
  ] as const) {
    const asked = async (query: string) => (await call('memory_explain', { query, path, line })).structuredContent
    const [guessed, missed] = [await asked(right), await asked('11111')]
    expect(guessed, path).toEqual(missed)
    expect(guessed?.['why']).toMatchObject({ rank: null, reason: expect.stringContaining('stays on this machine') })
    expect(guessed?.['candidates']).toEqual([])
    const searched = async (query: string) => (await call('memory_search', { query, minScore: 0 })).structuredContent
    expect(await searched(right), path).toEqual(await searched('11111'))
  }
  const why = (await call('memory_explain', { query: 'shop', path: 'open.md', line: 3 })).structuredContent?.['why']
  expect(why).toMatchObject({ rank: 1, reason: 'it was returned' })
})

it('M64: the ranks of what a program sees have no gap where something stays here', async () => {
  const { call } = await open()
  const explained = await call('memory_explain', { query: 'opens with', maxCandidates: 100 })
  const candidates = (explained.structuredContent?.['candidates'] ?? []) as { path: string; verdict: string }[]
  expect(candidates.map(({ path }) => path)).toContain('open.md')
  const returned = candidates.flatMap(({ verdict }) => /^returned as #(\d+)$/.exec(verdict)?.[1] ?? [])
  expect(returned.map(Number)).toEqual(returned.map((_, at) => at + 1))
})
