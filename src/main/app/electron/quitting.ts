import { app, autoUpdater, BrowserWindow, powerMonitor, dialog } from 'electron'
import type { Log, SettingsStore } from '#platform'
import { t } from '../texts.ts'

/** Time limit for closing services, ms. The app then ends anyway. */
const closeLimitMs = 30_000
/** "Saving…" is shown if closing services takes longer, ms. */
const noticeDelayMs = 1000

type Preventable = Pick<Event, 'defaultPrevented' | 'preventDefault'>

export class Quitting {
  readonly #closeServices: () => Promise<void>
  readonly #log: Log
  isRestarting = false
  isSessionEnding = false
  #isQuitting = false
  #closing: Promise<void> | undefined

  /** @param closeServices called once, when quitting can no longer be cancelled */
  constructor(closeServices: () => Promise<void>, log: Log) {
    this.#closeServices = closeServices
    this.#log = log
    app.on('before-quit', (event) => {
      this.#isQuitting = true
      this.#resetIfCancelled(() => event.defaultPrevented)
    })
    // An update closes the windows before `before-quit`.
    autoUpdater.on('before-quit-for-update', () => (this.#isQuitting = true))
    // Linux and macOS wait until the app has ended.
    powerMonitor.on('shutdown', (event?: Preventable) => this.#delayAndQuit(event))
    app.on('browser-window-created', (_event, window) => this.#watchWindow(window))
    app.on('will-quit', (event) => {
      event.preventDefault()
      this.#finishAndExit()
    })
  }

  /** Returns true while windows should close instead of hide, and no window may open. */
  get isQuitting(): boolean {
    return this.#isQuitting || this.#closing !== undefined
  }

  #watchWindow(window: BrowserWindow): void {
    window.on('close', (event: Preventable) => this.#resetIfCancelled(() => event.defaultPrevented))
    // The page refuses to unload. That cancels quitting unless a listener calls preventDefault.
    window.webContents.on('will-prevent-unload', (event: Preventable) =>
      this.#resetIfCancelled(() => !event.defaultPrevented),
    )
    window.on('query-session-end', (event: Preventable) => this.#delayAndQuit(event))
    // Windows waits no longer, ends the process soon after this, and emits no `before-quit`.
    window.on('session-end', () => {
      this.isSessionEnding = true
      this.#finishAndExit()
    })
  }

  /** Checks the event after all its listeners have run. */
  #resetIfCancelled(isCancelled: () => boolean): void {
    queueMicrotask(() => {
      if (isCancelled()) this.#isQuitting = this.isRestarting = false
    })
  }

  #delayAndQuit(event: Preventable | undefined): void {
    this.isSessionEnding = true
    event?.preventDefault()
    setImmediate(() => app.quit())
  }

  #finishAndExit(): void {
    this.#closing ??= this.#closeInTime()
      .catch((error: unknown) => void this.#log.fault(error, 'closing the memory'))
      // No window may cancel the exit: the memory is closed.
      .finally(() => app.exit())
  }

  async #closeInTime(): Promise<void> {
    const limit = Promise.withResolvers<never>()
    const timers = [
      setTimeout(showSaving, noticeDelayMs),
      setTimeout(() => limit.reject(new Error(`not finished after ${closeLimitMs} ms`)), closeLimitMs),
    ]
    await Promise.race([this.#closeServices(), limit.promise]).finally(() => timers.forEach(clearTimeout))
  }
}

function showSaving(): void {
  const title = t('desktop.saving')
  const webPreferences = { sandbox: true, contextIsolation: true }
  const options = { width: 320, height: 120, resizable: false, alwaysOnTop: true, title, webPreferences }
  void new BrowserWindow(options).loadURL(`data:text/plain;charset=utf-8,${encodeURIComponent(title)}`)
}

export function handleWindowClose(
  window: BrowserWindow,
  settings: SettingsStore,
  quitting: Pick<Quitting, 'isQuitting'>,
): void {
  window.on('close', (event) => {
    if (quitting.isQuitting || process.platform === 'darwin') return
    const { closeTo } = settings.config.desktop
    if (closeTo === 'quit') return
    event.preventDefault()
    if (closeTo === 'tray') return window.hide()
    void askCloseAction(window).then(async (choice) => {
      if (window.isDestroyed()) return
      // If saving fails, the choice applies once and the dialog appears again.
      await settings.set([['desktop', 'closeTo'], choice]).catch(() => undefined)
      if (choice === 'tray') window.hide()
      else app.quit()
    })
  })
}

async function askCloseAction(window: BrowserWindow): Promise<'tray' | 'quit'> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: t('desktop.closeQuestion'),
    detail: t('desktop.closeDetail'),
    buttons: [t('desktop.stayInTray'), t('desktop.quit')],
    defaultId: 0,
    noLink: true,
  })
  return response === 1 ? 'quit' : 'tray'
}
