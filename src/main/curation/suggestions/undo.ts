/**
 * Undoes an acceptance. Proposals whose lines were changed since stay accepted and are reported. An undo interrupted
 * by a crash can be repeated: files are written first, then the acceptance, then the inbox.
 */
import type { Proposal } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { Differ } from '#platform'
import { acceptOrigin, maxTries, textOf, type StateChange, type AcceptContext } from './accept.ts'
import type { Acceptance } from './acceptances.ts'
import type { InboxState } from './inbox.ts'
import { withoutReverted, planRevert, type CurrentFile, type RevertConflict } from './plan-revert.ts'

export interface UndoResult {
  readonly undone: number
  readonly stuck: readonly RevertConflict[]
}

/** @throws AppError `undo_conflict` if it was undone before or is too old; then nothing is written */
export async function undo(
  context: Omit<AcceptContext, 'localOf'> & { readonly differ: Differ },
  state: InboxState,
  id: string,
): Promise<StateChange<UndoResult>> {
  const { acceptances, now } = context
  const acceptance = await acceptances.get(id)
  const isAccepted = state.proposals.some((one) => one.acceptance === id && one.state === 'accepted')
  if (!acceptance || !isAccepted)
    throw new AppError('undo_conflict', 'this was undone before, or is too old to undo', { path: '' })
  const stuck = await restore(context, acceptance)
  const left = withoutReverted(acceptance, stuck)
  // Written before the inbox: otherwise recovery would take the reopened proposals for an interrupted acceptance.
  await acceptances.put(id, left)
  const conflictByProposal = new Map(stuck.map(({ proposal, path, line }) => [proposal, { path, line }]))
  const proposals = state.proposals.map((one): Proposal => {
    if (one.acceptance !== id || one.state !== 'accepted') return one
    const { acceptance: _acceptance, stuck: _stuck, ...rest } = one
    const place = conflictByProposal.get(one.id)
    return place ? { ...one, stuck: place } : { ...rest, state: 'open', stateAt: now }
  })
  return {
    state: { ...state, proposals },
    value: { undone: acceptance.proposals.length - left.proposals.length, stuck },
  }
}

async function restore(
  { workspace, differ }: Pick<AcceptContext, 'workspace'> & { readonly differ: Differ },
  acceptance: Acceptance,
): Promise<readonly RevertConflict[]> {
  const origin = { ...acceptOrigin, isUndo: true }
  for (let tries = 1; ; tries += 1) {
    const since = new Map<string, CurrentFile>()
    for (const { path, after } of acceptance.files) {
      const text = await textOf(workspace, path)
      const isSame = text === null || text === after
      since.set(path, { text, changes: isSame ? [] : await differ.changedLines(after, text) })
    }
    const { texts, stuck } = planRevert(acceptance, since)
    const back = [...texts].flatMap(([path, after]) =>
      after === null ? [] : [{ path, before: since.get(path)?.text ?? null, after }],
    )
    try {
      await workspace.rewriteAll(back, origin)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'file_changed' || tries === maxTries) throw error
      continue
    }
    // A created file goes to the trash.
    for (const [path, after] of texts) if (after === null) await workspace.remove(path, origin)
    return stuck
  }
}
