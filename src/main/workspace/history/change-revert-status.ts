import { mergeTexts, revertStatusOfHunks, type RevertStatus } from '#platform'
import { parseLargeChange } from '#shared/util/large-change.ts'
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
  if (parseLargeChange(patch)) return { path: pathNow, hunks: [await statusOfLargeChange(repository, text, patch)] }
  const hunks = revertStatusOfHunks(text, patch)
  if (!hunks.includes('changed')) return { path: pathNow, hunks }
  const hunkPatches = splitHunks(patch)
  const undoChanges = (await queryTimeline(repository, { path: pathNow, limit: Number.MAX_SAFE_INTEGER })).filter(
    ({ isUndo }) => isUndo,
  )
  for (const { file } of undoChanges) {
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

async function statusOfLargeChange(repository: Repository, text: string, patch: string): Promise<RevertStatus> {
  const large = parseLargeChange(patch)
  const [before, after] = large
    ? [await textIfExists(repository, large.before), await textIfExists(repository, large.after)]
    : [undefined, undefined]
  if (before === undefined || after === undefined) return 'changed'
  if (text === after) return 'there'
  if (text === before) return 'undone'
  return mergeTexts(after, text, before) === undefined ? 'changed' : 'there'
}

async function textOrEmpty(repository: Repository, id: string | null): Promise<string> {
  return id === null ? '' : ((await textIfExists(repository, id)) ?? '')
}
