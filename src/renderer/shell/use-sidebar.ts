import { useState } from 'react'
import { useMedia } from '#lib/util/use-media.ts'

/** Minimum window width for a sidebar beside the view, px. */
const minWidth = 900

export interface SidebarState {
  readonly mode: 'beside' | 'drawer' | 'hidden'
  readonly toggle: () => void
  readonly close: () => void
}

/** @param address current address; a drawer closes when it changes */
export function useSidebar(address: string): SidebarState {
  const isNarrow = useMedia(`(max-width: ${minWidth - 1}px)`)
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
