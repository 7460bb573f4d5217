import { t } from 'i18next'
import { useMemo, useState } from 'react'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { RevertButtons } from './change-label.tsx'
import { Patch } from './patch.tsx'
import { hunkKey, splitHunks } from './patch-lines.ts'
import { useRevertStatus } from './use-revert-status.ts'

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
