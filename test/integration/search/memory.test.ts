import { appendFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getMeta, openForReading } from '../../../src/main/search/indexing/index-schema.ts'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { outdateIndex } from '../../support/outdated-index.ts'

const files = {
  'MEMORY.md':
    '# Long-term memory\n\n## Decisions\n- 2026-01-15: Chose PostgreSQL for the database of Acme\n- 2026-01-20: REST over GraphQL\n',
  'memory/2026-01-20.md':
    '# 2026-01-20\n\n## 10:30 - API discussion\nRate limit is 100 requests a minute.\n\n## 16:00 - Staging\nStaging reads POSTGRES_URL from Vault since v2.3.0.\n',
  'memory/2026-01-21.md': '# 2026-01-21\n\n## 09:00 - 飞书插件\n决定用飞书插件同步日历，周五前回复后端。\n',
  'memory/项目/笔记 📝.md': '# 选型\n数据库选型：我们选择了 TiDB。\n',
  'AGENTS.md': '# Rules about zebras\n',
}

async function openMemory(options: Parameters<typeof openTestApp>[0] = {}) {
  const test = await openTestApp({ files, watch: true, ...options })
  const { memory, workspace } = await test.app.agents.get('main')
  await memory.settle(10_000)
  const pathsFor = async (query: string) => (await memory.search(query)).results.map(({ path }) => path)
  return { ...test, memory, workspaceApi: workspace, pathsFor }
}

