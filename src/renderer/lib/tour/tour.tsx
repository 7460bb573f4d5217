import { t } from 'i18next'
import { useEffect, useState } from 'react'
import { commandKeys, formatBoundKeys } from '../util/shortcuts.ts'
import { Button } from '../ui/button.tsx'

/** Set while the hints of the first start are due. They are shown once. */
const storageKey = 'commonplace.tour'

export function planTour(): void {
  localStorage.setItem(storageKey, 'due')
}

const hints = ['files', 'why', 'palette'] as const

interface TourProps {
  /** Encoded path, from `useEncodedPath`. */
  readonly place: string
  readonly isPaletteOpen: boolean
}

/** The hints of the first start, one at a time, at the end of the sidebar. */
export function Tour({ place, isPaletteOpen }: TourProps) {
  const [index, setIndex] = useState(() => (localStorage.getItem(storageKey) === 'due' ? 0 : hints.length))
  const hint = hints[index]
  const isHintFollowed =
    hint !== undefined &&
    { files: place.startsWith('/file/'), why: /^\/(search|inspect)/.test(place), palette: isPaletteOpen }[hint]
  if (isHintFollowed) setIndex(index + 1)
  const isOver = index >= hints.length
  useEffect(() => {
    if (isOver) localStorage.removeItem(storageKey)
  }, [isOver])
  if (!hint) return null
  return (
    <aside
      aria-label={t('tour.title')}
      data-testid="tour"
      className="m-2.5 flex flex-col gap-1.5 rounded-lg border border-line bg-raised p-3"
    >
      <p className="font-semibold">{t(`tour.${hint}.title`)}</p>
      <p className="text-muted">{t(`tour.${hint}.text`, { keys: formatBoundKeys(commandKeys.palette) })}</p>
      <p className="flex items-center gap-2 pt-1">
        <span className="tabular flex-1 text-[12px] text-muted">
          {index + 1}/{hints.length}
        </span>
        <Button look="quiet" onClick={() => setIndex(hints.length)}>
          {t('tour.skip')}
        </Button>
        <Button onClick={() => setIndex(index + 1)}>{t(index + 1 < hints.length ? 'tour.next' : 'tour.done')}</Button>
      </p>
    </aside>
  )
}
