/** A plan names changes to existing links, and an import can be undone later. */
import { writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAppOn, openTestApp } from '../../support/app.ts'
import { folderWith } from '../../support/folder.ts'
import { runImport } from '../../support/import.ts'

async function openImporter(files: Record<string, string>) {
  const test = await openTestApp({ files, watch: true })
  const { importer, links } = await test.app.agents.get('main')
  const taskOf = (path: string) => ({ path, into: 'in', withAttachments: true })
  const run = (path: string) => runImport(importer, taskOf(path))
  return { ...test, importer, links, run, plan: (path: string) => importer.plan(taskOf(path)) }
}

describe('an import and existing links', () => {
  it('the plan names existing links that get another target, a first target, or an ambiguous name', async () => {
    const { plan, run, links } = await openImporter({
      'Home.md':
        'See [[Alpha]], [[Beta]] and [[Gamma|g]].\n\n[[Delta]] and `[[Alpha]]` and [text](far/away/Alpha.md).\n',
      'far/away/Alpha.md': 'Mine.\n',
      'far/away/Delta.md': 'Mine, too.\n',
      'far/Epsilon.md': '---\naliases: [Beta]\n---\n',
    })
    const source = await folderWith({
      'Alpha.md': 'Another.\n',
      'Beta.md': 'Another.\n',
      'Gamma.md': 'Another.\n',
      'deep/below/and/further/Delta.md': 'Another.\n',
    })
    const { existing } = await plan(source)
    expect(existing.elsewhere).toEqual({
      count: 2,
      examples: [
        { path: 'Home.md', line: 1, target: 'Alpha', from: 'far/away/Alpha.md', to: 'in/Alpha.md' },
        { path: 'Home.md', line: 1, target: 'Beta', from: 'far/Epsilon.md', to: 'in/Beta.md' },
      ],
    })
    expect(existing.found).toEqual({
      count: 1,
      examples: [{ path: 'Home.md', line: 1, target: 'Gamma', from: null, to: 'in/Gamma.md' }],
    })
    expect(existing.shared).toMatchObject({ count: 1, examples: [{ target: 'Delta', to: 'far/away/Delta.md' }] })
    // The import makes the announced changes.
    await run(source)
    expect(await links.resolve('Home.md', 'wiki', { target: 'Alpha' })).toMatchObject({ path: 'in/Alpha.md' })
    expect(await links.resolve('Home.md', 'wiki', { target: 'Delta' })).toMatchObject({ path: 'far/away/Delta.md' })
    // Existing files change nothing.
    const again = await plan(source)
    expect([again.existing.elsewhere.count, again.existing.found.count, again.existing.shared.count]).toEqual([0, 0, 0])
  })
})

describe('undoing an import', () => {
  it('works after a restart, removes new folders, keeps changed files and names them', async () => {
    const { app, home, run, workspace } = await openImporter({ 'in/mine/a.md': 'mine\n' })
    const source = await folderWith({
      'x/y/one.md': 'one\n',
      'x/y/two.md': 'two\n',
      'x/pic.png': 'p',
      'z/three.md': 'three\n',
      'z/rec.mp3': 'm',
      'mine/b.md': 'b\n',
      'gone/four.md': 'four\n',
    })
    const { change, made } = await run(source)
    expect(made).toHaveLength(7)
    const imported = await readFile(join(workspace, 'in/z/three.md'), 'utf8')
    await writeFile(join(workspace, 'in/z/three.md'), 'three, and more\n')
    await utimes(join(workspace, 'in/z/rec.mp3'), 1, 1)
    await mkdir(join(workspace, 'in/x/own'))
    await writeFile(join(workspace, 'in/x/own/kept.txt'), 'not ours')
    await app.close()
    const { app: later, client } = await openAppOn(home)
    const past = await client.import.past({ agent: 'main' })
    expect(past).toMatchObject([{ change, path: source, files: 7, left: [] }])
    const undo = () => client.history.revert({ agent: 'main', change: change ?? 0 })
    expect(await undo()).toMatchObject({
      notes: 5,
      left: [
        { path: 'in/z/three.md', reason: 'changed' },
        { path: 'in/z/rec.mp3', reason: 'changed' },
      ],
    })
    expect((await readdir(join(workspace, 'in'))).sort()).toEqual(['mine', 'x', 'z'])
    expect(await readdir(join(workspace, 'in/x'))).toEqual(['own'])
    expect(await readdir(join(workspace, 'in/mine'))).toEqual(['a.md'])
    expect(await readFile(join(workspace, 'in/z/three.md'), 'utf8')).toBe('three, and more\n')
    expect(await client.import.past({ agent: 'main' })).toMatchObject([
      { change, files: 2, left: ['in/z/three.md', 'in/z/rec.mp3'] },
    ])
    // With the imported text again the file goes, and nothing is left to undo.
    await writeFile(join(workspace, 'in/z/three.md'), imported)
    await (await later.agents.get('main')).workspace.detach('in/z/rec.mp3')
    expect(await undo()).toMatchObject({ notes: 1, left: [] })
    expect((await readdir(join(workspace, 'in'))).sort()).toEqual(['mine', 'x'])
    expect(await client.import.past({ agent: 'main' })).toEqual([])
    await expect(undo()).rejects.toMatchObject({ code: 'undo_conflict' })
  })

  it('is one step if another program took the name of a note meanwhile, and keeps that file', async () => {
    const { importer, plan, workspace, app } = await openImporter({})
    const { history } = await app.agents.get('main')
    const names = Array.from({ length: 80 }, (_, number) => [`note ${number}.md`, `${number}\n`])
    const source = await folderWith(Object.fromEntries(names) as Record<string, string>)
    const taken = (await plan(source)).names.at(-1) ?? ''
    let isTaken = false
    const { change } = await runImport(importer, { path: source, into: 'in', withAttachments: true }, async () => {
      if (isTaken) return
      isTaken = true
      writeFileSync(join(workspace, taken), 'not ours\n')
      // Reads all files while the import is not complete.
      await history.applySettings()
    })
    expect(await readdir(join(workspace, 'in'))).toContain(`${basename(taken, '.md')} 2.md`)
    expect(importer.past()).toMatchObject([{ change, files: 80 }])
    expect(await importer.undo(change ?? 0)).toMatchObject({ notes: 80, left: [] })
    expect(await readdir(join(workspace, 'in'))).toEqual([basename(taken)])
    expect(await readFile(join(workspace, taken), 'utf8')).toBe('not ours\n')
  })
})
