import { link, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seedWorkspace } from '../../../src/main/app/agents/new-agent.ts'
import { defaultLayout } from '../../../src/main/workspace/files/layout.ts'
import { Workspace } from '../../../src/main/workspace/files/workspace.ts'
import { ChangeLog } from '../../../src/main/workspace/changes/change-log.ts'
import { folderWith, temporaryFolder, writeFiles } from '../../support/folder.ts'

async function openWorkspace(files: Record<string, string> = {}, forbidden: string[] = []) {
  const root = await folderWith({
    'secret.md': 'secret',
    'inside/MEMORY.md': '# Memory\n',
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`inside/${path}`, text])),
  })
  const folder = join(root, 'inside')
  const log = new ChangeLog(join(root, 'log.sqlite'), folder)
  onTestFinished(() => log.close())
  const roots = { workspace: folder, forbidden: forbidden.map((path) => join(folder, path)) }
  return { root, folder, workspace: new Workspace(roots, { log }) }
}

const outside = { code: 'path_outside_workspace' }

describe('isolation', () => {
  it('refuses links that lead out, for reading and writing', async () => {
    const { root, folder, workspace } = await openWorkspace()
    await symlink(join(root, 'secret.md'), join(folder, 'link.md'))
    await symlink(root, join(folder, 'up'))
    for (const path of ['link.md', 'up/secret.md', 'up/new.md', '../secret.md', join(root, 'secret.md')]) {
      await expect(workspace.read(path)).rejects.toMatchObject(outside)
      await expect(workspace.write(path, 'x', { cause: 'agent' })).rejects.toMatchObject(outside)
    }
    expect(await readFile(join(root, 'secret.md'), 'utf8')).toBe('secret')
  })

  it('refuses folders that belong to others, also in the workspace', async () => {
    const { workspace } = await openWorkspace({ 'state/config.yaml': 'x' }, ['state'])
    await expect(workspace.read('state/config.yaml')).rejects.toMatchObject(outside)
    await expect(workspace.write('state/x.md', 'x', { cause: 'agent' })).rejects.toMatchObject(outside)
  })

  it('follows links that stay inside', async () => {
    const { folder, workspace } = await openWorkspace({ 'memory/a.md': 'text' })
    await symlink(join(folder, 'memory'), join(folder, 'alias'))
    expect((await workspace.read('alias/a.md')).text).toBe('text')
  })

  it('reports a link loop, a folder and a missing file', async () => {
    const { folder, workspace } = await openWorkspace()
    await symlink('b', join(folder, 'a'))
    await symlink('a', join(folder, 'b'))
    await expect(workspace.read('a/x.md')).rejects.toMatchObject(outside)
    await mkdir(join(folder, 'folder.md'))
    await expect(workspace.read('folder.md')).rejects.toMatchObject({ code: 'file_not_text' })
    await expect(workspace.read('nowhere.md')).rejects.toMatchObject({ code: 'file_not_found' })
  })
})

describe('writes', () => {
  it('save merges concurrent changes, or fails with file_changed', async () => {
    const { folder, workspace } = await openWorkspace({ 'notes.md': 'one\ntwo\nthree\n' })
    const { text: baseText, hash } = await workspace.read('notes.md')
    await writeFile(join(folder, 'notes.md'), 'one\ntwo\nthree\nfour\n')
    const saved = await workspace.save('notes.md', 'ONE\ntwo\nthree\n', { hash, baseText })
    expect(saved).toMatchObject({ merged: true, text: 'ONE\ntwo\nthree\nfour\n' })
    await expect(workspace.save('notes.md', 'uno\ntwo\nthree\n', { hash, baseText })).rejects.toMatchObject({
      code: 'file_changed',
    })
    expect(await readFile(join(folder, 'notes.md'), 'utf8')).toBe('ONE\ntwo\nthree\nfour\n')
  })

  it('loses no note of 100 concurrent writers', async () => {
    const { workspace } = await openWorkspace()
    const at = new Date(2026, 0, 20, 9, 5)
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => workspace.remember(`note ${index}`, at, { cause: 'capture' })),
    )
    const { text } = await workspace.read('memory/2026-01-20.md')
    for (let index = 0; index < 100; index += 1) expect(text).toContain(`\n- 09:05 note ${index}\n`)
  })

  it('a failed write leaves the file unchanged', async () => {
    const { workspace } = await openWorkspace({ 'a.md': 'a' })
    await expect(workspace.write('a.md/b.md', 'x', { cause: 'agent' })).rejects.toMatchObject({ code: 'write_failed' })
    expect((await workspace.read('a.md')).text).toBe('a')
  })

  it('replaces a hard link instead of writing through it', async () => {
    const { root, folder, workspace } = await openWorkspace()
    await link(join(root, 'secret.md'), join(folder, 'hard.md'))
    await workspace.write('hard.md', 'mine', { cause: 'agent' })
    expect(await readFile(join(root, 'secret.md'), 'utf8')).toBe('secret')
  })
})

describe('templates', () => {
  it('seeds a new workspace without overwriting files', async () => {
    const folder = await temporaryFolder()
    const templates = new URL('../../../resources/templates/en', import.meta.url).pathname
    await writeFiles(folder, { 'USER.md': 'mine' })
    expect(await seedWorkspace(folder, templates, defaultLayout)).toEqual([
      'AGENTS.md',
      'MEMORY.md',
      'SOUL.md',
      'TOOLS.md',
    ])
    expect(await readFile(join(folder, 'USER.md'), 'utf8')).toBe('mine')
    expect(await seedWorkspace(folder, templates, defaultLayout)).toEqual([])
    await rm(join(folder, 'SOUL.md'))
    expect(await seedWorkspace(folder, templates, defaultLayout)).toEqual(['SOUL.md'])
  })
})

describe('writes of other programs', () => {
  it('keeps a save by another program between the read and the write', async () => {
    const { folder, workspace } = await openWorkspace({ 'a.md': 'one\n' })
    let looks = 0
    await workspace.edit('a.md', { cause: 'agent' }, async (text = '') => {
      looks += 1
      // An editor that does not know our lock, between our read and our write.
      if (looks === 1) await writeFile(join(folder, 'a.md'), `${text}theirs\n`)
      return `${text}ours\n`
    })
    expect(looks).toBe(2)
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('one\ntheirs\nours\n')
  })

  it('gives up and keeps the file if another program writes it again and again', async () => {
    const { folder, workspace } = await openWorkspace({ 'a.md': 'one\n' })
    let looks = 0
    const edit = workspace.edit('a.md', { cause: 'agent' }, async () => {
      looks += 1
      await writeFile(join(folder, 'a.md'), `theirs ${looks}\n`)
      return 'ours\n'
    })
    await expect(edit).rejects.toMatchObject({ code: 'file_changed' })
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe(`theirs ${looks}\n`)
  })
})
