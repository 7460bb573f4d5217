import { skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { Agent, Cause, HistoryEntry, PastBatch } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { explainError, isErrorOf } from '#lib/feedback/explain.ts'
import { QueryView, EmptyState } from '#lib/ui/states.tsx'
import { formatMoment, startOfDay } from '#lib/i18n/format.ts'
import { Button, MoreButton } from '#lib/ui/button.tsx'
import { Choice } from '#lib/ui/choice.tsx'
import { paths } from '#lib/router/paths.ts'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { ViewHeader } from '#lib/ui/view-header.tsx'
import { Counts, SourceNote, TurnLink, UnrecordedNote, useCauseName, Hunks } from '#lib/diff-view/diff-card.tsx'
import { useTimeline } from './history-panel.tsx'
import { formatBatchNames, undoBatchWithToast } from '#lib/feedback/change-toast.ts'

const causesByAuthor = {
  agent: ['agent', 'flush'],
  client: ['client'],
  user: ['user', 'capture', 'upkeep', 'import', 'template'],
  outside: ['outside', 'adopted', 'unrecorded'],
  all: undefined,
} as const
type Author = keyof typeof causesByAuthor
const daysBackBySpan = { today: 0, week: 6, ever: undefined } as const
type Span = keyof typeof daysBackBySpan

const changeKey = ({ id }: HistoryEntry) => String(id)
const estimateChangeHeight = ({ isUndo, files }: HistoryEntry) => (isUndo || files !== undefined ? 40 : 180)

export function ChangesView({ agent }: { agent: Agent }) {
  const [chosenAuthor, setAuthor] = useState<Author>()
  const [span, setSpan] = useState<Span>('today')
  const daysBack = daysBackBySpan[span]
  const since = daysBack === undefined ? undefined : startOfDay(daysBack)
  // If the agent has made no changes, the list starts with the changes of all authors.
  const agentChanges = useQuery(
    api.history.timeline.queryOptions({
      input: { agent: agent.id, limit: 1, since, causes: [...causesByAuthor.agent] },
    }),
  )
  const author = chosenAuthor ?? (agentChanges.data?.length === 0 ? 'all' : 'agent')
  const causes = causesByAuthor[author] as readonly Cause[] | undefined
  const timeline = useTimeline({ agent: agent.id, since, causes: causes && [...causes] })
  return (
    <section aria-label={t('nav.changes')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={t('nav.changes')}>
        <Choice
          label={t('changes.by')}
          value={author}
          options={(['agent', 'client', 'user', 'outside', 'all'] as const).map((value) => ({
            value,
            name: t(`changes.by_${value}`),
          }))}
          onChoose={setAuthor}
        />
        <Choice
          label={t('changes.when')}
          value={span}
          options={(['today', 'week', 'ever'] as const).map((value) => ({ value, name: t(`changes.span_${value}`) }))}
          onChoose={setSpan}
        />
      </ViewHeader>
      <p className="border-b border-soft px-5 py-1.5 text-[12px] text-muted max-sm:px-3">{t('changes.acceptHint')}</p>
      <BatchList agent={agent.id} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {isErrorOf(timeline.error, 'history_off') ? (
          <EmptyState title={explainError(timeline.error)} />
        ) : (
          <QueryView query={timeline}>
            {(changes) =>
              changes.length === 0 ? (
                <EmptyState title={t('changes.empty')} hint={t('changes.emptyHint')}>
                  {author !== 'all' && <Button onClick={() => setAuthor('all')}>{t('changes.showAll')}</Button>}
                </EmptyState>
              ) : (
                <div className="mx-auto flex max-w-[740px] flex-col px-8 py-6 max-sm:px-3">
                  <VirtualRows
                    label={t('nav.changes')}
                    rows={changes}
                    keyOf={changeKey}
                    estimateHeight={estimateChangeHeight}
                    overscan={2}
                  >
                    {(change) => (
                      <div className="pb-5">
                        <Change agent={agent.id} change={change} />
                      </div>
                    )}
                  </VirtualRows>
                  {timeline.hasNextPage && (
                    <MoreButton disabled={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()} />
                  )}
                </div>
              )
            }
          </QueryView>
        )}
      </div>
    </section>
  )
}

interface ChangeProps {
  readonly agent: string
  readonly change: HistoryEntry
}

function Change({ agent, change }: ChangeProps) {
  const accept = useMutation(api.history.accept.mutationOptions())
  const causeName = useCauseName(agent)
  const { change: changeSet, path, at, from: previousPath, isUndo, files } = change
  const file = { agent, change: changeSet, path }
  const diff = useQuery(api.history.diff.queryOptions({ input: isUndo || files !== undefined ? skipToken : file }))
  if (files !== undefined)
    return (
      <ShortChange at={at} data-testid="adopted">
        {t('changes.adopted', { count: files })}
      </ShortChange>
    )
  if (isUndo)
    return (
      <ShortChange at={at} data-testid="taken-back">
        {t('changes.takenBack', { name: causeName(change) })}
        <ChangedPath change={change} />
      </ShortChange>
    )
  return (
    <article className="flex flex-col gap-2" data-testid="change">
      <header className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{causeName(change)}</span>
        <ChangedPath change={change} />
        <Counts change={change} />
        <SourceNote change={change} />
        <span className="flex-1" />
        <TurnLink change={change} />
        <span className="shrink-0 text-[12px] text-muted">{formatMoment(at)}</span>
      </header>
      {previousPath !== undefined && (
        <p className="font-mono text-[12px] text-muted">{t('history.movedFrom', { path: previousPath })}</p>
      )}
      <UnrecordedNote change={change} />
      {diff.error && <p className="text-muted">{explainError(diff.error)}</p>}
      {diff.data && (
        <Hunks
          agent={agent}
          change={change}
          patch={diff.data.patch}
          onAccept={(key) => accept.mutate({ ...file, key })}
        />
      )}
    </article>
  )
}

function ChangedPath({ change: { path, now, exists } }: Pick<ChangeProps, 'change'>) {
  const className = 'min-w-0 truncate font-mono text-[12px]'
  if (!exists) return <span className={`${className} line-through`}>{path}</span>
  return (
    <Link href={paths.file(now)} className={`${className} hover:underline`}>
      {path}
    </Link>
  )
}

/** A change in one line, without its text: an undo, whose text the reverted change shows, or many adopted files. */
function ShortChange({ at, children, ...props }: { at: number; children: ReactNode; 'data-testid': string }) {
  return (
    <p className="flex min-w-0 flex-wrap items-baseline gap-x-3 text-[12px] text-muted" {...props}>
      {children}
      <span className="flex-1" />
      <span className="shrink-0">{formatMoment(at)}</span>
    </p>
  )
}

function BatchList({ agent }: { agent: string }) {
  // Fetched on each mount, to include the batches from before this view opened.
  const batches = useQuery(api.history.batches.queryOptions({ input: { agent }, refetchOnMount: 'always' })).data ?? []
  const undo = useMutation({ mutationFn: (batch: PastBatch) => undoBatchWithToast(agent, batch.change, batch) })
  if (batches.length === 0) return null
  return (
    <section aria-label={t('changes.whole')} className="border-b border-soft px-5 py-2 max-sm:px-3">
      <h2 className="text-[12px] text-muted">{t('changes.whole')}</h2>
      <ul className="max-h-32 overflow-y-auto">
        {batches.map((batch) => {
          const extent = describeExtent(batch)
          const undoLabel = t(`changes.${undoLabelKeys[batch.kind]}`)
          const { from, to } = formatBatchNames(batch)
          return (
            <li key={batch.change} className="flex flex-wrap items-baseline gap-x-3">
              <span className="min-w-0 font-mono text-[12px] break-all">{`${from} → ${to}`}</span>
              {extent !== undefined && <span className="text-[12px] text-muted">{extent}</span>}
              <span className="ml-auto flex shrink-0 items-baseline gap-x-3">
                <span className="text-[12px] text-muted">{formatMoment(batch.at)}</span>
                <Button
                  look="link"
                  aria-label={`${undoLabel}: ${from}`}
                  disabled={undo.isPending}
                  onClick={() => undo.mutate(batch)}
                >
                  {undoLabel}
                </Button>
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const undoLabelKeys = { move: 'undoMove', tag: 'undoRename', replacement: 'undoReplacement' } as const

/** Returns a text with the number of changed notes, or undefined for a move that changed none. */
function describeExtent({ kind, count = 0, notes }: PastBatch): string | undefined {
  if (kind === 'replacement') return t('find.replaced', { count, files: t('find.inFiles', { count: notes }) })
  return notes > 0 ? t('links.inNotes', { count: notes }) : undefined
}
