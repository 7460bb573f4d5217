import { useState, useSyncExternalStore } from 'react'

/** Minimum window width for a sidebar beside the view, px. */
const minWidth = 900
const query = `(max-width: ${minWidth - 1}px)`

export interface SidebarState {
  readonly mode: 'beside' | 'drawer' | 'hidden'
  readonly toggle: () => void
  readonly close: () => void
}

/** @param place current address; a drawer closes when it changes */
export function useSidebar(place: string): SidebarState {
  const isNarrow = useSyncExternalStore(onWidthChange, () => matchMedia(query).matches)
  const [isBeside, setIsBeside] = useState(true)
  const [drawnAt, setDrawnAt] = useState<string>()
  const isInSight = isNarrow ? drawnAt === place : isBeside
  const close = () => setDrawnAt(undefined)
  const toggle = () => {
    if (isNarrow) setDrawnAt(isInSight ? undefined : place)
    else setIsBeside(!isBeside)
  }
  return { mode: !isInSight ? 'hidden' : isNarrow ? 'drawer' : 'beside', toggle, close }
}

function onWidthChange(listener: () => void): () => void {
  const media = matchMedia(query)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}
