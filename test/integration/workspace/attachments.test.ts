import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { createRouter } from '../../../src/main/app/api/router.ts'
import { openTestApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'

const main = { agent: 'main' }

describe('attachments', () => {
  it('returns a large file in pieces, with type, size and time', async () => {
    const bytes = Uint8Array.from({ length: 2_500_000 }, (_, index) => (index * 7) % 251)
    const { app } = await openTestApp({ files: { 'img/a picture.png': bytes, 'empty.pdf': '' } })
    const { workspace } = createRouterClient(createRouter(app))
    const parts: Buffer[] = []
    let from = 0
    for (;;) {
      const piece = await workspace.attachment({ ...main, path: 'img/a picture.png', from })
      expect(piece).toMatchObject({ type: 'image/png', size: bytes.length })
      const part = Buffer.from(piece.data, 'base64')
      parts.push(part)
      from += part.length
      if (from >= piece.size) break
    }
    expect(parts.length).toBe(3)
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
    expect(await workspace.attachment({ ...main, path: 'empty.pdf' })).toMatchObject({ size: 0, data: '' })
    expect(await workspace.attachment({ ...main, path: 'empty.pdf', from: 99 })).toMatchObject({ data: '' })
  })

  it('refuses other file types, hidden files and files outside, also through links', async () => {
    const { app, workspace: folder } = await openTestApp({
      files: { 'page.html': '<script>', 'run.sh': 'x', 'note.md': 'x', 'secret.txt': 'x' },
    })
    const { workspace } = createRouterClient(createRouter(app))
    const outside = await temporaryFolder()
    await writeFile(join(outside, 'secret.png'), 'secret')
    await mkdir(join(folder, '.hidden'))
    await writeFile(join(folder, '.hidden/a.png'), 'x')
    await symlink(join(outside, 'secret.png'), join(folder, 'link.png'))
    await symlink(outside, join(folder, 'linked'))
    await symlink(join(folder, 'secret.txt'), join(folder, 'other.png'))
    await mkdir(join(folder, 'folder.png'))
    const codeOf = (path: string) =>
      workspace.attachment({ ...main, path }).then(
        () => 'read',
        (error: { code?: string }) => error.code,
      )
    expect(
      await Promise.all(
        [
          'page.html',
          'run.sh',
          'note.md',
          'other.png',
          'folder.png',
          '.hidden/a.png',
          'link.png',
          'linked/secret.png',
          '../secret.png',
          join(outside, 'secret.png'),
          'none.png',
        ].map(codeOf),
      ),
    ).toEqual([
      'attachment_unknown',
      'attachment_unknown',
      'attachment_unknown',
      'attachment_unknown',
      'attachment_unknown',
      'path_hidden',
      'path_outside_workspace',
      'path_outside_workspace',
      'path_outside_workspace',
      'path_outside_workspace',
      'file_not_found',
    ])
  })
})
