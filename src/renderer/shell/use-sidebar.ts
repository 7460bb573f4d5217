import { useState, useSyncExternalStore } from 'react'

/** Minimum window width for a sidebar beside the view, px. */
const minWidth = 900
const query = `(max-width: ${minWidth - 1}px)`

export interface SidebarState {
  readonly mode: 'beside' | 'drawer' | 'hidden'
  readonly toggle: () => void
  readonly close: () => void
}

/** @param address current address; a drawer closes when it changes */
export function useSidebar(address: string): SidebarState {
  const isNarrow = useSyncExternalStore(onWidthChange, () => matchMedia(query).matches)
  const [isBeside, setIsBeside] = useState(true)
  const [drawerAddress, setDrawerAddress] = useState<string>()
  const isVisible = isNarrow ? drawerAddress === address : isBeside
  const close = () => setDrawerAddress(undefined)
  const toggle = () => {
    if (isNarrow) setDrawerAddress(isVisible ? undefined : address)
    else setIsBeside(!isBeside)
  }
  return { mode: !isVisible ? 'hidden' : isNarrow ? 'drawer' : 'beside', toggle, close }
}

function onWidthChange(listener: () => void): () => void {
  const media = matchMedia(query)
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}
