import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readPiece } from '../../../src/main/workspace/files/attachments.ts'
import { parseLinks } from '../../../src/shared/markdown/links/parse-links.ts'
import { withoutImport } from '../../../src/shared/markdown/provenance.ts'
import { openTestApp } from '../../support/app.ts'
import { folderWith, temporaryFolder } from '../../support/folder.ts'
import { runImport } from '../../support/import.ts'

async function openImporter(files: Record<string, string> = {}) {
  const test = await openTestApp({ files, watch: true })
  const agent = await test.app.agents.get('main')
  const { importer, workspace, links } = agent
  const taskOf = (path: string, into: string, withAttachments = true) => ({ path, into, withAttachments })
  const run = async (path: string, into: string, stopAfter = Infinity) => {
    const stop = (done: number) => void (done >= stopAfter && importer.cancel())
    return (await runImport(importer, taskOf(path, into), stop)).made.toSorted()
  }
  const plan = (path: string, into: string, withAttachments?: boolean) =>
    importer.plan(taskOf(path, into, withAttachments))
  /** Targets of all links in a note, as the app resolves them. */
  const leadsOf = async (path: string) => {
    const { text } = await workspace.read(path)
    const found = parseLinks(text).links.map(({ kind, target }) => links.resolve(path, kind, { target }))
    return (await Promise.all(found)).map((one) => one?.path ?? null)
  }
  const bytes = async (path: string) => withoutImport((await readFile(join(test.workspace, path))).toString('latin1'))
  return { ...test, importer, files: workspace, run, plan, leadsOf, bytes }
}

const picture = 'PNG one'
const other = 'PNG two'

