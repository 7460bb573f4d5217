import { existsSync } from 'node:fs'
import { trashFolder } from './layout.ts'
import { resolveTrash, type Roots } from './paths.ts'

/**
 * Returns a free path in the trash. `trashed` is relative to the workspace, `target` absolute.
 * @throws AppError as `resolveTrash`
 */
export async function freeTrashPath(roots: Roots, path: string, at: Date) {
  for (let number = at.getTime(); ; number += 1) {
    const trashed = `${trashFolder}/${number}/${path}`
    const resolved = await resolveTrash(roots, trashed)
    if (!existsSync(resolved.target)) return { trashed, ...resolved }
  }
}
