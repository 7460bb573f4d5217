import { useEffect, useRef, type KeyboardEvent as ReactKeyboardEvent } from 'react'

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

let others: Readonly<Record<string, string>> = {}

/** Takes over the configuration's own keys, by the keys that they stand for. */
export function setBindings(bindings: Readonly<Record<string, string>>): void {
  others = bindings
}

/** The keys that do what these do unless they are given others. */
export function keysOf(keys: string): string {
  return others[keys] ?? keys
}

/** The keys that are in force for these, as this platform writes them. */
export function showKeys(keys: string): string {
  return writeKeys(keysOf(keys))
}

/** `Mod+Shift+F` as this platform writes it. */
export function writeKeys(keys: string): string {
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
      // While an input method composes, every key belongs to it; so it does to a field that asks for keys.
      if (event.isComposing || document.activeElement?.hasAttribute('data-takes-keys')) return
      const pressed = describeKeys(event)
      const found = Object.entries(current.current).find(([keys]) => keysOf(keys) === pressed)
      if (!found) return
      event.preventDefault()
      found[1]()
    }
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
}

/** `Mod+Shift+F` for what was pressed. */
export function describeKeys(event: KeyboardEvent): string {
  const mod = isMac ? event.metaKey : event.ctrlKey
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key
  return [mod ? 'Mod' : '', event.shiftKey ? 'Shift' : '', event.altKey ? 'Alt' : '', key].filter(Boolean).join('+')
}

/** An input method composes: the key belongs to it, Enter takes a candidate. 229 is what Safari says for the last one. */
export function isComposing(event: ReactKeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229
}