describe('importing attachments', () => {
  it.each(['folder', 'zip'])(
    'links and embeds of Obsidian, Logseq and Notion have the same targets after an import from a %s',
    async (form) => {
      const source = {
        'Home.md': '![[x.png]] ![[img/x y.png|200]] [[Deep]] [paper](docs/paper.pdf) ![[board.canvas]]\n',
        'sub/Deep.md': '![](../img/x%20y.png) ![](/img/x%20y.png "t") ![far](https://example.org/x.png)\n',
        'pages/Log.md': '- ![a](../assets/x_1.png)\n- {{renderer x}}\n',
        'Page abc.md': '![Untitled](Page%20abc/Untitled.png)\n[Sub](Page%20abc/Sub%20def.md)\n',
        'Page abc/Sub def.md': '[up](../Page%20abc.md) ![](Untitled.png)\n',
        'files/x.png': picture,
        'img/x y.png': other,
        'assets/x_1.png': 'logseq',
        'Page abc/Untitled.png': 'notion',
        'docs/paper.pdf': '%PDF',
        'board.canvas':
          '{"nodes":[{"file":"Home.md"},\t{"file":"img/x y.png"},{"file":"data.csv"},{"text":"\\n[[Deep]]"}]}',
        'data.csv': 'a,b',
        '.obsidian/icon.png': 'hidden',
      }
      const folder = await folderWith(source)
      let from = folder
      if (form === 'zip') {
        from = join(await temporaryFolder(), 'x.zip')
        const entries = Object.entries(source).map(([name, text]) => [`Vault/${name}`, Buffer.from(text)])
        await writeFile(from, zipSync(Object.fromEntries(entries)))
      }
      // The same names exist already, nearer to the top than the imported files.
      const { plan, run, leadsOf, bytes } = await openImporter({
        'x.png': 'mine',
        'Deep.md': 'mine\n',
        'img/x y.png': 'mine',
      })
      const into = form === 'zip' ? 'memory/in' : 'memory/in/Vault'
      const planned = await plan(from, into)
      expect(planned).toMatchObject({
        added: 5,
        same: 0,
        conflicts: 0,
        skipped: 0,
        attachments: { added: 6, same: 0, conflicts: 0, bytes: 162 },
        lost: 0,
      })
      expect(planned.left.map(({ ending, reason, count }) => `${ending} ${reason} ${count}`).toSorted()).toEqual([
        'csv kind 1',
      ])
      const made = await run(from, into)
      expect(made).toHaveLength(11)
      const at = (path: string) => `memory/in/Vault/${path}`
      expect(await leadsOf(at('Home.md'))).toEqual([
        at('files/x.png'),
        at('img/x y.png'),
        at('sub/Deep.md'),
        at('docs/paper.pdf'),
        at('board.canvas'),
      ])
      expect(await leadsOf(at('sub/Deep.md'))).toEqual([at('img/x y.png'), at('img/x y.png')])
      expect(await leadsOf(at('pages/Log.md'))).toEqual([at('assets/x_1.png')])
      expect(await leadsOf(at('Page abc.md'))).toEqual([at('Page abc/Untitled.png'), at('Page abc/Sub def.md')])
      expect(await leadsOf(at('Page abc/Sub def.md'))).toEqual([at('Page abc.md'), at('Page abc/Untitled.png')])
      for (const [name, text] of Object.entries(source))
        if (/png|pdf/.test(name) && !name.startsWith('.')) expect(await bytes(at(name))).toBe(text)
      expect(await bytes('x.png')).toBe('mine')
      const board = source['board.canvas']
        .replace('Home.md', at('Home.md'))
        .replace('img/x y.png', at('img/x y.png'))
        .replace('[[Deep', '[[sub/Deep')
      expect(await bytes(at('board.canvas'))).toBe(board)
      // Links that resolve as written stay unchanged.
      expect(await bytes(at('pages/Log.md'))).toBe(source['pages/Log.md'])
      expect(await bytes(at('Page abc.md'))).toBe(source['Page abc.md'])
    },
    60_000,
  )

  it('imports a canvas with the files that it shows, once, and undo removes it', async () => {
    const canvas = (file: string) => `{"nodes":[ {"id":"1","type":"file","file":"${file}"} ]}`
    const vault = await folderWith({
      'a.md': 'x\n',
      'Board.canvas': canvas('a.md'),
      'Odd?.canvas': canvas('b.md'),
      'b.md': 'y\n',
      'broken.canvas': '\0',
    })
    const { plan, run, bytes, importer, workspace } = await openImporter({
      'in/a.md': 'mine\n',
      // Differs only in the shown file, so it is another canvas.
      'in/Board.canvas': canvas('mine.md'),
    })
    expect(await plan(vault, 'in')).toMatchObject({
      attachments: { added: 1, conflicts: 1 },
      links: 2,
      left: [{ reason: 'unreadable', ending: 'canvas', names: ['broken.canvas'] }],
    })
    expect(await run(vault, 'in')).toEqual(['in/Board 2.canvas', 'in/Odd.canvas', 'in/a 2.md', 'in/b.md'])
    expect(await bytes('in/Board 2.canvas')).toBe(canvas('in/a 2.md'))
    expect(await bytes('in/Odd.canvas')).toBe(canvas('in/b.md'))
    expect(await bytes('in/Board.canvas')).toBe(canvas('mine.md'))
    expect(await run(vault, 'in')).toEqual([])
    expect((await plan(vault, 'in', false)).left.map(({ reason, count }) => `${reason} ${count}`)).toContain(
      'unwanted 2',
    )
    const [past] = importer.past()
    expect(past).toMatchObject({ files: 4 })
    expect(await importer.undo(past?.change ?? 0)).toMatchObject({ notes: 4, left: [] })
    expect((await readdir(join(workspace, 'in'))).sort()).toEqual(['Board.canvas', 'a.md'])
  })

  it.skipIf(process.platform === 'win32').each(['folder', 'zip'])(
    'does not follow links of a %s, and the plan names them',
    async (form) => {
      const outside = await folderWith({ 'secret.md': 'secret\n' })
      const folder = await folderWith({ 'a.md': '[[other]]\n' })
      let from = folder
      if (form === 'zip') {
        from = join(await temporaryFolder(), 'x.zip')
        const link = [Buffer.from('a.md'), { os: 3, attrs: 0o120777 << 16 }] as const
        await writeFile(from, zipSync({ 'a.md': Buffer.from('x\n'), 'other.md': [...link], 'outside.md': [...link] }))
      } else {
        await symlink('a.md', join(folder, 'other.md'))
        await symlink(join(outside, 'secret.md'), join(folder, 'outside.md'))
        await symlink(outside, join(folder, 'folder'))
        await symlink('nowhere', join(folder, 'broken.md'))
      }
      const { plan } = await openImporter()
      const { added, left } = await plan(from, 'in')
      expect(added).toBe(1)
      const names = left.flatMap((one) => (one.reason === 'link' ? one.names : ['?'])).toSorted()
      const expected = ['broken.md', 'folder', 'other.md', 'outside.md']
      expect(names).toEqual(form === 'zip' ? ['other.md', 'outside.md'] : expected)
    },
  )

  it('replaces nothing: a picture with a taken name gets another name and new links; a repetition creates nothing', async () => {
    const vault = await folderWith({
      'note.md': '![](img/a.png) ![[b.png]] ![[odd?.png]]\n',
      'img/a.png': picture,
      'img/b.png': other,
      'img/odd?.png': 'odd',
    })
    const { plan, run, leadsOf, bytes, importer, workspace, files } = await openImporter({
      'in/img/a.png': 'mine',
      'in/img/b.png': other,
      'in/note.md': 'my own\n',
    })
    expect(await plan(vault, 'in')).toMatchObject({
      added: 0,
      conflicts: 1,
      attachments: { added: 1, same: 1, conflicts: 1 },
      links: 2,
    })
    const made = await run(vault, 'in')
    expect(made).toEqual(['in/img/a 2.png', 'in/img/odd.png', 'in/note 2.md'])
    expect(await bytes('in/note 2.md')).toBe(
      '![](<img/a 2.png>) ![[b.png]] ![[odd.png]]\n'.replace('<img/a 2.png>', 'img/a%202.png'),
    )
    expect(await leadsOf('in/note 2.md')).toEqual(['in/img/a 2.png', 'in/img/b.png', 'in/img/odd.png'])
    expect(await bytes('in/img/a.png')).toBe('mine')
    expect(await plan(vault, 'in')).toMatchObject({
      added: 0,
      same: 1,
      conflicts: 0,
      attachments: { same: 3, added: 0 },
    })
    expect(await run(vault, 'in')).toEqual([])
    await importer.undo(importer.past()[0]?.change ?? 0)
    expect(await files.exists('in/img/a 2.png')).toBe(false)
    expect((await readdir(join(workspace, 'in/img'))).toSorted()).toEqual(['a.png', 'b.png'])
    const trashed = await readdir(join(workspace, '.trash'), { recursive: true })
    expect(trashed.filter((name) => /\.(?:md|png)$/.test(name))).toHaveLength(3)
  }, 60_000)

  it('notes that differ only in their links are two notes', async () => {
    const vault = await folderWith({ 'a.md': 'A\n', 'b.md': 'B\n', 'index.md': '[[a]]\n' })
    const { run, bytes } = await openImporter({ 'in/index.md': '[[b]]\n' })
    expect(await run(vault, 'in')).toEqual(['in/a.md', 'in/b.md', 'in/index 2.md'])
    expect(await bytes('in/index.md')).toBe('[[b]]\n')
    expect(await bytes('in/index 2.md')).toBe('[[a]]\n')
  }, 60_000)

  it('an interrupted import creates only the rest when it runs again', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `n${index}`)
    const vault = await folderWith(
      Object.fromEntries(
        names.flatMap((name) => [
          [`${name}.md`, `![[${name}.png]]\n`],
          [`img/${name}.png`, name],
        ]),
      ),
    )
    const { run, plan, workspace } = await openImporter({ 'n3.png': 'mine' })
    const first = await run(vault, 'in', 12)
    expect(first.length).toBeLessThan(60)
    expect(await plan(vault, 'in')).toMatchObject({ conflicts: 0, attachments: { conflicts: 0 } })
    const second = await run(vault, 'in')
    expect([...first, ...second].toSorted()).toEqual(
      names.flatMap((name) => [`in/${name}.md`, `in/img/${name}.png`]).toSorted(),
    )
    expect((await readdir(join(workspace, 'in/img'))).filter((name) => name.startsWith('.'))).toEqual([])
  }, 60_000)

  it('treats archives in an archive, as in large Notion exports, as one export; skips attachments on request', async () => {
    const part = (files: Record<string, string>) =>
      zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])))
    const file = join(await temporaryFolder(), 'notion.zip')
    await writeFile(
      file,
      zipSync({
        'ExportBlock-1-Part-1.zip': part({ 'Page 1.md': '![x](Page%201/x.png)\n', '../up.md': 'x' }),
        'ExportBlock-1-Part-2.zip': part({ 'Page 1/x.png': picture }),
      }),
    )
    const { plan, run, leadsOf } = await openImporter()
    expect(await plan(file, 'in', false)).toMatchObject({
      added: 1,
      attachments: { added: 0 },
      lost: 1,
      left: [
        { reason: 'name', ending: 'md', count: 1, names: ['../up.md'] },
        { reason: 'unwanted', ending: 'png', count: 1, names: ['Page 1/x.png'] },
      ],
    })
    expect(await run(file, 'in')).toEqual(['in/Page 1.md', 'in/Page 1/x.png'])
    expect(await leadsOf('in/Page 1.md')).toEqual(['in/Page 1/x.png'])
  }, 60_000)

  it('does not unpack other files of an archive, nor paths outside the target', async () => {
    const file = join(await temporaryFolder(), 'evil.zip')
    const bytes = Buffer.from('x')
    const names = ['../up.png', '/abs.png', 'a/../../b.png', '.git/c.png', 'run.sh', 'x.png.exe', 'n.md', 'sub/.d.png']
    await writeFile(file, zipSync(Object.fromEntries(names.map((name) => [name, bytes]))))
    const { run, workspace } = await openImporter()
    expect(await run(file, 'in')).toEqual(['in/n.md'])
    expect((await readdir(workspace)).toSorted()).toEqual(['MEMORY.md', 'in'])
  })
})

