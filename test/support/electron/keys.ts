/** Accelerators. Source: docs/tutorial/keyboard-shortcuts.md. */
import type { Platform } from './host.ts'

interface Modifiers {
  key: string
  control: boolean
  meta: boolean
  alt: boolean
  shift: boolean
}

const names: Record<string, string> = { plus: '+', space: ' ', return: 'enter', esc: 'escape' }

/** The keys of an accelerator, or undefined if the accelerator never fires on this system. Names ignore case. */
function parse(accelerator: string, platform: Platform): Modifiers | undefined {
  const parts = accelerator.toLowerCase().split('+')
  const keys: Modifiers = { key: '', control: false, meta: false, alt: false, shift: false }
  const mac = platform === 'darwin'
  for (const part of parts) {
    if (part === 'commandorcontrol' || part === 'cmdorctrl' || part === 'cmdorcontrol')
      keys[mac ? 'meta' : 'control'] = true
    else if (part === 'command' || part === 'cmd' || part === 'option') {
      // "On Linux and Windows, the Command modifier does not have any effect." Option is for macOS too.
      if (!mac) return undefined
      keys[part === 'option' ? 'alt' : 'meta'] = true
    } else if (part === 'control' || part === 'ctrl') keys.control = true
    else if (part === 'alt' || part === 'altgr') keys.alt = true
    else if (part === 'shift') keys.shift = true
    else if (part === 'super' || part === 'meta') keys.meta = true
    else keys.key = names[part] ?? part
  }
  return keys.key === '' ? undefined : keys
}

/** One spelling for one combination, so that two names of the same keys are equal. */
export function spelling(accelerator: string, platform: Platform): string | undefined {
  const keys = parse(accelerator, platform)
  return keys && text(keys)
}

function text({ key, control, meta, alt, shift }: Modifiers): string {
  return JSON.stringify([control, meta, alt, shift, names[key] ?? key])
}
