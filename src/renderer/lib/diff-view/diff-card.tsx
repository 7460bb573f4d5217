import { t } from 'i18next'
import { Link } from 'wouter'
import type { FileChange } from '#shared/util/file-change.ts'
import { paths } from '../router/paths.ts'
import { Patch, hunkKey, splitHunks } from './patch.tsx'
import { RevertButtons, useRevertStatus } from './change-label.tsx'
import { useMemo, useState } from 'react'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'

export function DiffCard({ agent, change }: { agent: string; change: FileChange }) {
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
      <Patch patch={patch} isUndone={revert.overall === 'undone'} />
    </figure>
  )
}

const initialCount = 6
const pageSize = 30

interface HunksProps {
  readonly agent: string
  readonly change: HistoryEntry
  readonly patch: string
  /** Called with the `hunkKey` of a hunk. Reviewed hunks are hidden if it is given. */
  readonly onAccept?: (key: string) => void
}

export function Hunks({ agent, change, patch, onAccept }: HunksProps) {
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
      {hunks.length > shownCount && (
        <Button look="link" onClick={() => setShownCount(shownCount + pageSize)}>
          {t('history.more')}
        </Button>
      )}
    </>
  )
}
