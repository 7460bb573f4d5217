/** A subfolder for the agent's own files keeps a vault clean. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { folderWith, until, writeFiles } from '../../support/folder.ts'

const vault = {
  '.obsidian/app.json': '{}',
  '.obsidian/daily-notes.json': '{"folder":"Journal","format":"YYYY-MM-DD"}',
  'Home.md': '# Home\n\nThe walrus lives in the harbour. See [[USER]].\n',
  'Deep/below/far/USER.md': 'The user of a ferry.\n',
}

async function openFolder(files: Readonly<Record<string, string>>, setUp: { seed?: boolean; own?: string } = {}) {
  const test = await openTestApp({ watch: true, now: () => new Date(2026, 0, 20, 10, 30) })
  const folder = await folderWith(files)
  const { created } = await test.client.agents.setUp({ agent: 'main', workspace: folder, locale: 'en', ...setUp })
  const agent = await test.app.agents.get('main')
  await agent.memory.settle(10_000)
  const text = (path: string) => readFile(join(folder, path), 'utf8')
  const names = async () => (await readdir(folder)).sort()
  return { ...test, folder, created, agent, text, names }
}

describe('a subfolder for the agent’s files', () => {
  it('a vault of another program has all agent files in .commonplace, and reads them there', async () => {
    const { agent, created, names, text } = await openFolder(vault, { seed: true })
    const own = ['AGENTS.md', 'MEMORY.md', 'SOUL.md', 'TOOLS.md', 'USER.md'].map((name) => `.commonplace/${name}`)
    expect(created).toEqual(own)
    expect(await names()).toEqual(['.commonplace', '.obsidian', 'Deep', 'Home.md'])
    // It names the actual paths.
    expect(await text('.commonplace/AGENTS.md')).toContain('`Journal/YYYY-MM-DD.md`')
    expect(await text('.commonplace/AGENTS.md')).toContain('`.commonplace/MEMORY.md`')

    await agent.workspace.rememberIn('People', 'Ada keeps the walrus', { cause: 'user' })
    await agent.workspace.write(
      '.commonplace/memory/2026-01-19-tea.md',
      '# Tea\n\nSummary of the chat [sessions/a.jsonl]\n\n- Tea with Ada\n',
      { cause: 'agent' },
    )
    await agent.memory.settle(10_000)
    const report = await agent.chat.meter.report(undefined, undefined)
    const items = report.items.map(({ layer, name }) => `${layer} ${name}`)
    for (const path of own) expect(items).toContain(`project ${path}`)
    expect(items).toContain('logs .commonplace/memory/2026-01-19-tea.md')
    const listed = new Map(
      (await agent.listFiles(undefined)).map(({ path, kind, unsearched }) => [path, { kind, unsearched }]),
    )
    expect(listed.get('.commonplace/MEMORY.md')).toEqual({ kind: 'memory', unsearched: undefined })
    expect(listed.get('.commonplace/USER.md')).toEqual({ kind: 'project', unsearched: { reason: 'project' } })
    expect(listed.get('Deep/below/far/USER.md')).toEqual({ kind: 'note', unsearched: undefined })
    const { results } = await agent.memory.search('who keeps the walrus', {})
    expect(results[0]?.path).toBe('.commonplace/MEMORY.md')
    // In the vault's own program a link never points into a hidden folder.
    expect(await agent.links.resolve('Home.md', 'wiki', { target: 'USER' })).toMatchObject({
      path: 'Deep/below/far/USER.md',
    })
    expect(await agent.links.resolve('Home.md', 'wiki', { target: 'SOUL' })).toMatchObject({
      path: '.commonplace/SOUL.md',
    })
    // History, deletion and restore.
    await agent.history.flush()
    expect(agent.history.timeline({ path: '.commonplace/MEMORY.md', limit: 5 }).length).toBeGreaterThan(0)
    const { write } = await agent.workspace.remove('.commonplace/memory/2026-01-19-tea.md', { cause: 'user' })
    await agent.revert({ change: write.change ?? 0 })
    expect(await text('.commonplace/memory/2026-01-19-tea.md')).toContain('Ada')
  })

  it('notices outside changes there, and other hidden folders stay hidden', async () => {
    const { agent, folder } = await openFolder({
      ...vault,
      '.commonplace/.git/config.md': 'secret',
      '.claude/x.md': 'secret',
    })
    await writeFile(join(folder, '.commonplace/MEMORY.md'), '# Long-term memory\n\nThe ferry is called Brunhilde.\n')
    await until(async () => (await agent.memory.search('ferry Brunhilde', {})).results.length > 0)
    await mkdir(join(folder, 'Deep/.commonplace'), { recursive: true })
    await writeFile(join(folder, 'Deep/.commonplace/x.md'), 'secret')
    const paths = (await agent.listFiles(undefined)).map(({ path }) => path)
    expect(paths.filter((path) => path.includes('.git') || /\.claude|Deep\/\.common/.test(path))).toEqual([])
    for (const path of [
      '.commonplace/.git/config.md',
      '.claude/x.md',
      'Deep/.commonplace/x.md',
      '.commonplace/.env.md',
    ]) {
      await expect(agent.workspace.read(path)).rejects.toMatchObject({ code: 'path_hidden' })
      await expect(agent.workspace.write(path, 'x', { cause: 'agent' })).rejects.toMatchObject({ code: 'path_hidden' })
    }
    // A link with that name is not followed.
    const elsewhere = await folderWith({ 'AGENTS.md': 'secret' })
    const { agent: linked } = await openFolder({ 'b.md': 'y' })
    await symlink(elsewhere, join(linked.workspace.roots.workspace, '.commonplace'))
    await expect(linked.workspace.read('.commonplace/AGENTS.md')).rejects.toMatchObject({
      code: 'path_outside_workspace',
    })
    expect((await linked.listFiles(undefined)).map(({ path }) => path)).toEqual(['b.md'])
  })

  it('moves the files and the links to them on request, and back', async () => {
    const files = {
      'AGENTS.md': '# Rules\n',
      'MEMORY.md': '# Long-term memory\n',
      'Home.md': 'See [memory](MEMORY.md) and [[AGENTS]].\n',
    }
    const { app, client, agent, text, names, folder } = await openFolder(files)
    expect(agent.workspace.layout.own).toBe('')
    await writeFiles(folder, { 'Agent/SOUL.md': 'Another one.\n', 'SOUL.md': 'Calm.\n' })
    const moved = await client.agents.moveOwn({ agent: 'main', own: '.commonplace' })
    expect(moved).toEqual({
      moved: ['.commonplace/AGENTS.md', '.commonplace/SOUL.md', '.commonplace/MEMORY.md'],
      left: [],
    })
    expect(await text('Home.md')).toBe('See [memory](.commonplace/MEMORY.md) and [[AGENTS]].\n')
    expect(agent.workspace.layout.own).toBe('.commonplace')
    expect((await agent.chat.meter.report(undefined, undefined)).items.map(({ name }) => name)).toContain(
      '.commonplace/AGENTS.md',
    )
    expect(await client.agents.moveOwn({ agent: 'main', own: 'Agent/' })).toEqual({
      moved: ['Agent/AGENTS.md', 'Agent/MEMORY.md'],
      left: ['.commonplace/SOUL.md'],
    })
    await client.agents.moveOwn({ agent: 'main', own: '' })
    expect(await text('Home.md')).toBe(files['Home.md'])
    expect((await names()).filter((name) => name.endsWith('.md'))).toEqual([
      'AGENTS.md',
      'Home.md',
      'MEMORY.md',
      'SOUL.md',
    ])
    // Other programs take instructions from these folders.
    for (const own of ['.claude', '.github/agents', '../x', 'a/.b'])
      await expect(client.agents.moveOwn({ agent: 'main', own })).rejects.toMatchObject({})
    await expect(app.settings.set([['agents', 'list', 0, 'vault', 'own'], '.claude'])).rejects.toMatchObject({
      code: 'config_invalid',
    })
  })

  it('agents with read access and MCP programs find the memory in its folder', async () => {
    const { app, agent, folder } = await openFolder(vault, { seed: true })
    await agent.workspace.rememberIn('People', 'Ada keeps the walrus', { cause: 'user' })
    const { agent: other } = await app.agents.create({ name: 'Second', workspace: `${folder}-2`, locale: 'en' })
    await app.agents.setReaders('main', [other])
    const second = await app.agents.get(other)
    await second.memory.settle(10_000)
    expect((await second.workspace.read('@main/.commonplace/MEMORY.md')).text).toContain('walrus')
    await expect(second.workspace.read('@main/.commonplace/USER.md')).rejects.toMatchObject({
      code: 'path_outside_workspace',
    })
    expect((await second.memory.search('who keeps the walrus', {})).results[0]?.path).toBe(
      '@main/.commonplace/MEMORY.md',
    )
    for (const [path, may] of [
      ['.commonplace/MEMORY.md', true],
      ['.commonplace/USER.md', true],
      ['.obsidian/app.json', false],
    ] as const)
      expect(agent.visibleTo({ seesPrivate: true, isProgram: true }).covers(path)).toBe(may)
  })
})