describe('index', () => {
  it('finds units of MEMORY.md and memory/**/*.md with exact lines, and no other files', async () => {
    const { memory, pathsFor } = await openMemory({ watch: false })
    const { results } = await memory.search('Which database did we choose for Acme?')
    expect(results[0]).toMatchObject({ path: 'MEMORY.md', startLine: 4, endLine: 4, source: 'memory' })
    expect(await pathsFor('zebras')).toEqual([])
    expect(await memory.status()).toMatchObject({ files: 4, state: 'ready', provider: 'none' })
  })

  it.each([
    ['飞书插件怎么配置？', 'memory/2026-01-21.md'],
    ['我们选择了哪个数据库', 'memory/项目/笔记 📝.md'],
    ['POSTGRES_URL', 'memory/2026-01-20.md'],
    ['v2.3.0', 'memory/2026-01-20.md'],
    ['postgres', 'memory/2026-01-20.md'],
    ['"requests a minute"', 'memory/2026-01-20.md'],
  ])('%s finds its file', async (query, path) => {
    const { pathsFor } = await openMemory({ watch: false })
    expect(await pathsFor(query)).toContain(path)
  })

  it('returns nothing for a question on another subject', async () => {
    const { pathsFor } = await openMemory({ watch: false })
    expect(await pathsFor('How do I bake sourdough bread?')).toEqual([])
    expect(await pathsFor('')).toEqual([])
    expect(await pathsFor('？！…')).toEqual([])
  })

  it('follows external changes, renames and deletions', async () => {
    const { memory, pathsFor, workspace } = await openMemory()
    await appendFile(join(workspace, 'MEMORY.md'), '- 2026-02-01: The mascot is a walrus\n')
    await until(async () => (await pathsFor('walrus mascot')).length > 0)
    await rename(join(workspace, 'memory/2026-01-20.md'), join(workspace, 'memory/2026-01-22.md'))
    await until(async () => (await pathsFor('POSTGRES_URL'))[0] === 'memory/2026-01-22.md')
    await rm(join(workspace, 'memory/2026-01-22.md'))
    await until(async () => !(await pathsFor('POSTGRES_URL')).includes('memory/2026-01-22.md'))
    expect((await memory.status()).files).toBe(3)
  })

  it('finds a note written by the app at once, despite the debounce', async () => {
    const { workspaceApi, pathsFor } = await openMemory()
    await workspaceApi.remember('The gate code is hidden under the flowerpot', new Date(2026, 1, 1, 9, 5), {
      cause: 'capture',
    })
    expect(await pathsFor('flowerpot gate code')).toEqual(['memory/2026-02-01.md'])
  })

  it('finds each version of a note right after it is written', async () => {
    const { memory, workspace, pathsFor } = await openMemory()
    for (let round = 0; round < 12; round += 1) {
      // In some rounds the indexer has reported that it is idle, in others it has not.
      if (round % 3 === 0) await memory.settle(10_000)
      await writeFile(join(workspace, 'MEMORY.md'), `# Mascots\n\nThe mascot is walrus${round}.\n`)
      memory.notifyWritten(['MEMORY.md'])
      expect(await pathsFor(`walrus${round}`)).toEqual(['MEMORY.md'])
    }
  })

  it('survives link loops and links out of the workspace', async () => {
    const { workspace, memory, pathsFor } = await openMemory({ watch: false })
    await symlink('..', join(workspace, 'memory', 'loop'))
    await symlink('/etc', join(workspace, 'memory', 'etc'))
    await memory.reindex()
    expect((await memory.status()).files).toBe(4)
    expect(await pathsFor('POSTGRES_URL')).toEqual(['memory/2026-01-20.md'])
  })

  it('reports files that cannot be indexed, and indexes the others', async () => {
    const { memory } = await openMemory({
      watch: false,
      files: {
        ...files,
        'memory/binary.md': new Uint8Array([0xff, 0xfe, 0x00, 0x41]),
        'memory/nul.md': 'a\0b',
        'memory/long.md': 'x'.repeat(5_000_000),
      },
    })
    const { problems, files: count } = await memory.status()
    expect(problems.map(({ code, path }) => [code, path]).sort()).toEqual([
      ['file_not_text', 'memory/binary.md'],
      ['file_not_text', 'memory/nul.md'],
    ])
    expect(count).toBe(5)
  })

  it('reports a file of 50 MB instead of reading it', async () => {
    const { workspace, memory } = await openMemory({ watch: false })
    await writeFile(join(workspace, 'memory/huge.md'), Buffer.alloc(50 * 1024 * 1024, 97))
    await memory.reindex()
    expect((await memory.status()).problems).toMatchObject([{ code: 'file_too_large', path: 'memory/huge.md' }])
  })

  it('recreates a deleted or damaged database', async () => {
    const first = await openMemory({ watch: false })
    await first.app.close()
    const database = join(first.home, 'memory', 'main.sqlite')
    await writeFile(database, 'this is no database at all, but it is long enough to look like one')
    const { createApp } = await import('../../../src/main/app/composition/create-app.ts')
    const { mainFolder } = await import('../../support/app.ts')
    const again = await createApp({ mainFolder, env: {}, home: first.home, watch: false })
    const { memory } = await again.agents.get('main')
    await memory.settle(10_000)
    expect((await memory.search('Acme database')).results).toHaveLength(1)
    await again.close()
  })

  it('builds a new index in place of one with other units', async () => {
    const first = await openMemory()
    await first.app.close()
    const { createApp } = await import('../../../src/main/app/composition/create-app.ts')
    const { mainFolder } = await import('../../support/app.ts')
    const database = join(first.home, 'memory', 'main.sqlite')
    outdateIndex(database)
    const again = await createApp({ mainFolder, env: {}, home: first.home })
    const { memory } = await again.agents.get('main')
    expect((await memory.search('Acme database')).results.length).toBeGreaterThan(0)
    await until(async () => (await memory.status()).state === 'ready')
    expect((await memory.search('Acme database')).results.length).toBeGreaterThan(0)
    await again.close()
    const db = openForReading(database)
    expect(JSON.parse(getMeta(db, 'fingerprint') ?? '{}')).toMatchObject({ unitVersion: 6 })
    db.close()
  })

  it('keeps the index of a workspace that is missing', async () => {
    const { workspace, memory, pathsFor } = await openMemory({ watch: false })
    await rename(workspace, `${workspace}-moved`)
    await memory.reindex()
    expect(await pathsFor('POSTGRES_URL')).toHaveLength(1)
    expect((await memory.status()).problems[0]?.code).toBe('folder_unreadable')
    await mkdir(workspace)
  })
})

