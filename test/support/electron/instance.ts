/** One run of the app: from its start to its exit. */
import { EventEmitter } from 'node:events'
import { App } from './app.ts'
import { emit } from './events.ts'
import type { Closing, ComputerState, Host, Launch, Platform } from './host.ts'
import { createModule, type ElectronModule } from './module.ts'
import type { BaseWindow } from './window.ts'

export type Main = (electron: ElectronModule, instance: Instance) => unknown

export class Instance implements Host {
  readonly computer: ComputerState
  readonly launch: Launch
  ready = false
  exited = false
  exitCode: number | undefined
  closing: Closing | undefined
  readonly windows: BaseWindow[] = []
  focused: BaseWindow | undefined
  nextId = 1
  readonly app: App
  readonly electron: ElectronModule
  /** Emits `exit` when the process ends, after Electron's own `quit` event. */
  readonly process = new EventEmitter()
  readonly atExit: (() => void)[] = []
  readonly #beforeReady: (() => void)[] = []

  constructor(computer: ComputerState, launch: Launch) {
    this.computer = computer
    this.launch = launch
    this.app = new App(this)
    this.electron = createModule(this, this.app)
  }

  get platform(): Platform {
    return this.computer.platform
  }

  get argv(): string[] {
    return [this.computer.executable, ...(this.launch.args ?? [])]
  }

  /** Runs work in a later turn if the process still runs. */
  later(work: () => void): void {
    this.computer.turns.later(() => {
      if (!this.exited) work()
    })
  }

  /**
   * The `ready` event comes after the first turn of the main process, and after the whole entry module.
   * Source: docs/api/app.md, "Event: 'ready'"; docs/tutorial/esm.md, "You must use await generously".
   */
  begin(main: Main): void {
    void Promise.resolve(main(this.electron, this)).then(() => this.later(() => this.#launched()))
  }

  #launched(): void {
    // Source: docs/api/app.md, "Event: 'will-finish-launching'": same as `ready` on Windows and Linux.
    this.app.emit('will-finish-launching')
    // Source: docs/api/app.md, "Event: 'open-url'" and "Event: 'open-file'":
    // a link that starts the app comes before `ready`; without a listener it is lost.
    const { openUrl, openFile } = this.launch
    if (this.platform === 'darwin' && openUrl !== undefined) emit(this.app, 'open-url', {}, openUrl)
    if (this.platform === 'darwin' && openFile !== undefined) emit(this.app, 'open-file', {}, openFile)
    if (this.exited) return
    this.ready = true
    this.app.becomeReady()
    for (const work of this.#beforeReady.splice(0)) this.later(work)
    // Source: docs/api/app.md, "Event: 'activate'": the first launch can trigger it.
    if (this.platform === 'darwin') this.later(() => this.activate())
  }

  whenReady(work: () => void): void {
    if (this.ready) this.later(work)
    else this.#beforeReady.push(work)
  }

  activate(): void {
    emit(
      this.app,
      'activate',
      {},
      this.windows.some((window) => window.isVisible()),
    )
  }

  /**
   * Source: docs/api/app.md, "app.quit()" and "Event: 'close'" of docs/api/browser-window.md:
   * each window gets `close`; one that stays open cancels the quit.
   */
  closeWindows(why: Closing): void {
    this.closing = why
    if (this.windows.length === 0) return this.allClosed()
    for (const window of this.windows.slice()) if (!window.isDestroyed()) window.close()
  }

  windowStayed(): void {
    this.closing = undefined
  }

  forget(window: BaseWindow): void {
    this.windows.splice(this.windows.indexOf(window), 1)
    if (this.focused === window) this.focused = undefined
  }

  windowClosed(): void {
    if (this.windows.length === 0 && !this.exited) this.allClosed()
  }

  /**
   * Source: docs/api/app.md, "Event: 'window-all-closed'": not emitted for app.quit(); quits if nothing listens.
   * Source: docs/api/auto-updater.md, "autoUpdater.quitAndInstall()": app.quit() comes after all windows.
   */
  allClosed(): void {
    if (this.closing === 'exit') return
    if (this.closing === 'quit') return this.#willQuit()
    const update = this.closing === 'update'
    const handled = this.app.emit('window-all-closed')
    if (update) this.closing = undefined
    if (update || !handled) this.app.quit()
  }

  /** Source: docs/api/app.md, "Event: 'will-quit'": preventDefault keeps the app running, now without windows. */
  #willQuit(): void {
    if (emit(this.app, 'will-quit')) this.closing = undefined
    else this.end(0)
  }

  /** Source: docs/api/app.md, "Event: 'quit'"; spec/fixtures/api/quit-app: the process emits `exit` too. */
  end(exitCode: number): void {
    if (this.exited) return
    emit(this.app, 'quit', {}, exitCode)
    this.process.emit('exit', exitCode)
    this.#stop(exitCode)
    for (const work of this.atExit) work()
  }

  /** The system ends the process. No event of the app is emitted. */
  kill(): void {
    if (!this.exited) this.#stop(undefined)
  }

  #stop(exitCode: number | undefined): void {
    this.exited = true
    this.exitCode = exitCode
    for (const [name, holder] of this.computer.locks) if (holder === this) this.computer.locks.delete(name)
    this.process.emit('stopped')
  }

  /** Throws where Electron refuses work before `ready`. */
  needReady(message: string): void {
    if (!this.ready) throw new Error(message)
  }
}
