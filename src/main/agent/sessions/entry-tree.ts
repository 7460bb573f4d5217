/**
 * The tree that a transcript's entries form by `parentId`. An edit, a retry and a deletion start a new branch and keep
 * the old one; the current branch ends at the last entry of the file.
 *
 *   m1 ─ m2 ─ m3            m3' is an edited m3: both follow m2, so they are siblings
 *          └─ m3' ─ m4'     a branch marker below m3 makes its branch the current one again
 */
import type { SessionMessage } from '#shared/contract/index.ts'
import { branchEntry, readBranchMark } from '#shared/chat/session-marks.ts'
import type { TranscriptEntry } from './transcript-entries.ts'

export type MessageVersions = NonNullable<SessionMessage['versions']>

type Parents = ReadonlyMap<string, string | null>

/** Returns the ids from `leaf` to the root, both included; empty for null. */
export function pathTo(leaf: string | null, parents: Parents): Set<string> {
  const path = new Set<string>()
  for (let id = leaf; id !== null && !path.has(id); id = parents.get(id) ?? null) path.add(id)
  return path
}

/** Returns the versions of each message on the path to `leaf` that has more than one. */
export function versionsOnBranch(
  leaf: string | null,
  entries: readonly TranscriptEntry[],
  parents: Parents,
): Map<string, MessageVersions> {
  const path = pathTo(leaf, parents)
  const messages = entries.filter(({ type }) => type === 'message')
  const messageIds = new Set(messages.map(({ id }) => id))
  // Messages whose branch was deleted and not restored.
  const deleted = new Set<string>()
  for (const entry of entries) {
    if (entry.type !== 'custom' || entry.customType !== branchEntry) continue
    const mark = readBranchMark(entry.data)
    if (mark.deleted !== undefined) deleted.add(mark.deleted)
    if (mark.restored !== undefined) deleted.delete(mark.restored)
  }
  const shown = messages.filter(({ id }) => !deleted.has(id))
  const siblingsByParent = Map.groupBy(shown, ({ parentId }) => {
    let parentMessage = parentId
    while (parentMessage !== null && !messageIds.has(parentMessage)) parentMessage = parents.get(parentMessage) ?? null
    return parentMessage
  })
  const versions = new Map<string, MessageVersions>()
  for (const siblings of siblingsByParent.values()) {
    const ids = siblings.map(({ id }) => id)
    for (const [index, id] of ids.entries()) if (ids.length > 1 && path.has(id)) versions.set(id, { ids, index })
  }
  return versions
}

/** Returns the id of the newest entry below `id`, or `id` if there is none. */
export function newestDescendant(id: string, entries: readonly TranscriptEntry[], parents: Parents): string {
  const descendants = new Set([id])
  let newestId = id
  // Parents precede their children in the file.
  for (const entry of entries) {
    const parent = parents.get(entry.id)
    if (typeof parent !== 'string' || !descendants.has(parent)) continue
    descendants.add(entry.id)
    newestId = entry.id
  }
  return newestId
}
