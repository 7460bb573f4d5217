import { ChangeLog, type ChangeDraft } from '../../src/main/workspace/changes/change-log.ts'
import { changeLogFile } from '../../src/main/app/agents/state-folders.ts'
import { join } from 'node:path'

/** Stores a change of the main agent as a process does that is killed before it replaces the files. */
export async function storePendingChange(
  { home, workspace }: { readonly home: string; readonly workspace: string },
  draft: Pick<ChangeDraft, 'kind' | 'detail' | 'files'>,
): Promise<void> {
  const log = new ChangeLog(changeLogFile(join(home, 'history/main'), workspace), workspace)
  await log.begin({ origin: { cause: 'user' }, at: Date.now(), ...draft })
  log.close()
}

/** A move of one note after which the links in other notes are updated. The note itself is moved already. */
export function pendingMove(
  from: string,
  to: string,
  files: ChangeDraft['files'],
): Pick<ChangeDraft, 'kind' | 'detail' | 'files'> {
  return { kind: 'move', detail: { move: { from, to, isFolder: false }, made: [] }, files }
}
