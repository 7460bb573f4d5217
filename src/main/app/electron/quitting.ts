import { app, type BrowserWindow } from 'electron'
import type { Log } from '#platform'

interface Preventable {
  readonly defaultPrevented: boolean
}

export class Quitting {
  readonly #closeServices: () => Promise<void>
  readonly #log: Log
  #isQuitting = false
  #closing: Promise<void> | undefined
  #isFinished = false

  /** @param closeServices called once, when quitting can no longer be cancelled */
  constructor(closeServices: () => Promise<void>, log: Log) {
    this.#closeServices = closeServices
    this.#log = log
    app.on('before-quit', (event) => {
      this.#isQuitting = true
      this.#resetIfCancelled(() => event.defaultPrevented)
    })
    app.on('browser-window-created', (_event, window) => this.#watchWindow(window))
    app.on('will-quit', (event) => {
      if (this.#isFinished) return
      event.preventDefault()
      this.#finishAndQuit()
    })
  }

  /** True while windows should close instead of hide. */
  get isQuitting(): boolean {
    return this.#isQuitting
  }

  /** True once services are closing: no window may open any more. */
  get isEnding(): boolean {
    return this.#closing !== undefined
  }

  #watchWindow(window: BrowserWindow): void {
    window.on('close', (event: Preventable) => this.#resetIfCancelled(() => event.defaultPrevented))
    // The page refuses to unload. That cancels quitting unless a listener calls preventDefault.
    window.webContents.on('will-prevent-unload', (event: Preventable) =>
      this.#resetIfCancelled(() => !event.defaultPrevented),
    )
    // Windows ends the process soon after this and emits no `before-quit`.
    window.on('session-end', () => this.#finishAndQuit())
  }

  /** Ends `isQuitting` if the event was cancelled. Checks it after all listeners of the event have run. */
  #resetIfCancelled(isCancelled: () => boolean): void {
    queueMicrotask(() => {
      if (isCancelled()) this.#isQuitting = false
    })
  }

  #finishAndQuit(): void {
    this.#closing ??= this.#closeServices()
      .catch((error: unknown) => void this.#log.fault(error, 'closing the memory'))
      .finally(() => {
        this.#isFinished = true
        app.quit()
      })
  }
}
