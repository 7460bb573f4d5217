import { existsSync } from 'node:fs'
import { trashFolder } from './layout.ts'
import { resolveTrash, type Roots } from './paths.ts'

/** A free place; `trashed` is its path in the workspace. */
export async function placeInTrash(roots: Roots, path: string, at: Date) {
  for (let number = at.getTime(); ; number += 1) {
    const trashed = `${trashFolder}/${number}/${path}`
    const place = await resolveTrash(roots, trashed)
    if (!existsSync(place.target)) return { trashed, ...place }
  }
}
