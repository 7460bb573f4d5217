import { useInfiniteQuery, useMutation, useQuery, skipToken } from '@tanstack/react-query'
import { useMemo, useState, type ReactNode } from 'react'
import { t } from 'i18next'
import type { FileCommit, HistoryEntry, Cause, PastBatch } from '#shared/contract/index.ts'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { api, type client } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { explainError, isErrorOf } from '#lib/feedback/toast.ts'
import { showChange, formatBatchNames, undoBatchWithToast } from '#lib/feedback/change-toast.ts'
import { formatMoment, startOfDay } from '#lib/i18n/format.ts'
import { Button, MoreButton, Choice, Skeleton, QueryView, EmptyState } from '#lib/ui/elements.tsx'
import { Counts, SourceNote, TurnLink, UnrecordedNote, useCauseName, Hunks } from '#lib/diff-view/diff-card.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { patchLines, Patch } from '#lib/diff-view/patch.tsx'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { SidePanel, ViewHeader } from '#lib/ui/frames.tsx'
import { GitCommitHorizontal } from 'lucide-react'
import { Link } from 'wouter'
import { paths } from '#lib/router/paths.ts'

const pageSize = 100
const rowHeight = 54

export function useTimeline(filter: Omit<Parameters<typeof client.history.timeline>[0], 'before' | 'limit'>) {
  return useInfiniteQuery(
    api.history.timeline.infiniteOptions({
      input: (before: number | undefined) => ({ ...filter, before, limit: pageSize }),
      initialPageParam: undefined,
      getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
      select: ({ pages }) => pages.flat(),
    }),
  )
}

type Row = HistoryEntry | FileCommit

export function HistoryPanel({ path, onClose }: { path: string; onClose: () => void }) {
  const { id: agent } = useAgent()
  const [selected, setSelected] = useState<string>()
  const timeline = useTimeline({ agent: agent, path })
  const commits = useInfiniteQuery(
    api.history.commits.infiniteOptions({
      input: (skip: number) => ({ agent: agent, path, skip, limit: pageSize }),
      initialPageParam: 0,
      getNextPageParam: ({ isMore }, pages) =>
        isMore ? pages.reduce((sum, { commits }) => sum + commits.length, 0) : undefined,
    }),
  )
  const rows = useMemo(() => {
    const allCommits = commits.data?.pages.flatMap((page) => page.commits) ?? []
    return [...(timeline.data ?? []), ...allCommits].toSorted((one, other) => other.at - one.at)
  }, [timeline.data, commits.data])
  const untrustedPath = commits.data?.pages.find(({ state }) => state === 'untrusted')?.path
  const hasNoGit = commits.data?.pages.some(({ state }) => state === 'no_git')
  const loadMore = () => {
    if (timeline.hasNextPage) void timeline.fetchNextPage()
    if (commits.hasNextPage) void commits.fetchNextPage()
  }
  return (
    <SidePanel title={t('file.history')} closing={t('history.close')} onClose={onClose}>
      <div className="p-2">
        {timeline.error && <p className="p-2 text-muted">{explainError(timeline.error)}</p>}
        {commits.error && <p className="p-2 text-muted">{explainError(commits.error)}</p>}
        {untrustedPath !== undefined && (
          <div className="p-2 text-[12px] text-muted">
            <p>{t('history.untrusted', { path: untrustedPath })}</p>
            <code className="mt-1 block font-mono break-all">
              git config --global --add safe.directory &quot;{untrustedPath}&quot;
            </code>
          </div>
        )}
        {hasNoGit && <p className="p-2 text-[12px] text-muted">{t('history.noGit')}</p>}
        {timeline.isPending && <Skeleton lines={6} />}
        {timeline.isSuccess && commits.isSuccess && rows.length === 0 && (
          <p className="p-2 text-muted">{t('history.empty')}</p>
        )}
        <VirtualRows label={t('file.history')} rows={rows} keyOf={rowKey} estimateHeight={() => rowHeight}>
          {(row) => (
            <HistoryRow
              path={path}
              row={row}
              isNewest={row === timeline.data?.[0]}
              isSelected={rowKey(row) === selected}
              onSelect={() => setSelected(rowKey(row) === selected ? undefined : rowKey(row))}
            />
          )}
        </VirtualRows>
        {(timeline.hasNextPage || commits.hasNextPage) && (
          <MoreButton
            className="px-2!"
            disabled={timeline.isFetchingNextPage || commits.isFetchingNextPage}
            onClick={loadMore}
          />
        )}
        {commits.isPending && timeline.isSuccess && (
          <p className="p-2 text-[12px] text-muted">{t('history.gitReading')}</p>
        )}
      </div>
    </SidePanel>
  )
}

const rowKey = (row: Row) => ('commit' in row ? `git ${row.commit}` : String(row.id))

