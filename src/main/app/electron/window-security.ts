import { session, shell, type WebContents, type WebPreferences } from 'electron'
import type { Outbound } from '#platform'

export function secureWebPreferences(preload: string): WebPreferences {
  return {
    preload,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webSecurity: true,
    spellcheck: true,
  }
}

export function denyPermissions(): void {
  const { defaultSession } = session
  // Allows writing text to the clipboard. Reading it and all other permissions are denied.
  const isAllowed = (permission: string) => permission === 'clipboard-sanitized-write'
  defaultSession.setPermissionRequestHandler((_contents, permission, answer) => answer(isAllowed(permission)))
  defaultSession.setPermissionCheckHandler((_contents, permission) => isAllowed(permission))
  defaultSession.setDevicePermissionHandler(() => false)
}

/** Chromium downloads spelling dictionaries, except on macOS, and tells so only when it begins. */
export function recordDictionaries(outbound: Outbound, onFault: (error: unknown) => void): void {
  session.defaultSession.on('spellcheck-dictionary-download-begin', () => {
    outbound.track({ purpose: 'dictionary' }, 'https://redirector.gvt1.com', 0, async () => undefined).catch(onFault)
  })
}

export function blockNavigation(contents: WebContents): void {
  contents.setWindowOpenHandler(({ url }) => {
    openExternally(url)
    return { action: 'deny' }
  })
  contents.on('will-navigate', (event, url) => {
    event.preventDefault()
    openExternally(url)
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
}

function openExternally(url: string): void {
  if (/^(https?|mailto):/i.test(url)) void shell.openExternal(url)
}
