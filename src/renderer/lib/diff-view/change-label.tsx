import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { useAgentName } from '../agents/agent-name.ts'
import { paths } from '../router/paths.ts'
import { clipLine } from '../util/clip.ts'

export function useCauseName(agent: string): (change: Pick<HistoryEntry, 'cause' | 'client'>) => string {
  const { t } = useTranslation()
  const name = useAgentName(agent)
  return useCallback(
    ({ cause, client }) => (cause === 'agent' ? name : (client ?? t(`history.cause.${cause}`))),
    [name, t],
  )
}

/** Links to the chat turn that made a change. Renders nothing if no turn did. */
export function TurnLink({ change }: { change: Pick<HistoryEntry, 'session' | 'turn'> }) {
  const { t } = useTranslation()
  if (change.session === undefined) return null
  return (
    <Link href={paths.chat(change.session, change.turn)} className="text-accent hover:underline">
      {t('history.inChat')}
    </Link>
  )
}

/** Names the untrusted sources of a change. Renders nothing if there are none. */
export function SourceNote({ change: { sources } }: { change: Pick<HistoryEntry, 'sources'> }) {
  const { t } = useTranslation()
  if (!sources || sources.length === 0) return null
  const sourceText = sources.join('; ')
  return (
    <span className="min-w-0 truncate text-[12px] text-muted" title={sourceText} data-testid="change-source">
      {t('history.fromSource', { source: clipLine(sourceText, 80) })}
    </span>
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

/** States why a change can no longer be undone. */
export function UndoneLabel({ status }: { status: 'undone' | 'changed' }) {
  const { t } = useTranslation()
  return <span className="text-muted">{t(status === 'undone' ? 'tool.undoneShort' : 'tool.changedSince')}</span>
}
