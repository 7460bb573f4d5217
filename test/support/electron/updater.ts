/** autoUpdater. Source: docs/api/auto-updater.md and spec/api-auto-updater-spec.ts. */
import { EventEmitter } from 'node:events'
import { emit } from './events.ts'
import type { Host } from './host.ts'

export class AutoUpdater extends EventEmitter {
  #feed = ''
  #headers: Record<string, string> = {}
  #downloaded: string | undefined
  #restarts = false
  readonly #instance: Host

  constructor(instance: Host) {
    super()
    this.#instance = instance
  }

  /** Source: spec/api-auto-updater-spec.ts, "throws if no url is provided when using the new style". */
  setFeedURL(options: { url: string; headers?: Record<string, string> }): void {
    if (typeof options.url !== 'string')
      throw new Error("Expected options object to contain a 'url' string property in setFeedUrl call")
    this.#feed = options.url
    this.#headers = options.headers ?? {}
  }

  /** "You must call `setFeedURL` before using this API." "The update is downloaded automatically." */
  checkForUpdates(): void {
    const { computer, platform } = this.#instance
    if (platform === 'linux') return this.#fail('Auto update is not supported on Linux')
    if (this.#feed === '') return this.#fail('Update URL is not set')
    this.emit('checking-for-update')
    if (this.#feed.startsWith('http://127.0.0.1')) return void this.#squirrel()
    this.#instance.later(() => {
      const version = computer.update
      if (version === undefined) return void this.emit('update-not-available')
      this.emit('update-available')
      this.#instance.later(() => {
        this.#downloaded = version
        // "a successfully downloaded update will still be applied the next time the application starts".
        this.#instance.atExit.push(() => void (computer.installed = version))
        emit(this, 'update-downloaded', {}, '', version, new Date(), this.#feed)
      })
    })
  }

  /**
   * "will close all application windows first, and automatically call app.quit() after all windows have been closed."
   * "the `before-quit` event is not emitted before all windows are closed." A window that stays stops it all.
   */
  quitAndInstall(): void {
    if (this.#downloaded === undefined) return this.#fail("No update available, can't quit and install")
    this.#restartAfterExit()
    this.emit('before-quit-for-update')
    this.#instance.closeWindows('update')
  }

  /**
   * Squirrel.Mac, "Server Support": the feed answers with JSON whose `url` is a zip. docs/api/auto-updater.md, "macOS":
   * "Your application must be signed for automatic updates on macOS."
   */
  async #squirrel(): Promise<void> {
    const { computer } = this.#instance
    const { url } = (await (await fetch(this.#feed, { headers: this.#headers })).json()) as { url: string }
    const version = await (await fetch(url)).text()
    this.emit('update-available')
    if (!computer.signed) return this.#fail('Code signature did not pass validation')
    this.#downloaded = version
    this.#instance.atExit.push(() => void (computer.installed = version))
    this.#instance.later(() => emit(this, 'update-downloaded', {}, '', version, new Date(), this.#feed))
  }

  /** "Restarts the app and installs the update". */
  #restartAfterExit(): void {
    if (this.#restarts) return
    this.#restarts = true
    const { atExit, computer } = this.#instance
    atExit.push(() => void computer.relaunches.push({}))
  }

  #fail(message: string): void {
    this.#instance.later(() => this.emit('error', new Error(message)))
  }
}
