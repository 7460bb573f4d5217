/**
 * Undoes an acceptance. Proposals whose lines were changed since then stay accepted and are reported. The plan is
 * stored first, then the files, the acceptance and the inbox, so that recovery can finish an undo after a crash.
 */
import type { Proposal } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { hashText } from '#workspace'
import { acceptOrigin, maxTries, textOf, type AcceptContext } from './accept.ts'
import type { Acceptance } from './acceptances.ts'
import type { InboxState, StateChange } from './inbox.ts'
import { withoutReverted, planRevert, type CurrentFile, type RevertConflict } from './plan-revert.ts'

const undoOrigin = { ...acceptOrigin, isUndo: true } as const

export interface UndoResult {
  readonly undone: number
  readonly stuck: readonly RevertConflict[]
}

/**
 * @param save stores the state with the plan of the undo before files are written
 * @throws AppError `undo_conflict` if it was undone before or is too old; then nothing is written
 */
export async function undo(
  context: AcceptContext,
  state: InboxState,
  id: string,
  save: (state: InboxState) => Promise<void>,
): Promise<StateChange<UndoResult>> {
  const acceptance = await context.acceptances.get(id)
  const isAccepted = state.proposals.some((one) => one.acceptance === id && one.state === 'accepted')
  if (!acceptance || !isAccepted)
    throw new AppError('undo_conflict', 'this was undone before, or is too old to undo', { path: '' })
  const stuck = await restoreFiles(context, acceptance, ({ texts, stuck: conflicts }) => {
    const files = [...texts].map(([path, text]) => ({ path, hash: hashOrNull(text) }))
    return save({ ...state, undoing: { acceptance: id, stuck: [...conflicts], files } })
  })
  return finishUndo(context, state, acceptance, stuck)
}

const hashOrNull = (text: string | null) => (text === null ? null : hashText(text))

/** Finishes an undo that a crash interrupted, or discards it if none of its files is written. */
export async function recoverUndo(context: AcceptContext, state: InboxState): Promise<InboxState> {
  const { undoing, ...stateWithoutUndo } = state
  if (!undoing) return state
  const { workspace, acceptances } = context
  await workspace.recover()
  const acceptance = await acceptances.get(undoing.acceptance)
  const currentTexts = await Promise.all(undoing.files.map(({ path }) => textOf(workspace, path)))
  const isWritten = undoing.files.some(({ hash }, index) => hash === hashOrNull(currentTexts[index] ?? null))
  if (!acceptance || (undoing.files.length > 0 && !isWritten)) return stateWithoutUndo
  for (const [index, { path, hash }] of undoing.files.entries())
    if (hash === null && currentTexts[index] === acceptance.files.find((file) => file.path === path)?.after)
      await workspace.remove(path, undoOrigin)
  return (await finishUndo(context, stateWithoutUndo, acceptance, undoing.stuck)).state
}

async function finishUndo(
  { acceptances, now }: AcceptContext,
  state: InboxState,
  acceptance: Acceptance,
  stuck: readonly RevertConflict[],
): Promise<StateChange<UndoResult>> {
  const { id } = acceptance
  const remaining = withoutReverted(acceptance, stuck)
  // Written before the inbox: otherwise recovery would take the reopened proposals for an interrupted acceptance.
  await acceptances.put(id, remaining)
  const conflictByProposal = new Map(stuck.map(({ proposal, path, line }) => [proposal, { path, line }]))
  const proposals = state.proposals.map((one): Proposal => {
    if (one.acceptance !== id || one.state !== 'accepted') return one
    const { acceptance: _acceptance, stuck: _stuck, ...reopened } = one
    const place = conflictByProposal.get(one.id)
    return place ? { ...one, stuck: place } : { ...reopened, state: 'open', stateAt: now }
  })
  return {
    state: { ...state, proposals },
    value: { undone: acceptance.proposals.length - remaining.proposals.length, stuck },
  }
}

async function restoreFiles(
  { workspace, differ }: AcceptContext,
  acceptance: Acceptance,
  onPlanned: (plan: ReturnType<typeof planRevert>) => Promise<void>,
): Promise<readonly RevertConflict[]> {
  for (let attempt = 1; ; attempt += 1) {
    const currentFiles = new Map<string, CurrentFile>()
    for (const { path, after } of acceptance.files) {
      const text = await textOf(workspace, path)
      const isSame = text === null || text === after
      currentFiles.set(path, { text, changes: isSame ? [] : await differ.changedLines(after, text) })
    }
    const plan = planRevert(acceptance, currentFiles)
    const { texts, stuck } = plan
    await onPlanned(plan)
    const rewrites = [...texts].flatMap(([path, after]) =>
      after === null ? [] : [{ path, before: currentFiles.get(path)?.text ?? null, after }],
    )
    try {
      await workspace.rewriteAll(rewrites, undoOrigin)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'file_changed' || attempt === maxTries) throw error
      continue
    }
    // A created file goes to the trash.
    for (const [path, after] of texts) if (after === null) await workspace.remove(path, undoOrigin)
    return stuck
  }
}
