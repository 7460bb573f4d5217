import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hunkKey, splitHunks } from '#shared/util/patch-hunks.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Outcome } from './change-label.tsx'
import { Patch } from './patch.tsx'
import { useStanding, type StandingChange } from './use-revert-status.ts'

/** Hunks shown at first, and added by each click on "more". */
const atFirst = 6
const step = 30

interface HunksProps {
  readonly agent: string
  readonly path: string
  readonly patch: string
  /** Ids of the reviewed hunks. */
  readonly accepted?: ReadonlySet<string>
  readonly onAccept?: (hunk: string) => void
  /** False for the version with which the history begins: there is no change to undo. */
  readonly mayUndo?: boolean
}

export function Hunks({ agent, path, patch, accepted, onAccept, mayUndo = true }: HunksProps) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(atFirst)
  const standing = useStanding(agent, path, patch)
  const keyed = useMemo(() => splitHunks(patch).map((hunk, place) => ({ hunk, place, key: hunkKey(hunk) })), [patch])
  const hunks = keyed.filter(({ key }) => !accepted?.has(key))
  return (
    <>
      {hunks.slice(0, shown).map(({ hunk, place, key }) => (
        <ErrorBoundary key={`${key}${place}`} piece="row" of={hunk}>
          {mayUndo ? (
            <Hunk hunk={hunk} place={place} standing={standing} onAccept={onAccept && (() => onAccept(key))} />
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
  readonly place: number
  readonly standing: StandingChange
  readonly onAccept: (() => void) | undefined
}

function Hunk({ hunk, place, standing, onAccept }: HunkProps) {
  const { t } = useTranslation()
  const outcome = standing.of(place)
  return (
    <div className="overflow-hidden rounded-sm border border-line bg-raised" data-testid="hunk">
      <Patch patch={hunk} isUndone={outcome === 'undone'} isSmall />
      <div className="flex justify-end gap-3 border-t border-line px-2.5">
        {outcome === 'there' ? (
          <Button look="link" disabled={standing.isUndoing} onClick={() => standing.undo(place)}>
            {t('tool.undo')}
          </Button>
        ) : (
          <span className="py-0.5">
            <Outcome of={outcome} />
          </span>
        )}
        {outcome === 'undone' && (
          <Button look="link" disabled={standing.isUndoing} onClick={() => standing.redo(place)}>
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
