import { link, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { walkMarkdown } from '../../../src/main/workspace/files/walk.ts'
import { openAppOn, openTestApp, prepareFolders } from '../../support/app.ts'
import { folderWith, temporaryFolder, writeFiles } from '../../support/folder.ts'
import { rounds } from '../../support/thorough.ts'

const deep = (levels: number) => Array.from({ length: levels }, () => 'd').join('/')

describe('large and unusual folders', () => {
  it('skips and reports files below 64 folders', async () => {
    const { app } = await openTestApp({
      watch: true,
      files: {
        [`memory/${deep(20)}/near.md`]: 'The quartz walrus.\n',
        [`memory/${deep(300)}/far.md`]: 'The quartz walrus.\n',
      },
    })
    const { workspace, memory } = await app.agents.get('main')
    await memory.settle(10_000)
    const { files, problems } = await workspace.list()
    expect(files.map(({ path }) => path)).toEqual(['MEMORY.md', `memory/${deep(20)}/near.md`])
    expect(problems).toEqual([{ path: `memory/${deep(64)}`, code: 'folder_too_deep' }])
    const { results } = await memory.search('quartz walrus', { minScore: 0 })
    expect(results).toHaveLength(1)
    const told = (await memory.status()).problems.find(({ code }) => code === 'folder_too_deep')
    expect(told?.message).toMatch(/nested too deep/)
  })

  it('reports a note that is also a file outside the folder, but not two names inside', async () => {
    const outside = join(await folderWith({ 'secret.txt': 'The quartz walrus.\n' }), 'secret.txt')
    const { app, workspace: folder } = await openTestApp({ files: { 'a.md': 'One note.\n' } })
    const { workspace, memory } = await app.agents.get('main')
    await link(join(folder, 'a.md'), join(folder, 'b.md'))
    expect((await workspace.list()).problems).toEqual([])
    await link(outside, join(folder, 'c.md'))
    expect((await workspace.list()).problems).toEqual([{ path: 'c.md', code: 'hard_link' }])
    await memory.reindex()
    await memory.settle(10_000)
    const message = expect.stringContaining('c.md is the same file')
    expect(app.health.problems('main')).toMatchObject([{ part: 'files', code: 'hard_link', level: 'note', message }])
    const { results } = await memory.search('quartz walrus', { minScore: 0 })
    expect(results).toMatchObject([{ path: 'c.md' }])
    // A change replaces the note and leaves the other file as it is.
    await workspace.write('c.md', 'Another text.\n', { cause: 'user' })
    expect(await readFile(outside, 'utf8')).toBe('The quartz walrus.\n')
    await memory.reindex()
    await memory.settle(10_000)
    expect(app.health.problems('main')).toEqual([])
  })

  it('ends with cyclic links and lists every file once', async () => {
    const folder = await temporaryFolder()
    await writeFiles(folder, { 'a/one.md': '1', 'b/two.md': '2' })
    await symlink(folder, join(folder, 'a/up'))
    await symlink(join(folder, 'a'), join(folder, 'b/other'))
    await symlink('self', join(folder, 'self'))
    const { files } = await walkMarkdown(folder)
    expect(files.map(({ path }) => path).sort()).toEqual(['a/one.md', 'b/two.md'])
  })

  it.skipIf(process.platform === 'win32')(
    'reports names that cannot be requested, and does not list them',
    async () => {
      const folder = await temporaryFolder()
      await writeFile(join(folder, 'a\\b.md'), 'x')
      await writeFile(join(folder, 'line\nbreak.md'), 'x')
      await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]), 'x')
      await writeFile(join(folder, '.hidden.md'), 'x')
      await writeFile(join(folder, 'fine.md'), 'x')
      const { files, problems } = await walkMarkdown(folder)
      expect(files.map(({ path }) => path)).toEqual(['fine.md'])
      expect(problems.map(({ code }) => code)).toEqual(['name_unusable', 'name_unusable', 'name_unusable'])
    },
  )

  it('continues an interrupted first scan at the next start', async () => {
    const all = rounds(200, 2000)
    const many = Object.fromEntries(
      Array.from({ length: all }, (_, index) => [`memory/n${index}.md`, `Note ${index} of the walrus.\n`]),
    )
    const { home } = await prepareFolders({ files: many })
    const { app: first } = await openAppOn(home)
    const { memory } = await first.agents.get('main')
    const { files } = await memory.status()
    await first.close()
    expect(files).toBeLessThan(all)
    const { app: second } = await openAppOn(home)
    const again = await second.agents.get('main')
    await again.memory.settle(60_000)
    expect((await again.memory.status()).files).toBe(all + 1)
    await again.history.flush()
    expect(again.history.timeline({ limit: 5000 }).length).toBe(all + 1)
  }, 120_000)
})
