import { useEffect, useEffectEvent } from 'react'

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

let overrides: Readonly<Record<string, string>> = {}

/** @param bindings from default keys to the user's keys */
export function setBindings(bindings: Readonly<Record<string, string>>): void {
  overrides = bindings
}

function resolveKeys(keys: string): string {
  return overrides[keys] ?? keys
}

/** Formats the user's keys for these default keys. */
export function formatBoundKeys(keys: string): string {
  return formatKeys(resolveKeys(keys))
}

/** Formats `Mod+Shift+F` for this platform. */
export function formatKeys(keys: string): string {
  const names: Record<string, string> = isMac ? { Mod: '⌘', Shift: '⇧', Alt: '⌥' } : { Mod: 'Ctrl' }
  const parts = keys.split('+').map((key) => names[key] ?? key)
  return parts.join(isMac ? '' : '+')
}

/** Runs a command when its keys are pressed anywhere in the window. @param shortcuts commands by their default keys */
export function useShortcuts(shortcuts: Readonly<Record<string, () => void>>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    // Ignores keys while an input method composes in the editor or a field records a shortcut.
    if (event.isComposing || document.activeElement?.hasAttribute('data-takes-keys')) return
    const pressed = keysOfEvent(event)
    const match = Object.entries(shortcuts).find(([keys]) => resolveKeys(keys) === pressed)
    if (!match) return
    event.preventDefault()
    match[1]()
  })
  useEffect(() => {
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
}

/** Returns the pressed keys in the form `Mod+Shift+F`. */
export function keysOfEvent(event: KeyboardEvent): string {
  const mod = isMac ? event.metaKey : event.ctrlKey
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key
  return [mod ? 'Mod' : '', event.shiftKey ? 'Shift' : '', event.altKey ? 'Alt' : '', key].filter(Boolean).join('+')
}

export const commandKeys = {
  palette: 'Mod+K',
  goToFile: 'Mod+P',
  search: 'Mod+Shift+F',
  findInFiles: 'Mod+Shift+H',
  newChat: 'Mod+N',
  sidebar: 'Mod+B',
  stop: 'Mod+.',
  capture: 'Mod+Shift+Space',
  settings: 'Mod+,',
  chat: 'Mod+1',
  notes: 'Mod+2',
  searchView: 'Mod+3',
  inspect: 'Mod+4',
  suggestions: 'Mod+5',
} as const