interface HistoryRowProps {
  readonly path: string
  readonly row: Row
  readonly isNewest: boolean
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function HistoryRow({ path, row, isNewest, isSelected, onSelect }: HistoryRowProps) {
  const causeName = useCauseName()
  const isCommit = 'commit' in row
  return (
    <div
      className={`rounded-sm ${isSelected ? 'bg-selected' : ''}`}
      data-testid={isCommit ? 'history-commit' : 'history-entry'}
    >
      <button
        type="button"
        aria-expanded={isSelected}
        onClick={onSelect}
        className="flex min-h-8 w-full items-center gap-2 rounded-sm px-2 text-left hover:bg-soft"
      >
        {isCommit ? (
          <>
            <GitCommitHorizontal size={14} className="shrink-0 text-muted" aria-hidden="true" />
            <span className="max-w-36 truncate font-medium" title={t('history.commitBy', row)}>
              {row.author}
            </span>
            <span className="sr-only">{t('history.commit')}</span>
          </>
        ) : (
          <span className="font-medium">
            {row.isUndo ? t('changes.takenBack', { name: causeName(row) }) : causeName(row)}
          </span>
        )}
        <span className="min-w-0 flex-1 truncate text-[12px] text-muted">{formatMoment(row.at)}</span>
        <Counts change={row} />
      </button>
      {isCommit ? (
        <p className="truncate px-2 pb-1 text-[12px] text-muted" title={row.subject}>
          {clipLine(row.subject, 200)}
        </p>
      ) : (
        <p className="flex px-2 empty:hidden">
          <SourceNote change={row} />
        </p>
      )}
      {!isCommit && !isSelected && <FirstChangedLine change={row} />}
      {row.from !== undefined && (
        <p className="truncate px-2 pb-1 font-mono text-[11px] text-muted">
          {t('history.movedFrom', { path: row.from })}
        </p>
      )}
      {isSelected && isCommit && <CommitDetails path={path} hash={row.commit} />}
      {isSelected && !isCommit && <ChangeDetails change={row} canRestore={!isNewest} />}
    </div>
  )
}

function FirstChangedLine({ change: { change, path } }: { change: HistoryEntry }) {
  const { id: agent } = useAgent()
  const diff = useQuery(api.history.diff.queryOptions({ input: { agent, change, path } }))
  const shownLine = useMemo(() => {
    const lines = diff.data ? patchLines(diff.data.patch).filter(({ text }) => /[\p{L}\p{N}]/u.test(text)) : []
    const added = lines.filter(({ kind }) => kind === 'added')
    const text = added.find((line) => !line.text.startsWith('#'))
    return text ?? added[0] ?? lines.find(({ kind }) => kind === 'removed')
  }, [diff.data])
  if (!shownLine) return null
  return (
    <p className={`truncate px-2 pb-1 text-[12px] text-muted ${shownLine.kind === 'removed' ? 'line-through' : ''}`}>
      {clipLine(withoutLead(shownLine.text), 200)}
    </p>
  )
}

function ChangeDetails({ change, canRestore }: { change: HistoryEntry; canRestore: boolean }) {
  const { id: agent } = useAgent()
  const file = { agent, change: change.change, path: change.path }
  const diff = useQuery(api.history.diff.queryOptions({ input: file }))
  const onSuccess = (restored: { change: number | null }) => showChange(t('history.restored'), agent, restored.change)
  const restore = useMutation(api.history.restore.mutationOptions({ onSuccess }))
  return (
    <div className="flex flex-col gap-2 px-2 pb-2">
      <UnrecordedNote change={change} />
      {diff.error && <p className="text-muted">{explainError(diff.error)}</p>}
      {diff.data && <Hunks change={change} patch={diff.data.patch} />}
      <div className="flex items-center gap-3">
        {canRestore && (
          <Button disabled={restore.isPending} onClick={() => restore.mutate(file)}>
            {t('history.restore')}
          </Button>
        )}
        <TurnLink change={change} />
      </div>
    </div>
  )
}

function CommitDetails({ path, hash }: { path: string; hash: string }) {
  const { id: agent } = useAgent()
  const diff = useQuery(api.history.commitDiff.queryOptions({ input: { agent, path, commit: hash } }))
  return (
    <div className="flex flex-col gap-1 px-2 pb-2">
      <p className="font-mono text-[11px] text-muted">
        {t('history.commit')} {hash.slice(0, 10)}
      </p>
      {diff.isPending && <Skeleton lines={3} />}
      {diff.error && <p className="text-muted">{explainError(diff.error)}</p>}
      {diff.data && (
        <div className="overflow-hidden rounded-sm border border-line bg-raised">
          <Patch patch={diff.data.patch} isSmall />
        </div>
      )}
    </div>
  )
}

const causesByAuthor = {
  agent: ['agent', 'flush'],
  client: ['client'],
  user: ['user', 'capture', 'upkeep', 'import', 'template'],
  outside: ['outside', 'adopted', 'unrecorded'],
  all: undefined,
} as const
const authors = ['agent', 'client', 'user', 'outside', 'all'] as const
const daysBackBySpan = { today: 0, week: 6, ever: undefined } as const
const spans = ['today', 'week', 'ever'] as const

const estimateChangeHeight = ({ isUndo, files }: HistoryEntry) => (isUndo || files !== undefined ? 40 : 180)

export function ChangesView() {
  const { id: agent } = useAgent()
  const [chosenAuthor, setAuthor] = useState<(typeof authors)[number]>()
  const [span, setSpan] = useState<(typeof spans)[number]>('today')
  const daysBack = daysBackBySpan[span]
  const since = daysBack === undefined ? undefined : startOfDay(daysBack)
  // If the agent has made no changes, the list starts with the changes of all authors.
  const lastByAgent = { agent: agent, limit: 1, since, causes: [...causesByAuthor.agent] }
  const agentChanges = useQuery(api.history.timeline.queryOptions({ input: lastByAgent }))
  const author = chosenAuthor ?? (agentChanges.data?.length === 0 ? 'all' : 'agent')
  const causes = causesByAuthor[author] as readonly Cause[] | undefined
  const timeline = useTimeline({ agent: agent, since, causes: causes && [...causes] })
  return (
    <section aria-label={t('nav.changes')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={t('nav.changes')}>
        <Choice
          label={t('changes.by')}
          value={author}
          options={authors.map((value) => ({ value, name: t(`changes.by_${value}`) }))}
          onChoose={setAuthor}
        />
        <Choice
          label={t('changes.when')}
          value={span}
          options={spans.map((value) => ({ value, name: t(`changes.span_${value}`) }))}
          onChoose={setSpan}
        />
      </ViewHeader>
      <p className="border-b border-soft px-5 py-1.5 text-[12px] text-muted max-sm:px-3">{t('changes.acceptHint')}</p>
      <BatchList />
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
                    keyOf={rowKey}
                    estimateHeight={estimateChangeHeight}
                    overscan={2}
                  >
                    {(change) => <Change change={change} />}
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

function Change({ change }: { change: HistoryEntry }) {
  const { id: agent } = useAgent()
  const accept = useMutation(api.history.accept.mutationOptions())
  const causeName = useCauseName()
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
    <article className="flex flex-col gap-2 pb-5" data-testid="change">
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
        <Hunks change={change} patch={diff.data.patch} onAccept={(key) => accept.mutate({ ...file, key })} />
      )}
    </article>
  )
}

function ChangedPath({ change: { path, now, exists } }: { change: HistoryEntry }) {
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
    <p className="flex min-w-0 flex-wrap items-baseline gap-x-3 pb-5 text-[12px] text-muted" {...props}>
      {children}
      <span className="flex-1" />
      <span className="shrink-0">{formatMoment(at)}</span>
    </p>
  )
}

