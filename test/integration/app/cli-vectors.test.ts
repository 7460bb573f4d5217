import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../support/command.ts'
import { folderWith, writeFiles } from '../../support/folder.ts'
import { startTroubledEmbeddings, type Trouble } from '../../support/troubled-embeddings.ts'

const notes = Object.fromEntries(
  Array.from({ length: 9 }, (_, index) => [`memory/${index}.md`, `# ${index}\n\nThe walrus number ${index} bathes.\n`]),
)

async function openHome(trouble: Trouble) {
  const server = await startTroubledEmbeddings()
  server.trouble = trouble
  const home = await folderWith({})
  const workspace = await folderWith({
    ...notes,
    'queries.jsonl': `${JSON.stringify({ query: 'Where is walrus number 3?', relevant: [{ path: 'memory/3.md', startLine: 3, endLine: 3 }] })}\n`,
  })
  const embedding = `{ provider: openai-compatible, model: hashed, baseUrl: "${server.url}" }`
  await writeFiles(home, {
    'config.yaml': `agents:\n  defaults: { memory: { embedding: ${embedding} } }\n  list: [{ id: main, workspace: "${workspace}" }]\n`,
  })
  const run = async (...args: string[]) => {
    const { stdout, ...rest } = await runCommand([...args, '--json', '--home', home])
    return { ...rest, value: JSON.parse(stdout || '{}') as Record<string, unknown> }
  }
  return { server, workspace, run }
}

describe('terminal commands with an embedding provider', () => {
  it('index, search, explain and eval wait until all vectors are there', async () => {
    const { run, workspace, server } = await openHome('none')
    const indexed = await run('index')
    expect(indexed).toMatchObject({ code: 0, value: { units: 9, embedded: 9 } })
    expect(indexed.stderr).toMatch(
      /^9 texts, about \d+ tokens; \d+ \(\d+ tokens\) still go to openai-compatible\/hashed\n$/,
    )
    const found = await run('search', 'walrus number 3', '--max-results', '1')
    expect(found).toMatchObject({ value: { results: [{ path: 'memory/3.md', startLine: 3 }] }, stderr: '' })
    const explained = await run('explain', 'walrus number 3')
    expect(explained.value).toMatchObject({
      notice: null,
      candidates: expect.arrayContaining([expect.objectContaining({ path: 'memory/3.md', vector: expect.anything() })]),
    })
    const measured = await run('eval', '--queries', join(workspace, 'queries.jsonl'))
    expect(measured).toMatchObject({ code: 0, value: { n: 1, embedded: 9 } })
    const status = await run('status')
    expect(status).toMatchObject({ code: 0, value: { embedded: 9, indexBytes: expect.any(Number), problems: [] } })
    expect(Number(status.value['indexBytes'])).toBeGreaterThan(10_000)
    const sent = server.texts().filter((text) => text.startsWith('#') || text.includes('bathes'))
    expect(new Set(sent).size).toBe(sent.length)
  }, 90_000)

  it('report a failing provider: search uses keywords and exits 0, index and eval exit 1', async () => {
    const { run, workspace } = await openHome('broken')
    const words = 'The model ran out of memory'
    const found = await run('search', 'walrus number 3')
    expect(found).toMatchObject({ code: 0, stderr: expect.stringContaining(words) })
    expect(found.value['results']).not.toEqual([])
    expect(found.stderr.trim().split('\n')).toHaveLength(1)
    expect(await run('index')).toMatchObject({
      code: 1,
      value: { units: 9, embedded: 0 },
      stderr: expect.stringContaining(`9 of 9 entries have no vector: `),
    })
    const queries = ['--queries', join(workspace, 'queries.jsonl')]
    expect(await run('eval', ...queries)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
    expect(await run('eval', '--no-wait', ...queries)).toMatchObject({ code: 0 })
    expect(await run('index', '--no-wait')).toMatchObject({ code: 0 })
    expect((await run('status')).value['problems']).toMatchObject([
      {
        part: 'embeddings',
        code: 'provider_unavailable',
        message: expect.stringContaining(words),
        since: expect.any(Number),
      },
    ])
  }, 120_000)
})
