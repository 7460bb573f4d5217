/** Who made a change, in words. */
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { HistoryEntry } from '../../shared/contract/index.ts'
import { paths } from '../navigate.ts'

export function useCauseName(agent: string): (cause: HistoryEntry['cause']) => string {
  const { t } = useTranslation()
  return useCallback((cause) => (cause === 'agent' ? agent : t(`history.cause.${cause}`)), [agent, t])
}

/** The way to the chat turn that made a change. */
export function TurnLink({ change }: { change: Pick<HistoryEntry, 'session' | 'turn'> }) {
  const { t } = useTranslation()
  if (change.session === undefined) return null
  return (
    <Link href={paths.chat(change.session, change.turn)} className="text-accent hover:underline">
      {t('history.inChat')}
    </Link>
  )
}

export function Counts({ change: { added, removed } }: { change: Pick<HistoryEntry, 'added' | 'removed'> }) {
  return (
    <span className="tabular flex shrink-0 gap-1.5 text-[12px]">
      {added > 0 && <span className="text-added">+{added}</span>}
      {removed > 0 && <span className="text-bad">−{removed}</span>}
    </span>
  )
}
