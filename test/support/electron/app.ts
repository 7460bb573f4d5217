/** The `app` module. Source of each rule: docs/api/app.md, unless another file is named. */
import { EventEmitter } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Dock } from './dock.ts'
import { emit } from './events.ts'
import type { AppPart, Host, MenuPart } from './host.ts'

/** The message limit of a second instance on macOS and Linux, in bytes. */
const largestMessage = 32 * 1024 * 1024

interface LoginSettings {
  openAtLogin?: boolean
  args?: readonly string[]
}

export class App extends EventEmitter implements AppPart {
  readonly dock: Dock | undefined
  applicationMenu: MenuPart | null = null
  isPackaged: boolean
  name = 'Commonplace'
  badgeCount = 0
  isSandboxed = false
  readonly #instance: Host
  readonly #paths: Partial<Record<string, string>>
  readonly #whenReady = Promise.withResolvers<void>()
  #quitting = false

  constructor(instance: Host) {
    super()
    this.#instance = instance
    this.isPackaged = instance.computer.options.packaged ?? true
    this.#paths = { ...instance.computer.options.folders }
    if (instance.platform === 'darwin') this.dock = new Dock()
    // The page labels these methods with macOS and Windows.
    if (instance.platform === 'linux')
      for (const name of ['setLoginItemSettings', 'getLoginItemSettings'])
        Object.defineProperty(this, name, { value: undefined })
  }

  becomeReady(): void {
    emit(this, 'ready', {}, {})
    this.#whenReady.resolve()
  }

  isReady(): boolean {
    return this.#instance.ready
  }

  whenReady(): Promise<void> {
    return this.#whenReady.promise
  }

  /**
   * "Try to close all windows. The `before-quit` event will be emitted first."
   * The page does not mention a second call while the first closes windows. It has no effect here.
   * "If application quit was initiated by autoUpdater.quitAndInstall(), then before-quit is emitted after
   * emitting close event on all windows and closing them."
   */
  quit(): void {
    const instance = this.#instance
    if (instance.exited || this.#quitting || instance.closing === 'quit') return
    this.#quitting = true
    const prevented = emit(this, 'before-quit')
    this.#quitting = false
    if (!prevented && !instance.exited) instance.closeWindows('quit')
  }

  /** "All windows will be closed immediately without asking the user"; no `before-quit`, no `will-quit`. */
  exit(exitCode = 0): void {
    const instance = this.#instance
    if (instance.exited) return
    instance.closing = 'exit'
    for (const window of instance.windows.slice()) if (!window.isDestroyed()) window.destroy()
    instance.end(exitCode)
  }

  /** Relaunches when this instance exits; each call starts one more instance. */
  relaunch(options: { args?: string[]; execPath?: string } = {}): void {
    const instance = this.#instance
    const args = options.args ?? instance.launch.args ?? []
    instance.atExit.push(() => void instance.computer.relaunches.push({ args: [...args] }))
  }

  /** "returns `false` if your process should immediately quit as it has sent its parameters to another instance". */
  requestSingleInstanceLock(additionalData?: unknown): boolean {
    const instance = this.#instance
    const { locks } = instance.computer
    const key = this.getPath('userData')
    const holder = locks.get(key) ?? instance
    locks.set(key, holder)
    if (holder === instance) return true
    const data = additionalData === undefined ? null : structuredClone(additionalData)
    const [executable = '', ...args] = instance.argv
    // "additional arguments might be appended", such as --original-process-start-time.
    const argv = [executable, '--original-process-start-time=13400000000000000', ...args]
    const tooLong = instance.platform !== 'win32' && JSON.stringify([argv, data]).length > largestMessage
    // "This event is guaranteed to be emitted after the `ready` event".
    if (!tooLong)
      holder.whenReady(() =>
        emit(holder.app, 'second-instance', {}, argv, instance.launch.workingDirectory ?? '/', data),
      )
    return false
  }

  hasSingleInstanceLock(): boolean {
    return this.#instance.computer.locks.get(this.getPath('userData')) === this.#instance
  }

  releaseSingleInstanceLock(): void {
    if (this.hasSingleInstanceLock()) this.#instance.computer.locks.delete(this.getPath('userData'))
  }

  getPath(name: string): string {
    const known = this.#paths[name]
    if (known !== undefined) return known
    if (name === 'userData') return join(this.getPath('appData'), this.name)
    return join(tmpdir(), 'electron-stand-in', name)
  }

  getAppPath(): string {
    return process.cwd()
  }

  getVersion(): string {
    return this.#instance.computer.options.version ?? '0.1.0'
  }

  getName(): string {
    return this.name
  }

  /** "This API must be called after the `ready` event is emitted." Before it the answer is empty. */
  getLocale(): string {
    return this.isReady() ? (this.#instance.computer.options.locale ?? 'en-US') : ''
  }

  setAsDefaultProtocolClient(): void {}

  /** macOS and Windows. `args` is for Windows; `openAtLogin` defaults to false. */
  setLoginItemSettings({ openAtLogin = false, args = [] }: LoginSettings): void {
    this.#instance.computer.loginItem = openAtLogin ? args : undefined
  }

  /** Windows: "you need to pass the same arguments here for `openAtLogin` to be set correctly". */
  getLoginItemSettings({ args = [] }: LoginSettings = {}): Record<string, unknown> {
    const { computer, platform, launch } = this.#instance
    const item = computer.loginItem
    if (platform === 'darwin') return { openAtLogin: item !== undefined, wasOpenedAtLogin: launch.atLogin ?? false }
    return { openAtLogin: JSON.stringify(item) === JSON.stringify(args) }
  }

  setBadgeCount(count = 0): boolean {
    if (this.#instance.platform === 'win32') return false
    this.badgeCount = count
    return true
  }

  getBadgeCount(): number {
    return this.badgeCount
  }

  enableSandbox(): void {
    if (this.isReady()) throw new Error('app.enableSandbox() can only be called before app is ready')
    this.isSandboxed = true
  }
}
