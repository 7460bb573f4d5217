import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Proposal } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { toggled } from '#lib/util/toggled.ts'
import { useUndoableActions } from './use-undoable-actions.ts'

const dayMs = 86_400_000
export const snoozes = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const
export type Snooze = keyof typeof snoozes

export const inboxTabs = ['open', 'done'] as const
export type InboxTab = (typeof inboxTabs)[number]

/** Returns the state and actions of the inbox. @param initial id of the suggestion to select first */
export function useInbox(agent: string, initial: string | undefined) {
  const { t } = useTranslation()
  const query = useQuery(api.upkeep.list.queryOptions({ input: { agent } }))
  const [tab, setTab] = useState<InboxTab>('open')
  /** The selected suggestion and its index: when it is removed, the next one moves to this index and is selected. */
  const [selection, setSelection] = useState<{ readonly id: string | undefined; readonly index: number }>({
    id: initial,
    index: 0,
  })
  const [checkedIds, setCheckedIds] = useState<ReadonlySet<string>>(noIds)
  const { runAction, ...undoable } = useUndoableActions(() => setCheckedIds(noIds))
  const proposals: readonly Proposal[] = query.data?.[tab] ?? []
  const selectedIndex = proposals.findIndex(({ id }) => id === selection.id)
  const index = selectedIndex >= 0 ? selectedIndex : Math.min(selection.index, proposals.length - 1)
  const current = proposals[index]
  const checked = proposals.filter(({ id }) => checkedIds.has(id))
  const targets = checked.length > 0 ? checked : current ? [current] : []
  const ids = targets.map(({ id }) => id)

  const selectAt = (position: number) => {
    const next = Math.max(0, Math.min(proposals.length - 1, position))
    setSelection({ id: proposals[next]?.id, index: next })
  }
  const toggleChecked = (id: string) => setCheckedIds(toggled(checkedIds, id))
  const reopenAction = (reopenedIds: string[]) => async () =>
    void (await client.upkeep.reopen({ agent, ids: reopenedIds }))
  const closeTargets = async (text: 'upkeep.refused' | 'upkeep.snoozed', action: () => Promise<unknown>) => {
    if (ids.length === 0 || tab !== 'open') return
    await runAction(action, ids, () => ({ text: t(text, { count: ids.length }), undo: reopenAction(ids) }))
  }
  const undoAction = (acceptance: string) => () => client.upkeep.undo({ agent, acceptance })

  return {
    agent,
    query,
    tab,
    proposals,
    current,
    index,
    checkedIds,
    /** The checked suggestions, or the selected one if none is checked. */
    targets,
    ...undoable,
    showTab: (next: InboxTab) => {
      setTab(next)
      setCheckedIds(noIds)
      setSelection({ id: undefined, index: 0 })
    },
    select: (id: string) => setSelection({ id, index: proposals.findIndex((proposal) => proposal.id === id) }),
    selectAt,
    toggleChecked,
    toggleAll: () =>
      setCheckedIds(checkedIds.size === proposals.length ? noIds : new Set(proposals.map(({ id }) => id))),
    uncheckAll: () => setCheckedIds(noIds),
    checkOnly: (newIds: readonly string[]) => setCheckedIds(new Set(newIds)),
    accept: async () => {
      if (ids.length === 0 || tab !== 'open') return
      await runAction(
        () => client.upkeep.accept({ agent, ids }),
        ids,
        ({ acceptance, accepted, left: conflicting, gone: withdrawn }) => {
          const skippedNotes = [
            ...(conflicting > 0 ? [t('upkeep.left', { count: conflicting })] : []),
            ...(withdrawn > 0 ? [t('upkeep.gone', { count: withdrawn })] : []),
          ]
          const text = [t('upkeep.accepted', { count: accepted }), ...skippedNotes].join(' ')
          return { text, undo: acceptance === null ? () => Promise.resolve() : undoAction(acceptance) }
        },
      )
    },
    acceptEdited: async (proposal: Proposal, after: string[][]) => {
      const editAndAccept = async () => {
        await client.upkeep.edit({ agent, id: proposal.id, after })
        return client.upkeep.accept({ agent, ids: [proposal.id] })
      }
      await runAction(editAndAccept, [proposal.id], ({ acceptance }) =>
        acceptance === null ? undefined : { text: t('upkeep.accepted', { count: 1 }), undo: undoAction(acceptance) },
      )
    },
    refuse: () => closeTargets('upkeep.refused', () => client.upkeep.refuse({ agent, ids })),
    snooze: (span: Snooze) =>
      closeTargets('upkeep.snoozed', () => client.upkeep.snooze({ agent, ids, until: Date.now() + snoozes[span] })),
    restore: async ({ acceptance, id }: Proposal) => {
      const undo = acceptance === undefined ? reopenAction([id]) : undoAction(acceptance)
      await runAction(() => undoable.runUndo(undo), [id])
    },
    swapLines: async (proposal: Proposal) => {
      if (tab !== 'open' || !canSwapLines(proposal)) return
      await runAction(() => client.upkeep.turn({ agent, id: proposal.id }), [proposal.id])
    },
    review: () => void runWithErrorToast(client.upkeep.review({ agent })),
    scan: () => void runWithErrorToast(client.upkeep.look({ agent })),
    stop: () => void runWithErrorToast(client.upkeep.stop({ agent })),
  }
}

/** Returns true if the suggestion compares two lines and either can be removed. */
export function canSwapLines({ rule, evidence, files }: Proposal): boolean {
  return (rule === 'contradiction' || rule === 'supersedes') && evidence.length === 2 && files.length === 1
}

export type InboxState = ReturnType<typeof useInbox>

const noIds: ReadonlySet<string> = new Set()
