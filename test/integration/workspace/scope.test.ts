import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'

const files = {
  'MEMORY.md': '# Long-term memory\n\nThe walrus sleeps in the harbour.\n',
  'memory/2026-01-20.md': '# 2026-01-20\n\n## 10:30 - Walrus\nThe walrus ate forty herrings.\n',
  'projects/zoo.md': '# Zoo\n\nThe walrus enclosure costs 9,000 a month.\n',
  'sessions/plan.md': '# Sessions with the walrus trainer\n',
  'AGENTS.md': '# Rules\n\nNever feed the walrus.\n',
  'USER.md': '# User\n\nLikes the walrus.\n',
  '.obsidian/walrus.md': 'The walrus theme.\n',
  '.trash/walrus.md': 'An old walrus.\n',
  'site/node_modules/walrus/README.md': '# walrus.js\n',
}

async function openScoped(memory = '', watch = false) {
  const config = `agents:\n  defaults:\n    memory: { search: {}${memory} }\n  list:\n    - { id: main, workspace: "{{workspace}}" }\n`
  const test = await openTestApp({ files, config, watch })
  const agent = await test.app.agents.get('main')
  const settle = () => agent.memory.settle(10_000)
  await settle()
  const found = async (query = 'walrus') => {
    const { results } = await agent.memory.search(query, { minScore: 0, maxResults: 50 })
    return results.map(({ path }) => path).sort()
  }
  const unsearched = async (path: string, line = 1) =>
    (await agent.memory.explain('walrus', {}, { path, line })).why?.unsearched
  return { ...test, agent, settle, found, unsearched }
}

const everything = ['MEMORY.md', 'memory/2026-01-20.md', 'projects/zoo.md', 'sessions/plan.md']

describe('search scope', () => {
  it('includes every note, but no project context, hidden folders, trash or node_modules', async () => {
    const { found, agent } = await openScoped()
    expect(await found()).toEqual(everything)
    expect(await agent.memory.status()).toMatchObject({ files: everything.length, state: 'ready', problems: [] })
  })

  it('applies a change of the scope immediately, in both directions', async () => {
    const { app, agent, found } = await openScoped()
    expect(await app.agents.configOf('main').setMemory('scope', 'memory')).toBe('workspace')
    await until(async () => (await found()).length === 2)
    expect((await agent.memory.status()).files).toBe(2)
    await app.agents.configOf('main').setMemory('scope', 'workspace')
    await until(async () => (await found()).length === everything.length)
    expect((await agent.memory.status()).files).toBe(everything.length)
  })

  it('watches notes in every folder, except files that are not searched', async () => {
    const { workspace, agent, found, settle } = await openScoped('', true)
    await writeFile(join(workspace, 'projects/new.md'), 'A walrus calf was born.\n')
    await until(async () => (await found('walrus calf')).includes('projects/new.md'))
    await rm(join(workspace, 'projects/zoo.md'))
    await until(async () => !(await found()).includes('projects/zoo.md'))
    await mkdir(join(workspace, 'lib/node_modules'), { recursive: true })
    await writeFile(join(workspace, 'lib/node_modules/walrus.md'), 'walrus\n')
    await agent.workspace.write('SOUL.md', 'Calm as a walrus.\n', { cause: 'user' })
    await settle()
    expect(await found()).toEqual(['MEMORY.md', 'memory/2026-01-20.md', 'projects/new.md', 'sessions/plan.md'])
  })

  it('excludes links out of the workspace and to hidden files', async () => {
    const { workspace, home, agent, found } = await openScoped()
    await writeFile(join(home, 'walrus.md'), 'The secret walrus.\n')
    await symlink(join(home, 'walrus.md'), join(workspace, 'projects/out.md'))
    await symlink(join(workspace, '.obsidian'), join(workspace, 'theme'))
    await agent.memory.reindex()
    expect(await found()).toEqual(everything)
  })

  it('finds a note of an extra folder in the workspace once, and searches a hidden extra folder', async () => {
    const test = await openTestApp({
      files,
      config:
        'agents:\n  list:\n    - id: main\n      workspace: "{{workspace}}"\n      memory: { extraPaths: ["{{workspace}}/projects", "{{workspace}}/.obsidian"] }\n',
    })
    const { memory } = await test.app.agents.get('main')
    await memory.settle(10_000)
    const { results } = await memory.search('walrus', { minScore: 0, maxResults: 50 })
    expect(results.map(({ path }) => path).sort()).toEqual(
      [...everything, `${test.workspace}/.obsidian/walrus.md`].sort(),
    )
  })

  it('another agent finds only MEMORY.md and memory/ of a shared memory', async () => {
    const { app, workspace } = await openTestApp({
      files,
      config:
        'agents:\n  list:\n    - { id: main, workspace: "{{workspace}}", memory: { shareWith: [work] } }\n    - { id: work, workspace: "{{workspace}}-work" }\n',
    })
    await mkdir(`${workspace}-work`)
    const { memory } = await app.agents.get('work')
    await memory.settle(10_000)
    const { results } = await memory.search('walrus', { minScore: 0, maxResults: 50 })
    expect(results.map(({ path }) => path).sort()).toEqual(['@main/MEMORY.md', '@main/memory/2026-01-20.md'])
    const { why } = await memory.explain('walrus', {}, { path: '@main/projects/zoo.md', line: 3 })
    expect(why?.unsearched).toEqual({ reason: 'outside' })
  })

  it('explains why a line is not found', async () => {
    const lines: [path: string, line: number, reason: string][] = [
      ['projects/none.md', 1, 'missing'],
      ['projects/zoo.md', 99, 'emptyLine'],
      ['/etc/hosts.md', 1, 'outside'],
      ['../state/walrus.md', 1, 'outside'],
    ]
    const { unsearched } = await openScoped()
    for (const [path, line, reason] of lines) expect(await unsearched(path, line), path).toEqual({ reason })
  })

  it('reports an unreadable file with the reason, also in the file list', async () => {
    const { workspace, agent, unsearched } = await openScoped()
    await writeFile(join(workspace, 'projects/broken.md'), Buffer.from([0x77, 0xff, 0xfe, 0x00, 0x80]))
    await agent.memory.reindex()
    const told = await unsearched('projects/broken.md')
    expect(told).toMatchObject({ reason: 'unreadable', message: expect.stringMatching(/./) })
    const entries = await agent.listFiles(undefined)
    expect(entries.find(({ path }) => path === 'projects/broken.md')?.unsearched).toEqual(told)
    expect(entries.find(({ path }) => path === 'USER.md')?.unsearched).toEqual({ reason: 'project' })
    expect(entries.find(({ path }) => path === 'projects/zoo.md')).not.toHaveProperty('unsearched')
  })
})
