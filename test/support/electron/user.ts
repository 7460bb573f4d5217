/** Actions of the user and the system. */
import type { Computer } from './computer.ts'
import { emit } from './events.ts'
import type { Instance, Main } from './instance.ts'
import type { ItemPart } from './host.ts'
import type { Tray } from './tray.ts'
import type { BaseWindow } from './window.ts'

export class User {
  readonly computer: Computer

  constructor(computer: Computer) {
    this.computer = computer
  }

  /** The close button. Source: docs/api/browser-window.md, "win.close()". */
  closes(window: BaseWindow): void {
    window.close()
  }

  /** An item of the application menu. */
  choosesItem(instance: Instance, label: string): void {
    const found = instance.app.applicationMenu?.allItems().find((item) => item.label === label)
    this.#choose(instance, found, label)
  }

  /** An item of the tray menu, as the system shows it. */
  choosesTrayItem(instance: Instance, label: string): void {
    const shown = this.tray(instance).shownItems()
    this.#choose(instance, shown.find((item) => item.label === label)?.item, label)
  }

  #choose(instance: Instance, item: ItemPart | undefined, label: string): void {
    if (item === undefined || !item.enabled) throw new Error(`no enabled menu item "${label}"`)
    item.click({}, instance.focused, instance.focused?.webContents)
  }

  tray(instance: Instance): Tray {
    const [tray] = instance.electron.trays
    if (tray === undefined) throw new Error('there is no tray icon')
    return tray
  }

  /** Source: docs/api/tray.md, "Event: 'click'", on all systems. */
  clicksTray(instance: Instance): void {
    const tray = this.tray(instance)
    emit(tray, 'click', {}, tray.getBounds(), { x: 0, y: 0 })
  }

  /** Source: docs/api/app.md, "Event: 'activate'": "clicking on the application's dock or taskbar icon". */
  clicksDock(instance: Instance): void {
    if (instance.platform !== 'darwin') throw new Error('only macOS has a dock')
    instance.activate()
  }

  /**
   * Opens a link of the app's scheme. On macOS the running app gets `open-url`, and a link starts the app first if
   * needed. On the others the system starts the executable with the link as its last argument.
   * Source: docs/api/app.md, "Event: 'open-url'", and docs/tutorial/launch-app-from-url-in-another-app.md.
   */
  opensLink(url: string, main: Main): Instance {
    const { computer } = this
    const running = computer.running()
    if (computer.platform !== 'darwin') return computer.start(main, { args: [url] })
    if (running === undefined) return computer.start(main, { openUrl: url })
    running.whenReady(() => emit(running.app, 'open-url', {}, url))
    return running
  }

  /**
   * Starts the app from its icon. "On macOS, the system enforces single instance automatically".
   * Source: docs/api/app.md, "app.requestSingleInstanceLock()".
   */
  startsApp(main: Main): Instance {
    const running = this.computer.running()
    if (this.computer.platform !== 'darwin' || running === undefined) return this.computer.start(main)
    running.whenReady(() => running.activate())
    return running
  }

  sleeps(instance: Instance): void {
    instance.electron.powerMonitor.emit('suspend')
  }

  wakes(instance: Instance): void {
    instance.electron.powerMonitor.emit('resume')
  }

  /** SIGTERM or SIGINT. Source: spec/api-app-spec.ts, "exits gracefully": the exit code is 0. */
  terminates(instance: Instance): void {
    instance.later(() => instance.app.quit())
  }

  /**
   * Linux and macOS shut down. With preventDefault, "Electron will attempt to delay system shutdown in order for the
   * app to exit cleanly". Without it the system asks the app to end, as `terminates` does.
   * Windows ends the session: see #endsSession. Returns whether the app delays the shutdown.
   * Source: docs/api/power-monitor.md, "Event: 'shutdown'".
   */
  shutsDown(instance: Instance): boolean {
    if (instance.platform === 'win32') return this.#endsSession(instance)
    const delayed = emit(instance.electron.powerMonitor, 'shutdown')
    if (!delayed) this.terminates(instance)
    return delayed
  }

  /** The system waits no longer. */
  powersOff(instance: Instance): void {
    if (instance.platform === 'win32') this.#sessionEnds(instance)
    instance.kill()
  }

  /**
   * Each window gets `query-session-end` and then `session-end`. Only the first one can delay the shutdown.
   * Source: docs/api/browser-window.md. `before-quit`, `will-quit` and `quit` are not emitted: docs/api/app.md.
   */
  #endsSession(instance: Instance): boolean {
    const windows = [...instance.windows]
    const delayed = windows.map((window) => emit(window, 'query-session-end')).some(Boolean)
    if (delayed) return true
    this.#sessionEnds(instance)
    instance.kill()
    return false
  }

  #sessionEnds(instance: Instance): void {
    for (const window of instance.windows.slice()) if (!window.isDestroyed()) emit(window, 'session-end')
  }
}
