import { randomUUID } from 'node:crypto'
import type { Proposal } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { Differ } from '#platform'
import type { Workspace } from '#workspace'
import type { Acceptances } from './acceptances.ts'
import type { InboxState, StateChange } from './inbox.ts'
import type { PrivacyOf } from './keep-private.ts'
import { TextLines } from './line-edits.ts'
import { planAcceptance } from './accept-plan.ts'
import { isOpen, loadNotes, readNote } from './proposal.ts'

/** Maximum attempts to write. An attempt fails if another program saves a file between reading and writing. */
export const maxTries = 5

export const acceptOrigin = { cause: 'upkeep' } as const

export interface AcceptContext {
  readonly workspace: Workspace
  readonly differ: Differ
  readonly acceptances: Acceptances
  readonly privacyOf: PrivacyOf
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Accepts open proposals as one change of their files; ignores ids that are unknown or closed.
 * @returns the id of the acceptance, null if nothing was accepted, and the numbers of proposals
 * @throws AppError `file_changed` after `maxTries` attempts, and as `Workspace.rewriteAll`
 */
export async function accept(
  { workspace, acceptances, now, privacyOf }: AcceptContext,
  state: InboxState,
  ids: readonly string[],
): Promise<StateChange<{ acceptance: string | null; accepted: number; left: number; gone: number }>> {
  const proposals = openProposals(state, ids, now)
  for (let attempt = 1; ; attempt += 1) {
    const plan = planAcceptance(proposals, await loadNotes(workspace, proposals), now, privacyOf)
    const id = `${String(now).padStart(15, '0')}-${randomUUID().slice(0, 8)}`
    const counts = { accepted: plan.accepted.length, left: plan.skipped.length, gone: plan.withdrawn.length }
    const newState = withNewStates(state, plan.accepted, plan.withdrawn, id, now)
    if (plan.accepted.length === 0) return { state: newState, value: { acceptance: null, ...counts } }
    const acceptedEdits = plan.accepted.flatMap(({ id: proposal, files }) =>
      files.flatMap(({ path, edits }) => edits.map((edit) => ({ ...edit, proposal, path }))),
    )
    await acceptances.put(id, {
      id,
      at: now,
      proposals: plan.accepted.map((proposal) => proposal.id),
      files: [...plan.files],
      edits: acceptedEdits,
    })
    try {
      await workspace.rewriteAll(plan.files, acceptOrigin)
    } catch (error) {
      // If the rollback failed too, the next change completes the acceptance.
      if (!(error instanceof AppError) || error.code !== 'file_changed') throw error
      await acceptances.drop(id)
      if (attempt === maxTries) throw error
      continue
    }
    return { state: newState, value: { acceptance: id, ...counts } }
  }
}

/** Returns the diffs of an acceptance without writing. */
export async function preview({ workspace, privacyOf, now }: AcceptContext, state: InboxState, ids: readonly string[]) {
  const proposals = openProposals(state, ids, now)
  const notes = await loadNotes(workspace, proposals)
  const { edits, skipped, withdrawn } = planAcceptance(proposals, notes, now, privacyOf)
  const files = [...edits].map(([path, fileEdits]) => {
    const note = notes.get(path)
    return { path, patch: (note?.lines ?? new TextLines('')).patch(path, fileEdits), isNew: !note }
  })
  return { files, left: skipped.length, gone: withdrawn.length }
}

/** Completes an acceptance that a crash interrupted: marks its proposals if the files are written, else drops it. */
export async function recoverAcceptance(
  { workspace, acceptances, now }: AcceptContext,
  state: InboxState,
): Promise<InboxState> {
  const id = await acceptances.lastId()
  const latest = id === undefined ? undefined : await acceptances.get(id)
  const reopened = openProposals(state, latest?.proposals ?? [], now)
  const isRecorded = state.proposals.some((proposal) => proposal.acceptance === latest?.id)
  if (!latest || isRecorded || reopened.length === 0) return state
  await workspace.recover()
  const { files } = latest
  const texts = await Promise.all(files.map(({ path }) => textOf(workspace, path)))
  if (files.length === 0 || files.some(({ after }, index) => texts[index] === after))
    return withNewStates(state, reopened, [], latest.id, now)
  await acceptances.drop(latest.id)
  return state
}

function openProposals({ proposals }: InboxState, ids: readonly string[], now: number): Proposal[] {
  const requested = new Set(ids)
  return proposals.filter((proposal) => requested.has(proposal.id) && isOpen(proposal, now))
}

function withNewStates(
  state: InboxState,
  accepted: readonly Proposal[],
  withdrawn: readonly Proposal[],
  acceptanceId: string,
  now: number,
): InboxState {
  const updated = new Map<string, Proposal>(withdrawn.map((proposal) => [proposal.id, proposal]))
  for (const proposal of accepted)
    updated.set(proposal.id, { ...proposal, state: 'accepted', stateAt: now, acceptance: acceptanceId })
  if (updated.size === 0) return state
  return { ...state, proposals: state.proposals.map((proposal) => updated.get(proposal.id) ?? proposal) }
}

/** Returns null if the note does not exist. @throws AppError as `Workspace.read` */
export async function textOf(workspace: Workspace, path: string): Promise<string | null> {
  return (await readNote(workspace, path))?.text ?? null
}
