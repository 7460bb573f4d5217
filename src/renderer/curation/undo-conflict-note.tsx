import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { paths } from '#lib/router/paths.ts'
import { IconButton } from '#lib/ui/button.tsx'
import type { InboxState } from './use-inbox.ts'
import type { UndoConflict } from './use-undoable-actions.ts'

const maxShown = 12

export function UndoConflictNote({ inbox: { stuck, forgetStuck } }: { inbox: InboxState }) {
  const { t } = useTranslation()
  if (stuck.length === 0) return null
  const places = [...new Map(stuck.map((one) => [`${one.path}:${one.line}`, one])).values()]
  return (
    <div
      role="status"
      className="flex items-start gap-3 border-b border-soft px-5 py-2 text-[12px] max-sm:px-3"
      data-testid="stuck-note"
    >
      <div className="min-w-0 flex-1">
        <p>{t('upkeep.stuck', { count: stuck.length })}</p>
        <p className="flex flex-wrap gap-x-3">
          {places.slice(0, maxShown).map((place) => (
            <PlaceLink key={`${place.path}:${place.line}`} place={place} />
          ))}
          {places.length > maxShown && <span>{t('upkeep.stuckMore', { count: places.length - maxShown })}</span>}
        </p>
      </div>
      <IconButton label={t('common.close')} onClick={forgetStuck}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  )
}

export function PlaceLink({ place: { path, line } }: { place: Omit<UndoConflict, 'proposal'> }) {
  const { t } = useTranslation()
  const look = 'font-mono text-[12px] break-all'
  if (line === null) return <span className={look}>{t('upkeep.stuckGone', { path })}</span>
  return (
    <Link href={paths.file(path, line)} className={`${look} text-accent hover:underline`}>
      {path}:{line}
    </Link>
  )
}
