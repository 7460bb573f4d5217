import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { paths } from '#lib/router/paths.ts'
import { IconButton } from '#lib/ui/button.tsx'
import type { InboxState } from './use-inbox.ts'
import type { UndoConflict } from './use-undoable-actions.ts'

const maxShown = 12

export function UndoConflictBanner({ inbox: { conflicts, clearConflicts } }: { inbox: InboxState }) {
  const { t } = useTranslation()
  if (conflicts.length === 0) return null
  const places = [...new Map(conflicts.map((conflict) => [`${conflict.path}:${conflict.line}`, conflict])).values()]
  return (
    <div
      role="status"
      className="flex items-start gap-3 border-b border-soft px-5 py-2 text-[12px] max-sm:px-3"
      data-testid="stuck-note"
    >
      <div className="min-w-0 flex-1">
        <p>{t('upkeep.stuck', { count: conflicts.length })}</p>
        <p className="flex flex-wrap gap-x-3">
          {places.slice(0, maxShown).map((place) => (
            <ConflictLink key={`${place.path}:${place.line}`} place={place} />
          ))}
          {places.length > maxShown && <span>{t('upkeep.stuckMore', { count: places.length - maxShown })}</span>}
        </p>
      </div>
      <IconButton label={t('common.close')} onClick={clearConflicts}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  )
}

export function ConflictLink({ place: { path, line } }: { place: Omit<UndoConflict, 'proposal'> }) {
  const { t } = useTranslation()
  const pathClass = 'font-mono text-[12px] break-all'
  if (line === null) return <span className={pathClass}>{t('upkeep.stuckGone', { path })}</span>
  return (
    <Link href={paths.file(path, line)} className={`${pathClass} text-accent hover:underline`}>
      {path}:{line}
    </Link>
  )
}
