/** Keyboard shortcuts: `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
import { useEffect, useRef } from 'react'

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** `Mod+Shift+F` as this platform writes it. */
export function showKeys(keys: string): string {
  const names: Record<string, string> = isMac ? { Mod: '⌘', Shift: '⇧', Alt: '⌥' } : { Mod: 'Ctrl' }
  const parts = keys.split('+').map((key) => names[key] ?? key)
  return parts.join(isMac ? '' : '+')
}

export type Shortcuts = Readonly<Record<string, () => void>>

export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts)
  useEffect(() => {
    current.current = shortcuts
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // While an input method composes, every key belongs to it.
      if (event.isComposing) return
      const action = current.current[describeKeys(event)]
      if (!action) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
}

function describeKeys(event: KeyboardEvent): string {
  const mod = isMac ? event.metaKey : event.ctrlKey
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key
  return [mod ? 'Mod' : '', event.shiftKey ? 'Shift' : '', event.altKey ? 'Alt' : '', key].filter(Boolean).join('+')
}
