import { mergeTexts, revertStatusOfHunks, type RevertStatus } from '#platform'
import { parseLargeChange, type LargeChange } from '#shared/util/large-change.ts'
import { splitHunks } from '#shared/util/patch-hunks.ts'
import { currentPath, textIfExists, queryTimeline } from './history-queries.ts'
import type { Repository } from './repository.ts'

export interface ChangeRevertStatus {
  readonly path: string
  /** One status for each hunk, in order; exactly one for a large change, whose lines are not stored. */
  readonly hunks: RevertStatus[]
}

/**
 * Returns for each hunk of a change whether it is still in the file, was undone or was edited.
 * @param path path of the file when the change was made
 */
export async function revertStatusOf(repository: Repository, path: string, patch: string): Promise<ChangeRevertStatus> {
  const pathNow = repository.blobIdAt(path) === undefined ? await currentPath(repository, path) : path
  const id = repository.blobIdAt(pathNow)
  const text = id === undefined ? '' : await repository.text(id)
  const large = parseLargeChange(patch)
  if (large) return { path: pathNow, hunks: [await statusOfLargeChange(repository, text, large)] }
  const hunks = revertStatusOfHunks(text, patch)
  if (!hunks.includes('changed')) return { path: pathNow, hunks }
  const hunkPatches = splitHunks(patch)
  const changes = await queryTimeline(repository, { path: pathNow, limit: Number.MAX_SAFE_INTEGER })
  for (const { file } of changes.filter(({ isUndo }) => isUndo)) {
    const [before, after] = [await textOrEmpty(repository, file.before), await textOrEmpty(repository, file.after)]
    for (const [index, hunkPatch] of hunkPatches.entries())
      if (hunks[index] === 'changed' && isApplied(before, hunkPatch) && !isApplied(after, hunkPatch))
        hunks[index] = 'undone'
  }
  return { path: pathNow, hunks }
}

function isApplied(text: string, hunkPatch: string): boolean {
  return revertStatusOfHunks(text, hunkPatch)[0] === 'there'
}

async function statusOfLargeChange(repository: Repository, text: string, large: LargeChange): Promise<RevertStatus> {
  const [before, after] = [await textIfExists(repository, large.before), await textIfExists(repository, large.after)]
  if (before === undefined || after === undefined) return 'changed'
  if (text === after) return 'there'
  if (text === before) return 'undone'
  return mergeTexts(after, text, before) === undefined ? 'changed' : 'there'
}

async function textOrEmpty(repository: Repository, id: string | null): Promise<string> {
  return id === null ? '' : ((await textIfExists(repository, id)) ?? '')
}
