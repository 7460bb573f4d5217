import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import { type Clock, ageOf, cleanTemporaryFiles, type CleanupResult } from '#platform'
import { locateAttachment } from '../files/attachments.ts'
import type { WorkspaceWriter, WorkspaceWrite, WriteOrigin } from '../files/workspace-writer.ts'
import { moveFile, readText } from '../files/text-files.ts'
import { isIgnoredPath, trashFolder } from '../files/layout.ts'
import { findLegacyTempFiles } from '../files/workspace-cleanup.ts'
import { normalizePath, resolveMovable, resolveTrash, resolveWritable, type Roots } from '../files/paths.ts'
import { assertNoLink } from './transaction.ts'
import { freeTrashPath } from '../files/trash.ts'

const dayMs = 86_400_000

export interface Trash {
  readonly roots: Roots
  readonly edits: WorkspaceWriter
  readonly now: Clock
}

/**
 * Moves a note to the trash. The caller must hold the lock.
 * @returns its path in the trash, and the write
 * @throws AppError `symbolic_link`, `file_not_found`, and as `resolveWritable` and `readText`
 */
export async function moveToTrash(
  { roots, edits, now }: Trash,
  shown: string,
  origin: WriteOrigin,
): Promise<{ readonly trashed: string; readonly write: WorkspaceWrite }> {
  // The target of a link is a separate note and must stay.
  await assertNoLink(roots, shown)
  const { target } = await resolveWritable(roots, shown)
  const file = await readText(target, shown)
  const { trashed, ...grave } = await freeTrashPath(roots, shown, now())
  await moveFile(target, grave.target, trashed, grave.isAllowed)
  const write = edits.writeOf(shown, origin, file.text, null)
  await edits.notify(write)
  return { trashed, write }
}

/**
 * Moves an attachment or a canvas to the trash.
 * @returns its path there, `.trash/<milliseconds>/<path>`
 * @throws AppError `attachment_unknown`, `file_not_found`, and as `resolveInside`
 */
export async function moveAttachmentToTrash({ roots, now }: Trash, shown: string): Promise<string> {
  const target = isCanvas(shown) ? (await resolveMovable(roots, shown)).target : await locateAttachment(roots, shown)
  const { trashed, ...grave } = await freeTrashPath(roots, shown, now())
  await moveFile(target, grave.target, shown, grave.isAllowed)
  return trashed
}

/**
 * Moves a note from the trash back to its path. The caller must hold the lock.
 * @throws AppError `file_not_found`, `file_exists`, `path_outside_workspace`
 */
export async function restoreFromTrash(
  { roots, edits }: Trash,
  trashed: string,
  origin: WriteOrigin,
): Promise<WorkspaceWrite> {
  const shown = new RegExp(`^\\${trashFolder}/\\d+/(.+)$`).exec(normalizePath(trashed))?.[1]
  if (shown === undefined) throw new AppError('file_not_found', `${trashed} is not in the trash`, { path: trashed })
  const { target: source } = await resolveTrash(roots, trashed)
  const { target, isAllowed } = await resolveWritable(roots, shown)
  const file = await readText(source, shown)
  await moveFile(source, target, shown, isAllowed)
  const write = edits.writeOf(shown, origin, null, file.text)
  await edits.notify(write)
  return write
}

/**
 * Removes temporary files of killed writes. Files that may be the user's go to the trash, and only if unchanged for a
 * day.
 */
export async function cleanUpTempFiles({ roots, edits, now }: Trash): Promise<CleanupResult> {
  const { workspace } = roots
  const tidied = await cleanTemporaryFiles(workspace, (path) => !isIgnoredPath(path.split('/')))
  const found = findLegacyTempFiles(tidied.otherFiles)
  if (found.length === 0) return tidied
  await edits.withLock(async () => {
    for (const path of found) {
      const file = join(workspace, path)
      if (ageOf(await stat(file)) < dayMs) continue
      const { trashed, target, isAllowed } = await freeTrashPath(roots, path, now())
      await moveFile(file, target, trashed, isAllowed)
    }
  })
  return tidied
}
