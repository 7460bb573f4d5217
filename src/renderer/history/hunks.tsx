/** A change, hunk by hunk; each can be taken back by itself. */
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Patch } from './patch.tsx'
import { useUndo } from './use-undo.ts'
import { hunkKey, splitHunks } from './patch-hunks.ts'

/** Hunks shown at first, and with each further step. */
const step = 30

interface HunksProps {
  readonly agent: string
  readonly path: string
  readonly patch: string
  /** Hunks that were looked at and are fine. */
  readonly accepted?: ReadonlySet<string>
  readonly onAccept?: (hunk: string) => void
}

export function Hunks({ agent, path, patch, accepted, onAccept }: HunksProps) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(step)
  const keyed = useMemo(() => splitHunks(patch).map((hunk) => ({ hunk, key: hunkKey(hunk) })), [patch])
  const hunks = keyed.filter(({ key }) => !accepted?.has(key))
  return (
    <>
      {hunks.slice(0, shown).map(({ hunk, key }) => (
        <ErrorBoundary key={key} piece="row" of={hunk}>
          <Hunk agent={agent} path={path} hunk={hunk} onAccept={onAccept} />
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
  readonly agent: string
  readonly path: string
  readonly hunk: string
  readonly onAccept: ((hunk: string) => void) | undefined
}

function Hunk({ agent, path, hunk, onAccept }: HunkProps) {
  const { t } = useTranslation()
  const undo = useUndo()
  return (
    <div className="overflow-hidden rounded-sm border border-line bg-raised" data-testid="hunk">
      <Patch patch={hunk} isUndone={undo.isSuccess} isSmall />
      <div className="flex justify-end gap-3 border-t border-line px-2.5">
        {undo.isSuccess ? (
          <span className="py-0.5 text-muted">{t('tool.undoneShort')}</span>
        ) : (
          <>
            <Button look="link" disabled={undo.isPending} onClick={() => undo.mutate({ agent, path, patch: hunk })}>
              {t('tool.undo')}
            </Button>
            {onAccept && (
              <Button look="link" onClick={() => onAccept(hunkKey(hunk))}>
                {t('history.accept')}
              </Button>
            )}
          </>
        )}
      </div>
    </div>
  )
}
