/** What is shown of the inbox, which of it is meant, and what can be done with that; each step has a way back. */
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Proposal } from '../../shared/contract/index.ts'
import { api, client } from '../api/index.ts'
import { attempt, tellDone } from '../feedback/index.ts'

const dayMs = 86_400_000
export const snoozes = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const
export type Snooze = keyof typeof snoozes

export const inboxParts = ['open', 'done'] as const
export type InboxPart = (typeof inboxParts)[number]

export function useInbox(agent: string, first: string | undefined) {
  const { t } = useTranslation()
  const query = useQuery(api.upkeep.list.queryOptions({ input: { agent } }))
  const [part, setPart] = useState<InboxPart>('open')
  /** Where it stood when it was chosen: when it goes, the next one takes its place. */
  const [chosenAt, setChosenAt] = useState<{ readonly id: string | undefined; readonly at: number }>({
    id: first,
    at: 0,
  })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(none)
  const [isBusy, setIsBusy] = useState(false)
  /** What was done here, latest last. */
  const done = useRef<(() => Promise<unknown>)[]>([])
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
  const act = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    if (isBusy) return undefined
    setIsBusy(true)
    const outcome = await attempt(work())
    setIsBusy(false)
    if (outcome) setChosen(none)
    return outcome?.value
  }
  const tell = (text: string, undo: () => Promise<unknown>) => {
    done.current.push(undo)
    // One at a time: the way back from the steps before is `u`.
    const back = async () => {
      await undo()
      done.current = done.current.filter((one) => one !== undo)
    }
    tellDone(text, back, { id: 'upkeep' })
  }
  const reopen = (these: string[]) => () => client.upkeep.reopen({ agent, ids: these })

  return {
    agent,
    query,
    part,
    proposals,
    current,
    index,
    chosen,
    meant,
    isBusy,
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
      const outcome = await act(() => client.upkeep.accept({ agent, ids }))
      if (!outcome) return
      const { acceptance, accepted, left, gone } = outcome
      const more = [
        ...(left > 0 ? [t('upkeep.left', { count: left })] : []),
        ...(gone > 0 ? [t('upkeep.gone', { count: gone })] : []),
      ]
      const text = [t('upkeep.accepted', { count: accepted }), ...more].join(' ')
      if (acceptance === null) tell(text, () => Promise.resolve())
      else tell(text, () => client.upkeep.undo({ agent, acceptance }))
    },
    acceptEdited: async (proposal: Proposal, after: string[][]) => {
      const outcome = await act(async () => {
        await client.upkeep.edit({ agent, id: proposal.id, after })
        return client.upkeep.accept({ agent, ids: [proposal.id] })
      })
      const acceptance = outcome?.acceptance
      if (acceptance !== undefined && acceptance !== null)
        tell(t('upkeep.accepted', { count: 1 }), () => client.upkeep.undo({ agent, acceptance }))
    },
    refuse: async () => {
      if (ids.length === 0 || part !== 'open') return
      if (await act(() => client.upkeep.refuse({ agent, ids })))
        tell(t('upkeep.refused', { count: ids.length }), reopen(ids))
    },
    snooze: async (span: Snooze) => {
      if (ids.length === 0 || part !== 'open') return
      const until = Date.now() + snoozes[span]
      if (await act(() => client.upkeep.snooze({ agent, ids, until })))
        tell(t('upkeep.snoozed', { count: ids.length }), reopen(ids))
    },
    /** Takes back what one proposal that is done with came to. */
    restore: (proposal: Proposal) => {
      const { acceptance, id } = proposal
      return act(() =>
        acceptance === undefined
          ? client.upkeep.reopen({ agent, ids: [id] })
          : client.upkeep.undo({ agent, acceptance }),
      )
    },
    undo: async () => {
      const undo = done.current.pop()
      if (undo) await act(undo)
    },
    turn: async (proposal: Proposal) => {
      if (part !== 'open' || !isTurnable(proposal)) return
      await act(() => client.upkeep.turn({ agent, id: proposal.id }))
    },
    review: () => void attempt(client.upkeep.review({ agent })),
    look: () => void attempt(client.upkeep.look({ agent })),
    stop: () => void attempt(client.upkeep.stop({ agent })),
  }
}

/** Of two lines that cannot both hold, either can be struck. */
export function isTurnable({ rule, evidence, files }: Proposal): boolean {
  return (rule === 'contradiction' || rule === 'supersedes') && evidence.length === 2 && files.length === 1
}

export type InboxState = ReturnType<typeof useInbox>

const none: ReadonlySet<string> = new Set()
