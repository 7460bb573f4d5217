import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hunkKey, splitHunks } from '#shared/util/patch-hunks.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { RevertButtons } from './change-label.tsx'
import { Patch } from './patch.tsx'
import { useRevertStatus } from './use-revert-status.ts'

const initialCount = 6
const pageSize = 30

interface HunksProps {
  readonly agent: string
  readonly path: string
  readonly patch: string
  readonly accepted?: ReadonlySet<string>
  readonly onAccept?: (hunk: string) => void
  /** False for the version with which the history begins: there is no change to undo. */
  readonly canUndo?: boolean
}

export function Hunks({ agent, path, patch, accepted, onAccept, canUndo = true }: HunksProps) {
  const { t } = useTranslation()
  const [shownCount, setShownCount] = useState(initialCount)
  const revert = useRevertStatus(agent, path, patch)
  const allHunks = useMemo(() => splitHunks(patch).map((hunk, index) => ({ hunk, index, key: hunkKey(hunk) })), [patch])
  const hunks = allHunks.filter(({ key }) => !accepted?.has(key))
  return (
    <>
      {hunks.slice(0, shownCount).map(({ hunk, index, key }) => (
        <ErrorBoundary key={`${key}${index}`} piece="row" resetKey={hunk}>
          <div className="overflow-hidden rounded-sm border border-line bg-raised" data-testid="hunk">
            <Patch patch={hunk} isUndone={canUndo && revert.statusOf(index) === 'undone'} isSmall />
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
