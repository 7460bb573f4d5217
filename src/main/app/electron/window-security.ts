import { session, shell, type WebContents, type WebPreferences, dialog, type BrowserWindow } from 'electron'
import type { Outbound, Log } from '#platform'
import { t } from '../texts.ts'

export function secureWebPreferences(preload: string): WebPreferences {
  return { preload, contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true, spellcheck: true }
}

export function denyPermissions(): void {
  const { defaultSession } = session
  // Allows writing text to the clipboard. Reading it and all other permissions are denied.
  const isAllowed = (permission: string) => permission === 'clipboard-sanitized-write'
  defaultSession.setPermissionRequestHandler((_contents, permission, answer) => answer(isAllowed(permission)))
  defaultSession.setPermissionCheckHandler((_contents, permission) => isAllowed(permission))
  defaultSession.setDevicePermissionHandler(() => false)
}

/** Records in the list of outbound requests that Chromium downloads a spelling dictionary. It does not on macOS. */
export function recordDictionaries(outbound: Outbound, onFault: (error: unknown) => void): void {
  session.defaultSession.on('spellcheck-dictionary-download-begin', () => {
    // Chromium sends the request, without any text: there are 0 characters and nothing to run.
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

/** A page that crashes twice within this time (ms) is reloaded only on request. */
const repeatWindowMs = 10_000

export function recoverFromCrashes(window: BrowserWindow, log: Log): void {
  let crashedAt = -Infinity
  /** True from `forcefullyCrashRenderer` until its event: that is no crash to report. */
  let isForced = false
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || isForced) {
      isForced = false
      return
    }
    const reference = log.fault(new Error(`the page ended: ${reason} (${exitCode})`), 'renderer')
    const isRepeated = performance.now() - crashedAt < repeatWindowMs
    crashedAt = performance.now()
    if (!isRepeated) {
      window.webContents.reload()
      return void showDialog(window, t('desktop.pageCrashed', { reference }), ['OK'])
    }
    void showDialog(window, t('desktop.pageCrashedAgain', { reference }), [t('desktop.reload')]).then(
      () => !window.isDestroyed() && window.webContents.reload(),
    )
  })
  window.on('unresponsive', () => {
    log.warn({}, 'the page does not respond')
    void showDialog(window, t('desktop.pageHangs'), [t('desktop.wait'), t('desktop.reload')]).then((choice) => {
      if (choice !== 1 || window.isDestroyed()) return
      isForced = true
      window.webContents.forcefullyCrashRenderer()
      window.webContents.reload()
    })
  })
}

/** Offers to load a page again that could not be loaded. An aborted load (-3) is a newer one. */
export function reportFailedLoad(window: BrowserWindow): void {
  window.webContents.on('did-fail-load', (_event, code, reason, _url, isMainFrame) => {
    if (!isMainFrame || code === -3) return
    window.show()
    void showDialog(window, t('desktop.loadFailed', { reason: reason || String(code) }), [t('desktop.reload')]).then(
      () => !window.isDestroyed() && window.webContents.reload(),
    )
  })
}

async function showDialog(window: BrowserWindow, message: string, buttons: string[]): Promise<number> {
  const { response } = await dialog.showMessageBox(window, { type: 'warning', message, buttons, noLink: true })
  return response
}
