import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Proposal } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { useUndoableActions } from './use-undoable-actions.ts'

const dayMs = 86_400_000
export const snoozes = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const
export type Snooze = keyof typeof snoozes

export const inboxParts = ['open', 'done'] as const
export type InboxPart = (typeof inboxParts)[number]

/** State and actions of the inbox. @param first id of the suggestion to select first */
export function useInbox(agent: string, first: string | undefined) {
  const { t } = useTranslation()
  const query = useQuery(api.upkeep.list.queryOptions({ input: { agent } }))
  const [part, setPart] = useState<InboxPart>('open')
  /** Index at which the suggestion was selected: when it is removed, the next one is selected. */
  const [chosenAt, setChosenAt] = useState<{ readonly id: string | undefined; readonly at: number }>({
    id: first,
    at: 0,
  })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(none)
  const { act, ...steps } = useUndoableActions(() => setChosen(none))
  const proposals: readonly Proposal[] = query.data?.[part] ?? []
  const found = proposals.findIndex(({ id }) => id === chosenAt.id)
  const index = found >= 0 ? found : Math.min(chosenAt.at, proposals.length - 1)
  const current = proposals[index]
  const inside = proposals.filter(({ id }) => chosen.has(id))
  const meant = inside.length > 0 ? inside : current ? [current] : []
  const ids = meant.map(({ id }) => id)

  const go = (to: number) => {
    const at = Math.max(0, Math.min(proposals.length - 1, to))
    setChosenAt({ id: proposals[at]?.id, at })
  }
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const reopen = (these: string[]) => async () => {
    await client.upkeep.reopen({ agent, ids: these })
  }
  const takeBack = (acceptance: string) => () => client.upkeep.undo({ agent, acceptance })

  return {
    agent,
    query,
    part,
    proposals,
    current,
    index,
    chosen,
    meant,
    ...steps,
    show: (next: InboxPart) => {
      setPart(next)
      setChosen(none)
      setChosenAt({ id: undefined, at: 0 })
    },
    choose: (id: string) => setChosenAt({ id, at: proposals.findIndex((one) => one.id === id) }),
    go,
    toggle,
    chooseAll: () => setChosen(chosen.size === proposals.length ? none : new Set(proposals.map(({ id }) => id))),
    chooseNone: () => setChosen(none),
    chooseThese: (these: readonly string[]) => setChosen(new Set(these)),
    accept: async () => {
      if (ids.length === 0 || part !== 'open') return
      await act(
        () => client.upkeep.accept({ agent, ids }),
        ({ acceptance, accepted, left, gone }) => {
          const more = [
            ...(left > 0 ? [t('upkeep.left', { count: left })] : []),
            ...(gone > 0 ? [t('upkeep.gone', { count: gone })] : []),
          ]
          const text = [t('upkeep.accepted', { count: accepted }), ...more].join(' ')
          return { text, undo: acceptance === null ? () => Promise.resolve() : takeBack(acceptance) }
        },
      )
    },
    acceptEdited: async (proposal: Proposal, after: string[][]) => {
      const work = async () => {
        await client.upkeep.edit({ agent, id: proposal.id, after })
        return client.upkeep.accept({ agent, ids: [proposal.id] })
      }
      await act(work, ({ acceptance }) =>
        acceptance === null ? undefined : { text: t('upkeep.accepted', { count: 1 }), undo: takeBack(acceptance) },
      )
    },
    refuse: async () => {
      if (ids.length === 0 || part !== 'open') return
      await act(
        () => client.upkeep.refuse({ agent, ids }),
        () => ({ text: t('upkeep.refused', { count: ids.length }), undo: reopen(ids) }),
      )
    },
    snooze: async (span: Snooze) => {
      if (ids.length === 0 || part !== 'open') return
      const until = Date.now() + snoozes[span]
      await act(
        () => client.upkeep.snooze({ agent, ids, until }),
        () => ({ text: t('upkeep.snoozed', { count: ids.length }), undo: reopen(ids) }),
      )
    },
    restore: async ({ acceptance, id }: Proposal) => {
      const undo = acceptance === undefined ? reopen([id]) : takeBack(acceptance)
      await act(() => steps.takeBack(undo))
    },
    swapLines: async (proposal: Proposal) => {
      if (part !== 'open' || !canSwapLines(proposal)) return
      await act(() => client.upkeep.turn({ agent, id: proposal.id }))
    },
    review: () => void runWithErrorToast(client.upkeep.review({ agent })),
    look: () => void runWithErrorToast(client.upkeep.look({ agent })),
    stop: () => void runWithErrorToast(client.upkeep.stop({ agent })),
  }
}

/** True if the suggestion compares two lines and either can be removed. */
export function canSwapLines({ rule, evidence, files }: Proposal): boolean {
  return (rule === 'contradiction' || rule === 'supersedes') && evidence.length === 2 && files.length === 1
}

export type InboxState = ReturnType<typeof useInbox>

const none: ReadonlySet<string> = new Set()
