import { t } from 'i18next'
import { Link } from 'wouter'
import type { FileChange } from '#shared/util/file-change.ts'
import { paths } from '../router/paths.ts'
import { Patch, hunkKey, splitHunks } from './patch.tsx'
import { lazy, Suspense, useMemo, useState, useCallback } from 'react'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { Button, TextLink, MoreButton, ErrorBoundary } from '../ui/elements.tsx'
import { useTranslation } from 'react-i18next'
import { useAgent } from '../agents/current-agent.ts'
import { clipLine } from '../util/clip.ts'
import { skipToken, useQuery, useMutation } from '@tanstack/react-query'
import { toast } from 'sonner'
import { api, queryClient } from '../api/client.ts'
import { showChange } from '../feedback/change-toast.ts'

const AddedSecret = lazy(async () => ({ default: (await import('../notes/note-remarks.tsx')).AddedSecret }))

export function DiffCard({ change }: { change: FileChange }) {
  const { id: agent } = useAgent()
  const { path, patch, startLine, added, removed } = change
  const revert = useRevertStatus(agent, change.change, path)
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-paper" data-testid="diff-card">
      <figcaption className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-2">
        <Link href={paths.file(path, startLine)} className="min-w-0 font-mono text-[12px] break-all hover:underline">
          {path}
        </Link>
        <span className="tabular flex gap-2 text-muted">
          {added > 0 && <span>{t('tool.linesAdded', { count: added })}</span>}
          {removed > 0 && <span>{t('tool.linesRemoved', { count: removed })}</span>}
        </span>
        <span className="flex-1" />
        {/* Kept together when they wrap below the path. */}
        <span className="flex items-center gap-3 whitespace-nowrap">
          {change.change !== undefined && <RevertButtons revert={revert} />}
          <Link href={paths.file(path, startLine)} className="text-muted hover:underline">
            {t('tool.open')}
          </Link>
        </span>
      </figcaption>
      <Suspense fallback={null}>
        <AddedSecret path={path} patch={patch} />
      </Suspense>
      <Patch patch={patch} isUndone={revert.overall === 'undone'} />
    </figure>
  )
}

const initialCount = 6
const pageSize = 30

interface HunksProps {
  readonly change: HistoryEntry
  readonly patch: string
  /** Receives the `hunkKey` of a hunk. Reviewed hunks are hidden if it is given. */
  readonly onAccept?: (key: string) => void
}

export function Hunks({ change, patch, onAccept }: HunksProps) {
  const { id: agent } = useAgent()
  const [shownCount, setShownCount] = useState(initialCount)
  // In the version with which the history begins, there is no change to undo.
  const canUndo = change.cause !== 'adopted'
  const revert = useRevertStatus(agent, canUndo ? change.change : undefined, change.path)
  const allHunks = useMemo(() => splitHunks(patch).map((hunk, index) => ({ hunk, index, key: hunkKey(hunk) })), [patch])
  const hunks = allHunks.filter(({ key }) => !onAccept || !change.reviewed?.includes(key))
  return (
    <>
      {hunks.slice(0, shownCount).map(({ hunk, index, key }) => (
        <ErrorBoundary key={`${key}${index}`} piece="row" resetKey={hunk}>
          <div className="overflow-hidden rounded-sm border border-line bg-raised" data-testid="hunk">
            <Patch patch={hunk} isUndone={revert.statusOf(index) === 'undone'} isSmall />
            {canUndo && (
              <div className="flex justify-end gap-3 border-t border-line px-2.5">
                <RevertButtons revert={revert} index={index} />
                {onAccept && revert.statusOf(index) !== 'undone' && (
                  <Button look="link" title={t('changes.acceptHint')} onClick={() => onAccept(key)}>
                    {t('history.accept')}
                  </Button>
                )}
              </div>
            )}
          </div>
        </ErrorBoundary>
      ))}
      {hunks.length > shownCount && <MoreButton onClick={() => setShownCount(shownCount + pageSize)} />}
    </>
  )
}

export function useCauseName(): (change: Pick<HistoryEntry, 'cause' | 'client'>) => string {
  const { t } = useTranslation()
  const { name } = useAgent()
  return useCallback(
    ({ cause, client }) => (cause === 'agent' ? name : (client ?? t(`history.cause.${cause}`))),
    [name, t],
  )
}

export function TurnLink({ change }: { change: Pick<HistoryEntry, 'session' | 'turn'> }) {
  if (change.session === undefined) return null
  return <TextLink href={paths.chat(change.session, change.turn)}>{t('history.inChat')}</TextLink>
}

export function SourceNote({ change: { sources } }: { change: Pick<HistoryEntry, 'sources'> }) {
  if (!sources || sources.length === 0) return null
  const sourceText = sources.join('; ')
  return (
    <span className="min-w-0 truncate text-[12px] text-muted" title={sourceText} data-testid="change-source">
      {t('history.fromSource', { source: clipLine(sourceText, 80) })}
    </span>
  )
}

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

/** @param index 0-based index of a hunk; the whole change if undefined */
function RevertButtons({ revert, index }: { revert: ReturnType<typeof useRevertStatus>; index?: number }) {
  const status = index === undefined ? revert.overall : revert.statusOf(index)
  if (status === 'changed') return <span className="py-0.5 text-muted">{t('tool.changedSince')}</span>
  return (
    <>
      {status === 'undone' && <span className="py-0.5 text-muted">{t('tool.undoneShort')}</span>}
      <Button look="link" disabled={revert.isUndoing} onClick={() => revert.run(status, index)}>
        {t(status === 'there' ? 'common.undo' : 'tool.redo')}
      </Button>
    </>
  )
}

type HunkStatus = 'there' | 'undone' | 'changed'

/** @param change id of the change set; undefined if it is not stored @param path path after the change */
function useRevertStatus(agent: string, change: number | undefined, path: string) {
  const input = change === undefined ? skipToken : { agent, change, path }
  const status = useQuery(api.history.standing.queryOptions({ input })).data
  const revert = useMutation(
    api.history.revert.mutationOptions({
      // The mutation stays pending until the new status is loaded, so that the buttons cannot be clicked twice.
      onSettled: () => queryClient.invalidateQueries({ queryKey: api.history.standing.key() }),
      onSuccess({ change: undoChange, trashed }, { isRedo }) {
        if (isRedo) toast.success(t('tool.redone'))
        else showChange(trashed === undefined ? t('tool.undone') : t('file.deleted', { path }), agent, undoChange)
      },
    }),
  )
  /** While the status is loading, a hunk counts as `there`; an undo reports a conflict. */
  const statusOf = (index: number): HunkStatus => status?.hunks[index] ?? 'there'
  const canUndo = !status || status.hunks.includes('there')
  /** Undoes or redoes. @param index one hunk; all hunks of this status if undefined */
  const run = (hunkStatus: HunkStatus, index: number | undefined) => {
    if (change === undefined) return
    const indexes = status?.hunks.keys().filter((hunk) => statusOf(hunk) === hunkStatus && hunk === (index ?? hunk))
    const hunks = indexes ? [...indexes] : index === undefined ? undefined : [index]
    // Without `hunks`, the undo of a new file removes the file.
    const part = hunks?.length === status?.hunks.length ? {} : { hunks }
    revert.mutate({ agent, change, path, isRedo: hunkStatus === 'undone', ...part })
  }
  const overall: HunkStatus = canUndo ? 'there' : status.hunks.includes('changed') ? 'changed' : 'undone'
  return {
    statusOf,
    /** `there` while any hunk can be undone. */
    overall,
    isUndoing: revert.isPending,
    run,
  }
}
