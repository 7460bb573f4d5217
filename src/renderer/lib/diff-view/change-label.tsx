import { t } from 'i18next'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { useAgentName } from '../agents/agent-name.ts'
import { paths } from '../router/paths.ts'
import { Button } from '../ui/button.tsx'
import { clipLine } from '../util/clip.ts'
import type { RevertStatus } from './use-revert-status.ts'

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
  if (change.session === undefined) return null
  return (
    <Link href={paths.chat(change.session, change.turn)} className="text-accent hover:underline">
      {t('history.inChat')}
    </Link>
  )
}

/** Names the untrusted sources of a change. Renders nothing if there are none. */
export function SourceNote({ change: { sources } }: { change: Pick<HistoryEntry, 'sources'> }) {
  if (!sources || sources.length === 0) return null
  const sourceText = sources.join('; ')
  return (
    <span className="min-w-0 truncate text-[12px] text-muted" title={sourceText} data-testid="change-source">
      {t('history.fromSource', { source: clipLine(sourceText, 80) })}
    </span>
  )
}

/** Explains a change that was made while the history was paused. Renders nothing for other changes. */
export function UnrecordedNote({ change: { cause } }: { change: Pick<HistoryEntry, 'cause'> }) {
  return cause === 'unrecorded' && <p className="text-[12px] text-muted">{t('history.unrecorded')}</p>
}

export function Counts({ change: { added, removed } }: { change: Pick<HistoryEntry, 'added' | 'removed'> }) {
  return (
    <span className="tabular flex shrink-0 gap-1.5 text-[12px]">
      {added > 0 && <span className="text-added">+{added}</span>}
      {removed > 0 && <span className="text-bad">−{removed}</span>}
    </span>
  )
}

interface RevertButtonsProps {
  readonly revert: RevertStatus
  /** 0-based index of a hunk; the whole change if undefined. */
  readonly index?: number
}

/** Undoes a change, or states why it can no longer be undone, and redoes it. */
export function RevertButtons({ revert, index }: RevertButtonsProps) {
  const status = index === undefined ? revert.overall : revert.statusOf(index)
  if (status === 'there')
    return (
      <Button look="link" disabled={revert.isUndoing} onClick={() => revert.undo(index)}>
        {t('tool.undo')}
      </Button>
    )
  return (
    <>
      <span className="py-0.5 text-muted">{t(status === 'undone' ? 'tool.undoneShort' : 'tool.changedSince')}</span>
      {status === 'undone' && (
        <Button look="link" disabled={revert.isUndoing} onClick={() => revert.redo(index)}>
          {t('tool.redo')}
        </Button>
      )}
    </>
  )
}
