/**
 * What another program hears of the past (M58 M64): of notes that are there, the lines that stand in them, as it sees them
 * now. What was taken out may have been so for being private; nobody can tell by its mark any more.
 */
import type { HistoryEntry } from '#shared/contract/index.ts'
import type { Snapshot } from '#workspace/privacy'
import { readNoteWithVisibility, type Agent } from './client-visibility.ts'

/** @param sight undefined where everything is seen */
export async function seenEntries(
  entries: HistoryEntry[],
  agent: Agent,
  sight: Snapshot | undefined,
): Promise<HistoryEntry[]> {
  const shared = entries.filter(({ now }) => agent.isForPrograms(now))
  if (!sight || shared.length === 0) return shared
  const there = new Set(await agent.workspace.paths())
  return shared.filter(({ now }) => there.has(now) && !sight.notes.has(now))
}

/** Of the lines that a change added those that it sees; the texts around them it may ask for. */
export async function seenDiff(
  { commit, path }: { readonly commit: string; readonly path: string },
  patch: string,
  agent: Agent,
  sight: Snapshot,
): Promise<string> {
  const now = await agent.requireHistory.currentPath(path, commit)
  const found = agent.isForPrograms(now) ? await readNoteWithVisibility(agent, sight, now) : undefined
  if (!found || found.note.isFullyLocal) return ''
  const standing = new Set(
    sight
      .shown(now, found.text)
      .text.split('\n')
      .map((line) => line.trim()),
  )
  return patch
    .split('\n')
    .filter((line) => line.startsWith('+') && !line.startsWith('+++') && standing.has(line.slice(1).trim()))
    .join('\n')
}
