import { existsSync } from 'node:fs'
import { AppError } from '#shared/util/errors.ts'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import type { Clock } from '#platform'
import { locateAttachment } from '../files/attachments.ts'
import type { WorkspaceWriter, WorkspaceWrite, WriteOrigin } from '../files/workspace-writer.ts'
import { moveFile, readText } from '../files/text-files.ts'
import { trashFolder } from '../files/layout.ts'
import { normalizePath, resolveMovable, resolveTrash, resolveWritable, type Roots } from '../files/paths.ts'
import { assertNoLink } from './transaction.ts'

export interface TrashContext {
  readonly roots: Roots
  readonly writer: WorkspaceWriter
  readonly now: Clock
}

/**
 * Moves a note to the trash. The caller must hold the lock.
 * @returns its path in the trash, and the write
 * @throws AppError `symbolic_link`, `file_not_found`, and as `resolveWritable` and `readText`
 */
export async function moveToTrash(
  { roots, writer, now }: TrashContext,
  notePath: string,
  origin: WriteOrigin,
): Promise<{ readonly trashed: string; readonly write: WorkspaceWrite }> {
  // The target of a link is a separate note and must not be moved.
  await assertNoLink(roots, notePath)
  const { target } = await resolveWritable(roots, notePath)
  const file = await readText(target, notePath)
  const { trashed, ...trashTarget } = await freeTrashPath(roots, notePath, now())
  await moveFile(target, trashTarget.target, trashed, trashTarget.isAllowed)
  const write = writer.createWrite(notePath, origin, file.text, null)
  await writer.notify(write)
  return { trashed, write }
}

/**
 * Moves an attachment or a canvas to the trash.
 * @returns its path there, `.trash/<milliseconds>/<path>`
 * @throws AppError `attachment_unknown`, `file_not_found`, and as `resolveInside`
 */
export async function moveAttachmentToTrash({ roots, now }: TrashContext, notePath: string): Promise<string> {
  const target = isCanvas(notePath)
    ? (await resolveMovable(roots, notePath)).target
    : await locateAttachment(roots, notePath)
  const { trashed, ...trashTarget } = await freeTrashPath(roots, notePath, now())
  await moveFile(target, trashTarget.target, notePath, trashTarget.isAllowed)
  return trashed
}

/**
 * Moves a note from the trash back to its path. The caller must hold the lock.
 * @throws AppError `file_not_found`, `file_exists`, `path_outside_workspace`
 */
export async function restoreFromTrash(
  { roots, writer }: TrashContext,
  trashed: string,
  origin: WriteOrigin,
): Promise<WorkspaceWrite> {
  const notePath = new RegExp(`^\\${trashFolder}/\\d+/(.+)$`).exec(normalizePath(trashed))?.[1]
  if (notePath === undefined) throw new AppError('file_not_found', `${trashed} is not in the trash`, { path: trashed })
  const { target: source } = await resolveTrash(roots, trashed)
  const { target, isAllowed } = await resolveWritable(roots, notePath)
  const file = await readText(source, notePath)
  await moveFile(source, target, notePath, isAllowed)
  const write = writer.createWrite(notePath, origin, null, file.text)
  await writer.notify(write)
  return write
}

/**
 * Returns a free path in the trash. `trashed` is relative to the workspace, `target` absolute.
 * @throws AppError as `resolveTrash`
 */
async function freeTrashPath(roots: Roots, path: string, now: Date) {
  for (let timestamp = now.getTime(); ; timestamp += 1) {
    const trashed = `${trashFolder}/${timestamp}/${path}`
    const resolved = await resolveTrash(roots, trashed)
    if (!existsSync(resolved.target)) return { trashed, ...resolved }
  }
}
