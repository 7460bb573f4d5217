import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
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
  it('links and embeds of Obsidian, Logseq and Notion have the same targets after an import from a zip', async () => {
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
    const from = join(await temporaryFolder(), 'x.zip')
    const entries = Object.entries(source).map(([name, text]) => [`Vault/${name}`, Buffer.from(text)])
    await writeFile(from, zipSync(Object.fromEntries(entries)))
    // The same names exist already, nearer to the top than the imported files.
    const { plan, run, leadsOf, bytes } = await openImporter({
      'x.png': 'mine',
      'Deep.md': 'mine\n',
      'img/x y.png': 'mine',
    })
    const into = 'memory/in'
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
  }, 60_000)

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
})
