import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'

const bytes = Buffer.from([137, 80, 78, 71, 0, 1, 2, 255])
const data = bytes.toString('base64')

async function openVault(files: Record<string, string>, vault = '') {
  const config = `agents:\n  list:\n    - { id: main, workspace: "{{workspace}}"${vault} }\n  defaults: { memory: { embedding: { provider: none } } }\n`
  const { client, workspace } = await openTestApp({ files: { 'a/Note.md': 'x\n', ...files }, config })
  const attach = (path: string, name: string) => client.workspace.attach({ agent: 'main', path, name, data })
  const names = (path: string, typed: string) => client.links.names({ agent: 'main', path, typed })
  return { client, workspace, attach, names }
}

describe('attachments and links in the style of the vault', () => {
  it.each([
    [
      'Obsidian, subfolder',
      { '.obsidian/app.json': '{"attachmentFolderPath":"./img","newLinkFormat":"relative"}' },
      'a/img/pic.png',
      '![[img/pic.png]]',
    ],
    [
      'Obsidian with Markdown links',
      {
        '.obsidian/app.json': '{"attachmentFolderPath":"my files","useMarkdownLinks":true,"newLinkFormat":"relative"}',
      },
      'my files/pic.png',
      '![pic](../my%20files/pic.png)',
    ],
    ['Logseq', { 'logseq/config.edn': '{}' }, 'assets/pic.png', '![pic](../assets/pic.png)'],
  ])(
    "%s: stores a pasted picture in the attachment folder and links it in the vault's style",
    async (_name, files, path, link) => {
      const { attach, workspace, client } = await openVault(files as Record<string, string>)
      expect(await attach('a/Note.md', 'pic.png')).toEqual({ path, link })
      expect(await readFile(join(workspace, path))).toEqual(bytes)
      const target = link.replace(/^!\[\[(.*)\]\]$|^!\[.*\]\((.*)\)$/, '$1$2')
      const kind = link.startsWith('![[') ? ('wiki' as const) : ('inline' as const)
      const leads = await client.links.resolve({
        agent: 'main',
        path: 'a/Note.md',
        kind,
        target: decodeURI(target),
      })
      expect(leads?.path).toBe(path)
      const second = await attach('a/Note.md', 'pic.png')
      expect(second.path).toBe(path.replace('pic.png', 'pic 2.png'))
    },
  )

  it('prefers the settings, makes names portable, and refuses unsupported types and paths outside', async () => {
    const { attach, workspace } = await openVault(
      { '.obsidian/app.json': '{"useMarkdownLinks":true,"newLinkFormat":"absolute","attachmentFolderPath":"files"}' },
      ', vault: { attachments: ./media }',
    )
    expect(await attach('a/Note.md', 'what? [x].PNG')).toEqual({
      path: 'a/media/what [x].png',
      link: '![what? \\[x\\]](a/media/what%20%5Bx%5D.png)',
    })
    await expect(attach('a/Note.md', 'run.sh')).rejects.toMatchObject({ code: 'attachment_unknown' })
    await expect(attach('../out.md', 'pic.png')).rejects.toMatchObject({ code: 'path_outside_workspace' })
    await expect(attach('.git/x.md', 'pic.png')).rejects.toMatchObject({ code: 'path_hidden' })
    expect(existsSync(join(workspace, '..', 'pic.png'))).toBe(false)
  })

  it.each([
    ['', '[[Other]]'],
    ['"newLinkFormat":"relative","useMarkdownLinks":true', '[Other](../b/Other.md)'],
  ])('Obsidian with {%s}: completion writes links in that style', async (settings, link) => {
    const { names, client } = await openVault({
      '.obsidian/app.json': `{${settings}}`,
      'b/Other.md': 'o\n',
      'b/Same.md': 's\n',
      'c/Same.md': 's\n',
    })
    const [first] = await names('a/Note.md', 'Other')
    expect(first?.link).toBe(link)
    for (const { link: same, path } of await names('a/Note.md', 'Same')) {
      const [, wiki, inline] = /^\[\[(.*)\]\]$|^\[.*\]\((.*)\)$/.exec(same) ?? []
      const kind = wiki === undefined ? ('inline' as const) : ('wiki' as const)
      const target = wiki ?? decodeURI(inline ?? '')
      expect((await client.links.resolve({ agent: 'main', path: 'a/Note.md', kind, target }))?.path).toBe(path)
    }
  })
})
