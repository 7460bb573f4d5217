import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { api, explainError } from '../api/index.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Patch } from '../ui/patch.tsx'
import { hunkKey, splitHunks } from './patch-hunks.ts'

interface HunksProps {
  readonly agent: string
  readonly path: string
  readonly patch: string
  /** Hunks that were looked at and are fine. */
  readonly accepted?: ReadonlySet<string>
  readonly onAccept?: (hunk: string) => void
}

/** A change, hunk by hunk; each can be taken back by itself. */
export function Hunks({ agent, path, patch, accepted, onAccept }: HunksProps) {
  return splitHunks(patch)
    .filter((hunk) => !accepted?.has(hunkKey(hunk)))
    .map((hunk) => <Hunk key={hunkKey(hunk)} agent={agent} path={path} hunk={hunk} onAccept={onAccept} />)
}

interface HunkProps {
  readonly agent: string
  readonly path: string
  readonly hunk: string
  readonly onAccept: ((hunk: string) => void) | undefined
}

function Hunk({ agent, path, hunk, onAccept }: HunkProps) {
  const { t } = useTranslation()
  const undo = useMutation(
    api.files.undo.mutationOptions({
      onSuccess: () => toast.success(t('tool.undone')),
      onError: (error) => toast.error(explainError(error)),
    }),
  )
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
