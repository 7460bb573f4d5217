import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hunkKey, splitHunks } from '#shared/util/patch-hunks.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { UndoneLabel } from './change-label.tsx'
import { Patch } from './patch.tsx'
import { useRevertStatus, type RevertStatus } from './use-revert-status.ts'

const initialCount = 6
const step = 30

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
  const [shown, setShown] = useState(initialCount)
  const standing = useRevertStatus(agent, path, patch)
  const keyed = useMemo(() => splitHunks(patch).map((hunk, place) => ({ hunk, place, key: hunkKey(hunk) })), [patch])
  const hunks = keyed.filter(({ key }) => !accepted?.has(key))
  return (
    <>
      {hunks.slice(0, shown).map(({ hunk, place, key }) => (
        <ErrorBoundary key={`${key}${place}`} piece="row" resetKey={hunk}>
          {canUndo ? (
            <Hunk hunk={hunk} index={place} standing={standing} onAccept={onAccept && (() => onAccept(key))} />
          ) : (
            <div className="overflow-hidden rounded-sm border border-line bg-raised" data-testid="hunk">
              <Patch patch={hunk} isSmall />
            </div>
          )}
        </ErrorBoundary>
      ))}
      {hunks.length > shown && (
        <Button look="link" onClick={() => setShown(shown + step)}>
          {t('history.more')}
        </Button>
      )}
    </>
  )
}

interface HunkProps {
  readonly hunk: string
  /** 0-based index within the change. */
  readonly index: number
  readonly standing: RevertStatus
  readonly onAccept: (() => void) | undefined
}

function Hunk({ hunk, index, standing, onAccept }: HunkProps) {
  const { t } = useTranslation()
  const outcome = standing.statusOf(index)
  return (
    <div className="overflow-hidden rounded-sm border border-line bg-raised" data-testid="hunk">
      <Patch patch={hunk} isUndone={outcome === 'undone'} isSmall />
      <div className="flex justify-end gap-3 border-t border-line px-2.5">
        {outcome === 'there' ? (
          <Button look="link" disabled={standing.isUndoing} onClick={() => standing.undo(index)}>
            {t('tool.undo')}
          </Button>
        ) : (
          <span className="py-0.5">
            <UndoneLabel of={outcome} />
          </span>
        )}
        {outcome === 'undone' && (
          <Button look="link" disabled={standing.isUndoing} onClick={() => standing.redo(index)}>
            {t('tool.redo')}
          </Button>
        )}
        {onAccept && outcome !== 'undone' && (
          <Button look="link" title={t('changes.acceptHint')} onClick={onAccept}>
            {t('history.accept')}
          </Button>
        )}
      </div>
    </div>
  )
}