describe('hybrid search', () => {
  const config = (url: string) =>
    `agents:\n  defaults:\n    memory:\n      embedding: { provider: openai-compatible, model: hashed, baseUrl: "${url}" }\n  list: [{ id: main, workspace: "{{workspace}}" }]\n`

  it('adds vectors to keywords, and gives every candidate both scores', async () => {
    const server = await startModelServer()
    const { memory } = await openMemory({ config: config(server.openAiUrl) })
    await until(async () => {
      const status = await memory.status()
      return status.units > 0 && status.embedded === status.units
    })
    const explanation = await memory.explain('database of Acme')
    expect(explanation).toMatchObject({ provider: 'openai-compatible', model: 'hashed', notice: null, weights: null })
    for (const { vector, text, parts, logit, score } of explanation.candidates) {
      expect(vector).not.toBeNull()
      expect(text).not.toBeNull()
      expect(parts.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(logit ?? NaN, 9)
      expect(1 / (1 + Math.exp(-(logit ?? NaN)))).toBeCloseTo(score, 9)
    }
    expect(explanation.candidates[0]?.path).toBe('MEMORY.md')
  })

  it('embeds an unchanged text only once, even across a reindex', async () => {
    const server = await startModelServer()
    const { memory } = await openMemory({ config: config(server.openAiUrl) })
    await memory.waitForVectors()
    const texts = () => server.requests.flatMap(({ body }) => body['input'] as string[])
    // A one-word text asks for the length of the model's vectors.
    const embedded = () => texts().filter((text) => text !== 'memory').length
    const before = embedded()
    await memory.reindex()
    await memory.waitForVectors()
    expect(embedded()).toBe(before)
  })

  it('returns keyword results with a notice if the provider fails', async () => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 64, fail: { status: 401 } }
    const { memory } = await openMemory({ config: config(server.openAiUrl) })
    await until(async () => (await memory.status()).problems.length > 0)
    expect((await memory.status()).problems[0]).toMatchObject({ code: 'provider_auth' })
    const { results, notice } = await memory.search('POSTGRES_URL')
    expect(results[0]).toMatchObject({ path: 'memory/2026-01-20.md', vectorScore: null })
    expect(notice).toMatchObject({ code: 'provider_failed', message: expect.stringContaining('refused the key') })
  })

  it('search and explain return the same results', async () => {
    const { memory } = await openMemory({ watch: false })
    const query = 'database Acme staging'
    const explanation = await memory.explain(query, { minScore: 0.1 })
    const { results } = await memory.search(query, { minScore: 0.1 })
    const returned = explanation.candidates.filter(({ verdict }) => verdict.kind === 'returned')
    expect(returned.map(({ path, score }) => [path, score])).toEqual(results.map(({ path, score }) => [path, score]))
  })

  it('says why a line was not returned', async () => {
    const { memory } = await openMemory({ watch: false })
    const why = async (query: string, path: string, line: number) =>
      (await memory.explain(query, {}, { path, line })).why
    expect(await why('POSTGRES_URL', 'memory/2026-01-20.md', 7)).toMatchObject({ reason: 'returned', rank: 1 })
    expect(await why('POSTGRES_URL', 'MEMORY.md', 4)).toMatchObject({ reason: 'noMatch', rank: null })
    expect(await why('POSTGRES_URL', 'AGENTS.md', 1)).toMatchObject({ reason: 'notIndexed', candidate: null })
    expect(await why('database of Acme', 'MEMORY.md', 5)).toMatchObject({ reason: 'weak' })
  })
})