function BatchList() {
  const { id: agent } = useAgent()
  // Fetched on each mount, to include the batches from before this view opened.
  const batches = useQuery(api.history.batches.queryOptions({ input: { agent }, refetchOnMount: 'always' })).data ?? []
  const undo = useMutation({ mutationFn: (batch: PastBatch) => undoBatchWithToast(agent, batch.change, batch) })
  if (batches.length === 0) return null
  return (
    <section aria-label={t('changes.whole')} className="border-b border-soft px-5 py-2 max-sm:px-3">
      <h2 className="text-[12px] text-muted">{t('changes.whole')}</h2>
      <ul className="max-h-32 overflow-y-auto">
        {batches.map((batch) => {
          const undoLabel = t(`changes.${undoLabelKeys[batch.kind]}`)
          const { from, to } = formatBatchNames(batch)
          return (
            <li key={batch.change} className="flex flex-wrap items-baseline gap-x-3">
              <span className="min-w-0 font-mono text-[12px] break-all">{`${from} → ${to}`}</span>
              <span className="text-[12px] text-muted">{describeExtent(batch)}</span>
              <span className="ml-auto flex shrink-0 items-baseline gap-x-3">
                <span className="text-[12px] text-muted">{formatMoment(batch.at)}</span>
                <Button
                  look="link"
                  aria-label={t('common.pair', { name: undoLabel, value: from })}
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

/** Returns the number of changed notes in words, or undefined for a move that changed none. */
function describeExtent({ kind, count = 0, notes }: PastBatch): string | undefined {
  if (kind === 'replacement') return t('find.replaced', { count, files: t('find.inFiles', { count: notes }) })
  return notes > 0 ? t('links.inNotes', { count: notes }) : undefined
}
