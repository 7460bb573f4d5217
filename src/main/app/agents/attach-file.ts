import { writeFile } from 'node:fs/promises'
import type { VaultConventions } from '#shared/contract/index.ts'
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError } from '#shared/util/errors.ts'
import { folderOf } from '#shared/markdown/links/resolve-link.ts'
import { normalizePath, toFileName, type Links, type Workspace } from '#workspace'

interface AttachContext {
  readonly workspace: Workspace
  readonly links: Links
  readonly conventions: Pick<VaultConventions, 'kind' | 'attachments'>
}

/**
 * Stores a file in the attachment folder of the vault, under the next free name.
 * @param attachment `note`: the one that embeds the file; it need not exist
 * @returns the workspace-relative path of the file, and the link to embed in the note
 * @throws AppError `attachment_unknown` if notes cannot embed this type, `disk_full`, and as `resolveInside`
 */
export async function attachFile(
  { workspace, links, conventions: { kind, attachments } }: AttachContext,
  { note: requested, name, bytes }: { readonly note: string; readonly name: string; readonly bytes: Uint8Array },
): Promise<{ path: string; link: string }> {
  await workspace.locate(requested)
  const note = normalizePath(requested)
  const [, stem = name, extension = ''] = /^(.*?)(\.[^.]*)$/.exec(name) ?? []
  if (attachmentType(name) === undefined)
    throw new AppError('attachment_unknown', `${name} is not a supported attachment type`, { path: name })
  const folder = attachmentFolder(attachments, note)
  const path = await writeNewFile(workspace, `${folder}${toFileName(stem, 'File')}`, extension.toLowerCase(), bytes)
  links.markStale()
  // Logseq links pages by name, but files by relative path.
  const style = kind === 'logseq' ? ({ links: 'markdown', linkPaths: 'relative' } as const) : undefined
  return { path, link: await links.formatLink({ from: note, path, label: stem, isEmbed: true, style }) }
}

function attachmentFolder(attachments: VaultConventions['attachments'], note: string): string {
  if (attachments === 'beside') return folderOf(note)
  if ('below' in attachments) return `${folderOf(note)}${attachments.below}/`
  return attachments.path === '' ? '' : `${attachments.path}/`
}

async function writeNewFile(workspace: Workspace, stem: string, extension: string, bytes: Uint8Array): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? stem + extension : `${stem} ${number}${extension}`
    if (await workspace.exists(path)) continue
    try {
      await workspace.attach(path, (file) => writeFile(file, bytes, { flag: 'wx' }))
      return path
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'file_exists')) throw error
    }
  }
}
