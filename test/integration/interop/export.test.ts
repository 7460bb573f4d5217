import { execFileSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'

async function openImporter(files: Record<string, string>) {
  const test = await openTestApp({ files, watch: true })
  const { importer, workspace } = await test.app.agents.get('main')
  return { ...test, importer, files: workspace }
}

describe('export of attachments', () => {
  const files = {
    'Home.md':
      '![[dot.png|40]] ![a](img/b%20c.svg) <img src="img/d.png"> [paper](../Home/x.pdf) [[talk.mp3]]\n\n![[notes/Other#Part]] and [[Third]]\n',
    'notes/Other.md': '## Part\n\n![](../img/e.png)\n',
    'Third.md': '![[third.png]]\n',
    'deep/dot.png': 'dot',
    'img/b c.svg': 'svg',
    'img/d.png': 'd',
    'img/e.png': 'e',
    'talk.mp3': 'talk',
    'third.png': 'third',
    'unused.png': 'unused',
    'script.sh': 'x',
  }
  const unpack = async (packed: Blob) => unzipSync(new Uint8Array(await packed.arrayBuffer()))

  it('a workspace export contains exactly the files that notes show or link to, at their paths', async () => {
    const { importer } = await openImporter(files)
    const entries = await unpack(await importer.pack())
    const others = Object.keys(files).filter((name) => name !== 'unused.png' && name !== 'script.sh')
    expect(Object.keys(entries)).toEqual(expect.arrayContaining(others))
    expect(Object.keys(entries)).not.toContain('unused.png')
    expect(Object.keys(entries)).not.toContain('script.sh')
    expect(Buffer.from(entries['deep/dot.png'] ?? []).toString()).toBe('dot')
  })

  it('a workspace export with history contains a repository of all changes without private text', async () => {
    const { client, files: notes } = await openImporter({
      'a.md': 'one\n',
      'secret.md': '---\nvisibility: private\n---\nx\n',
    })
    await notes.write('a.md', 'one\ntwo\n', { cause: 'user' })
    const before = await readdir(tmpdir())
    const zip = await unpack(await client.import.pack({ agent: 'main', withHistory: true }))
    const isLeft = (name: string) => name.startsWith('commonplace-history-') && !before.includes(name)
    expect((await readdir(tmpdir())).filter(isLeft)).toEqual([])
    const folder = await temporaryFolder()
    for (const [name, bytes] of Object.entries(zip)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), bytes)
    }
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' })
    git('clone', '--quiet', 'history.git', 'clone')
    expect(await readdir(join(folder, 'clone'))).toEqual(['.git', 'MEMORY.md', 'a.md'])
    const commits = git('-C', 'clone', 'log', '--format=%H', '--', 'a.md').trim().split('\n')
    const texts = commits.map((commit) => git('-C', 'clone', 'show', `${commit}:a.md`))
    expect(texts).toEqual(['one\ntwo\n', 'one\n'])
  })

  it('a note export contains embedded notes and their attachments', async () => {
    const { importer } = await openImporter(files)
    const entries = await unpack(await importer.packNote('Home.md'))
    expect(Object.keys(entries).sort()).toEqual(
      ['Home.md', 'deep/dot.png', 'img/b c.svg', 'img/d.png', 'img/e.png', 'notes/Other.md', 'talk.mp3'].sort(),
    )
    await expect(importer.packNote('../x.md')).rejects.toMatchObject({ code: 'path_outside_workspace' })
    await expect(importer.packNote('none.md')).rejects.toMatchObject({ code: 'file_not_found' })
  })
})
