import { useEffect, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { commandKeys } from '../router/command-keys.ts'
import { Button } from '../ui/button.tsx'
import { formatBoundKeys } from '../util/shortcuts.ts'

/** Set while the hints of the first start are due. They are shown once. */
const storageKey = 'commonplace.tour'

export function planTour(): void {
  localStorage.setItem(storageKey, 'due')
}

const hints = ['files', 'why', 'palette'] as const
export type Hint = (typeof hints)[number]

/** Marks the element that a hint points at: `<section {...hintTarget('files')}>`. */
export function hintTarget(hint: Hint): { readonly 'data-hint': Hint } {
  return { 'data-hint': hint }
}

/** Distance between hint and target, and space reserved below the hint, px. */
const gap = 12
const roomBelow = 240

/** Heights of the header, and of the composer with a hint above it, px. */
const headerHeight = 56
const composerHeight = 320

interface TourProps {
  /** Encoded path, from `useEncodedPath`. */
  readonly place: string
  readonly isPaletteOpen: boolean
}

export function Tour({ place, isPaletteOpen }: TourProps) {
  const { t } = useTranslation()
  const [index, setIndex] = useState(() => (localStorage.getItem(storageKey) === 'due' ? 0 : hints.length))
  const hint = hints[index]
  const isHintFollowed =
    hint !== undefined &&
    { files: place.startsWith('/file/'), why: /^\/(search|context)/.test(place), palette: isPaletteOpen }[hint]
  if (isHintFollowed) setIndex(index + 1)
  const isOver = index >= hints.length
  useEffect(() => {
    if (isOver) localStorage.removeItem(storageKey)
  }, [isOver])
  const spot = useHintPosition(hint)
  if (!hint) return null
  return (
    <aside
      aria-label={t('tour.title')}
      data-testid="tour"
      className="fixed z-30 flex w-72 max-w-[calc(100vw-24px)] flex-col gap-2 rounded-lg border border-line bg-raised p-4 shadow-float"
      style={spot}
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

function aboveComposer() {
  return { left: gap, top: Math.max(headerHeight, innerHeight - composerHeight) }
}

function useHintPosition(hint: Hint | undefined): { readonly left: number; readonly top: number } {
  const [position, setPosition] = useState(aboveComposer)
  useLayoutEffect(() => {
    if (hint === undefined) return undefined
    const updatePosition = () => {
      const box = document.querySelector(`[data-hint=${hint}]`)?.getBoundingClientRect()
      if (!box) return setPosition(aboveComposer)
      setPosition({ left: box.right + gap, top: Math.max(gap, Math.min(box.top, innerHeight - roomBelow)) })
    }
    updatePosition()
    const timer = setInterval(updatePosition, 300)
    return () => clearInterval(timer)
  }, [hint])
  return position
}
