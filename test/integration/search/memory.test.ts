import { appendFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'

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
})
