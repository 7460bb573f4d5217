import { skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { AcceptedHunk, Agent, Cause, HistoryEntry, PastBatch } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { explainError } from '#lib/feedback/explain.ts'
import { formatMoment } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { Choice } from '#lib/ui/choice.tsx'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { paths } from '#lib/router/paths.ts'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { ViewHeader } from '#lib/ui/view-header.tsx'
import { Counts, SourceNote, TurnLink, useCauseName } from '#lib/diff-view/change-label.tsx'
import { Hunks } from '#lib/diff-view/hunks.tsx'
import type { TFunction } from 'i18next'
import { formatBatchNames, undoBatchWithToast } from './revert-change.ts'

const whose = {
  agent: ['agent', 'flush'],
  client: ['client'],
  user: ['user', 'capture', 'upkeep', 'import', 'template'],
  outside: ['outside', 'adopted'],
  all: undefined,
} as const
type Whose = keyof typeof whose
const spans = { today: 0, week: 6, ever: undefined } as const
type Span = keyof typeof spans

const page = 100

const keyOfChange = ({ commit, path }: HistoryEntry) => `${commit}${path}`
const heightOfChange = ({ isUndo, files }: HistoryEntry) => (isUndo || files !== undefined ? 40 : 180)

export function ChangesView({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const [chosen, setBy] = useState<Whose>()
  const [span, setSpan] = useState<Span>('today')
  const [limit, setLimit] = useState(page)
  const accepted = useQuery(api.history.accepted.queryOptions({ input: { agent: agent.id } }))
  const accept = useMutation(api.history.accept.mutationOptions())
  const since = sinceOf(spans[span])
  // If the agent has made no changes, the list starts with those of others.
  const agents = useQuery(
    api.history.timeline.queryOptions({
      input: {
        agent: agent.id,
        limit: 1,
        ...(since === undefined ? {} : { since }),
        causes: [...whose.agent],
      },
    }),
  )
  const by = chosen ?? (agents.data?.length === 0 ? 'all' : 'agent')
  const causes = whose[by] as readonly Cause[] | undefined
  const timeline = useQuery(
    api.history.timeline.queryOptions({
      input: {
        agent: agent.id,
        limit,
        ...(since === undefined ? {} : { since }),
        ...(causes === undefined ? {} : { causes: [...causes] }),
      },
    }),
  )
  return (
    <section aria-label={t('changes.title')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={t('changes.title')}>
        <Choice
          label={t('changes.by')}
          value={by}
          options={(['agent', 'client', 'user', 'outside', 'all'] as const).map((value) => ({
            value,
            name: t(`changes.by_${value}`),
          }))}
          onChoose={setBy}
        />
        <Choice
          label={t('changes.when')}
          value={span}
          options={(['today', 'week', 'ever'] as const).map((value) => ({ value, name: t(`changes.span_${value}`) }))}
          onChoose={setSpan}
        />
      </ViewHeader>
      <p className="border-b border-soft px-5 py-1.5 text-[12px] text-muted max-sm:px-3">{t('changes.acceptHint')}</p>
      <WholeChanges agent={agent.id} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {timeline.error ? (
          <ErrorState error={timeline.error} onRetry={() => void timeline.refetch()} />
        ) : timeline.isPending ? (
          <Skeleton />
        ) : timeline.data.length === 0 ? (
          <EmptyState title={t('changes.empty')} hint={t('changes.emptyHint')}>
            {by !== 'all' && <Button onClick={() => setBy('all')}>{t('changes.showAll')}</Button>}
          </EmptyState>
        ) : (
          <div className="mx-auto flex max-w-[740px] flex-col px-8 py-6 max-sm:px-3">
            <VirtualRows
              label={t('changes.title')}
              rows={timeline.data}
              keyOf={keyOfChange}
              estimateHeight={heightOfChange}
              overscan={2}
            >
              {(change) => (
                <ErrorBoundary piece="row" resetKey={change}>
                  <div className="pb-5">
                    <Change
                      agent={agent.id}
                      change={change}
                      accepted={accepted.data ?? []}
                      onAccept={(hunk) => accept.mutate({ agent: agent.id, hunk })}
                    />
                  </div>
                </ErrorBoundary>
              )}
            </VirtualRows>
            {timeline.data.length === limit && (
              <Button look="link" onClick={() => setLimit(limit + page)}>
                {t('history.more')}
              </Button>
            )}
          </div>
        )}
      </div>
    </section>
  )
}

interface ChangeProps {
  readonly agent: string
  readonly change: HistoryEntry
  readonly accepted: readonly AcceptedHunk[]
  readonly onAccept: (hunk: AcceptedHunk) => void
}

function Change({ agent, change, accepted, onAccept }: ChangeProps) {
  const { t } = useTranslation()
  const nameOf = useCauseName(agent)
  const { commit, path, now, at, exists, from, isUndo, files } = change
  const diff = useQuery(
    api.history.diff.queryOptions({ input: isUndo || files !== undefined ? skipToken : { agent, commit, path } }),
  )
  if (files !== undefined) return <InitialState files={files} at={at} />
  if (isUndo) return <UndoneChange agent={agent} change={change} />
  const mine = new Set(accepted.flatMap((hunk) => (hunk.commit === commit ? [hunk.key] : [])))
  return (
    <article className="flex flex-col gap-2" data-testid="change">
      <header className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{nameOf(change)}</span>
        {exists ? (
          <Link href={paths.file(now)} className="truncate font-mono text-[12px] hover:underline">
            {path}
          </Link>
        ) : (
          <span className="truncate font-mono text-[12px] line-through">{path}</span>
        )}
        <Counts change={change} />
        <SourceNote change={change} />
        <span className="flex-1" />
        <TurnLink change={change} />
        <span className="shrink-0 text-[12px] text-muted">{formatMoment(at)}</span>
      </header>
      {from !== undefined && (
        <p className="font-mono text-[12px] text-muted">{t('history.movedFrom', { path: from })}</p>
      )}
      {diff.error && <p className="text-muted">{explainError(diff.error)}</p>}
      {diff.data && (
        <Hunks
          agent={agent}
          path={now}
          patch={diff.data.patch}
          accepted={mine}
          onAccept={(key) => onAccept({ commit, key })}
        />
      )}
    </article>
  )
}

function InitialState({ files, at }: { files: number; at: number }) {
  const { t } = useTranslation()
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 text-[12px] text-muted" data-testid="adopted">
      <span className="flex-1">{t('changes.adopted', { count: files })}</span>
      <span className="shrink-0">{formatMoment(at)}</span>
    </p>
  )
}

/** An undo shows as one line; the change that it reverted shows its text. */
function UndoneChange({ agent, change }: Pick<ChangeProps, 'agent' | 'change'>) {
  const { path, now, at, exists } = change
  const { t } = useTranslation()
  const nameOf = useCauseName(agent)
  return (
    <p className="flex min-w-0 flex-wrap items-baseline gap-x-3 text-[12px] text-muted" data-testid="taken-back">
      <span>{t('changes.takenBack', { name: nameOf(change) })}</span>
      {exists ? (
        <Link href={paths.file(now)} className="min-w-0 truncate font-mono hover:underline">
          {path}
        </Link>
      ) : (
        <span className="min-w-0 truncate font-mono line-through">{path}</span>
      )}
      <span className="flex-1" />
      <span className="shrink-0">{formatMoment(at)}</span>
    </p>
  )
}

function sinceOf(daysBack: number | undefined): number | undefined {
  if (daysBack === undefined) return undefined
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return day.getTime() - daysBack * 86_400_000
}

function WholeChanges({ agent }: { agent: string }) {
  const { t } = useTranslation()
  // Includes changes from before this view opened.
  const batches = useQuery(api.history.batches.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  const takeBack = useMutation({ mutationFn: (batch: PastBatch) => undoBatchWithToast(agent, batch.undo, batch) })
  const changes = batches.data ?? []
  if (changes.length === 0) return null
  return (
    <section aria-label={t('changes.whole')} className="border-b border-soft px-5 py-2 max-sm:px-3">
      <h2 className="text-[12px] text-muted">{t('changes.whole')}</h2>
      <ul className="max-h-32 overflow-y-auto">
        {changes.map((batch) => {
          const [extent, undo] = [extentOf(batch, t), t(`changes.${undoLabels[batch.kind]}`)]
          const { from, to } = formatBatchNames(batch)
          return (
            <li key={batch.undo} className="flex flex-wrap items-baseline gap-x-3">
              <span className="min-w-0 font-mono text-[12px] break-all">{`${from} → ${to}`}</span>
              {extent !== undefined && <span className="text-[12px] text-muted">{extent}</span>}
              <span className="ml-auto flex shrink-0 items-baseline gap-x-3">
                <span className="text-[12px] text-muted">{formatMoment(batch.at)}</span>
                <Button
                  look="link"
                  aria-label={`${undo}: ${from}`}
                  disabled={takeBack.isPending}
                  onClick={() => takeBack.mutate(batch)}
                >
                  {undo}
                </Button>
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const undoLabels = { move: 'undoMove', tag: 'undoRename', replacement: 'undoReplacement' } as const

/** Returns the number of changed notes in words, or undefined for a move that changed none. */
function extentOf({ kind, count = 0, notes }: PastBatch, t: TFunction): string | undefined {
  if (kind === 'replacement') return t('find.replaced', { count, files: t('find.inFiles', { count: notes }) })
  return notes > 0 ? t('links.inNotes', { count: notes }) : undefined
}