describe('writing attachments', () => {
  it('writes only supported kinds, never over a file, never outside the workspace, and only complete files', async () => {
    const { files, workspace } = await openImporter({ 'a.png': 'mine' })
    const fill = (text: string) => (file: string) => writeFile(file, text, { flag: 'wx' })
    await files.attach('new/folder/b.png', fill('new'))
    expect(await readFile(join(workspace, 'new/folder/b.png'), 'utf8')).toBe('new')
    const { bytes } = await readPiece(files.roots, 'new/folder/b.png', 0)
    expect(bytes.toString()).toBe('new')
    for (const [path, code] of [
      ['a.png', 'file_exists'],
      ['b.sh', 'attachment_unknown'],
      ['b.md', 'attachment_unknown'],
      ['../b.png', 'path_outside_workspace'],
      ['.git/b.png', 'path_hidden'],
      ['con.png', 'path_invalid'],
    ] as const)
      await expect(files.attach(path, fill('x')), path).rejects.toMatchObject({ code })
    await expect(
      files.attach('c.png', async (file) => {
        await writeFile(file, 'half')
        throw new Error('torn')
      }),
    ).rejects.toMatchObject({ code: 'write_failed' })
    expect((await readdir(workspace)).toSorted()).toEqual(['MEMORY.md', 'a.png', 'new'])
    expect(await files.detach('new/folder/b.png')).toMatch(/^\.trash\/\d+\/new\/folder\/b\.png$/)
    await expect(files.detach('MEMORY.md')).rejects.toMatchObject({ code: 'attachment_unknown' })
  })
})
