/** The `app` module. Source of each rule: docs/api/app.md, unless another file is named. */
import { EventEmitter } from 'node:events'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { Dock } from './dock.ts'
import { emit } from './events.ts'
import type { AppPart, Host, MenuPart } from './host.ts'

/** The message limit of a second instance on macOS and Linux, in bytes. */
const largestMessage = 32 * 1024 * 1024

interface LoginSettings {
  openAtLogin?: boolean
  path?: string
  args?: string[]
  name?: string
  enabled?: boolean
}

export class App extends EventEmitter implements AppPart {
  readonly dock: Dock | undefined
  applicationMenu: MenuPart | null = null
  isPackaged: boolean
  name = 'Commonplace'
  badgeCount = 0
  userModelId: string | undefined
  activationPolicy = 'regular'
  isSandboxed = false
  readonly #instance: Host
  readonly #paths: Partial<Record<string, string>>
  readonly #switches = new Map<string, string>()
  readonly #whenReady = Promise.withResolvers<void>()
  #quitting = false

  constructor(instance: Host) {
    super()
    this.#instance = instance
    this.isPackaged = instance.computer.options.packaged ?? true
    this.#paths = { ...instance.computer.options.folders }
    if (instance.platform === 'darwin') this.dock = new Dock()
    this.#limitToPlatform()
  }

  /** Methods that the page labels with other systems do not exist here. */
  #limitToPlatform(): void {
    const only: Record<string, readonly string[]> = {
      setLoginItemSettings: ['darwin', 'win32'],
      getLoginItemSettings: ['darwin', 'win32'],
      setUserTasks: ['win32'],
      setJumpList: ['win32'],
      hide: ['darwin'],
      show: ['darwin'],
      isHidden: ['darwin'],
      setActivationPolicy: ['darwin'],
      setDesktopName: ['linux'],
    }
    for (const [name, platforms] of Object.entries(only))
      if (!platforms.includes(this.#instance.platform))
        Object.defineProperty(this, name, { value: undefined, configurable: true })
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
    if (name === 'exe' || name === 'module') return this.#instance.computer.executable
    if (name === 'temp') return tmpdir()
    if (name === 'sessionData') return this.getPath('userData')
    if (name === 'userData') return join(this.getPath('appData'), this.name)
    const named = [
      'home',
      'appData',
      'desktop',
      'documents',
      'downloads',
      'music',
      'pictures',
      'videos',
      'logs',
      'crashDumps',
    ]
    // "On failure, an Error is thrown."
    if (!named.includes(name)) throw new Error(`Failed to get '${name}' path`)
    return join(tmpdir(), 'electron-stand-in', name)
  }

  /** Source: spec/api-app-spec.ts, "throws when a relative path is passed". */
  setPath(name: string, path: string): void {
    if (!isAbsolute(path)) throw new Error('Path must be absolute')
    this.getPath(name)
    this.#paths[name] = path
  }

  setAppLogsPath(path = join(this.getPath('userData'), 'logs')): void {
    this.setPath('logs', path)
    mkdirSync(path, { recursive: true })
  }

  getAppPath(): string {
    return this.#paths['app'] ?? process.cwd()
  }

  getVersion(): string {
    return this.#instance.computer.options.version ?? '0.1.0'
  }

  getName(): string {
    return this.name
  }

  setName(name: string): void {
    this.name = name
  }

  /** "This API must be called after the `ready` event is emitted." Before it the answer is empty. */
  getLocale(): string {
    return this.isReady() ? (this.#instance.computer.options.locale ?? 'en-US') : ''
  }

  getSystemLocale(): string {
    return this.getLocale()
  }

  getPreferredSystemLanguages(): string[] {
    return [this.#instance.computer.options.locale ?? 'en-US']
  }

  readonly commandLine = {
    appendSwitch: (name: string, value = ''): void => void this.#switches.set(name, value),
    hasSwitch: (name: string): boolean => this.#switches.has(name) || this.#argument(name) !== undefined,
    getSwitchValue: (name: string): string =>
      this.#switches.get(name) ?? this.#argument(name)?.replace(/^[^=]*=?/, '') ?? '',
    removeSwitch: (name: string): void => void this.#switches.delete(name),
    appendArgument: (): void => {},
  }

  #argument(name: string): string | undefined {
    return this.#instance.argv.find((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
  }

  /** "On macOS, you can only register protocols that have been added to your app's info.plist". */
  setAsDefaultProtocolClient(protocol: string): boolean {
    const { computer, platform } = this.#instance
    if (platform === 'darwin' && !computer.options.plistSchemes?.includes(protocol)) return false
    computer.protocolClients.add(protocol)
    return true
  }

  removeAsDefaultProtocolClient(protocol: string): boolean {
    return this.#instance.computer.protocolClients.delete(protocol)
  }

  isDefaultProtocolClient(protocol: string): boolean {
    return this.#instance.computer.protocolClients.has(protocol)
  }

  /** macOS and Windows. `args` and `path` are for Windows; `openAtLogin` defaults to false. */
  setLoginItemSettings({ openAtLogin = false, path, args = [], name, enabled = true }: LoginSettings): void {
    const { computer } = this.#instance
    const key = name ?? this.userModelId ?? this.name
    if (openAtLogin) computer.loginItems.set(key, { args: [...args], path: path ?? computer.executable, enabled })
    else computer.loginItems.delete(key)
  }

  /** Windows: "you need to pass the same arguments here for `openAtLogin` to be set correctly". */
  getLoginItemSettings({ path, args = [] }: LoginSettings = {}): Record<string, unknown> {
    const { computer, platform, launch } = this.#instance
    const items = [...computer.loginItems].map(([name, item]) => ({ name, scope: 'user', ...item }))
    if (platform === 'darwin') {
      const open = items.length > 0
      const status = open ? 'enabled' : 'not-registered'
      return { openAtLogin: open, wasOpenedAtLogin: launch.atLogin ?? false, status }
    }
    const same = items.filter((item) => item.path === (path ?? computer.executable))
    const exact = same.some((item) => JSON.stringify(item.args) === JSON.stringify(args))
    const willLaunch = same.some((item) => item.enabled)
    return { openAtLogin: exact, executableWillLaunchAtLogin: willLaunch, launchItems: items }
  }

  setBadgeCount(count = 0): boolean {
    if (this.#instance.platform === 'win32') return false
    this.badgeCount = count
    return true
  }

  getBadgeCount(): number {
    return this.badgeCount
  }

  setAppUserModelId(id: string): void {
    if (this.#instance.platform === 'win32') this.userModelId = id
  }

  /** Source: spec/api-app-spec.ts, "throws an error on invalid application policies". */
  setActivationPolicy(policy: string): void {
    if (!['regular', 'accessory', 'prohibited'].includes(policy))
      throw new Error("Invalid activation policy: must be one of 'regular', 'accessory', or 'prohibited'")
    this.activationPolicy = policy
  }

  setDesktopName(): void {}
  setUserTasks(): boolean {
    return true
  }
  setJumpList(): string {
    return 'ok'
  }
  setAboutPanelOptions(): void {}
  showAboutPanel(): void {}
  enableSandbox(): void {
    if (this.isReady()) throw new Error('app.enableSandbox() can only be called before app is ready')
    this.isSandboxed = true
  }
  disableHardwareAcceleration(): void {
    if (this.isReady()) throw new Error('app.disableHardwareAcceleration() can only be called before app is ready')
  }

  /** macOS makes the app active. Windows and Linux focus its first window. */
  focus(): void {
    this.#instance.windows.find((window) => window.isVisible())?.focus()
  }

  /** "Hides all application windows without minimizing them." */
  hide(): void {
    this.#instance.hidden = true
  }

  /** "Shows application windows after they were hidden. Does not automatically focus them." */
  show(): void {
    this.unhide()
  }

  unhide(): void {
    this.#instance.hidden = false
  }

  isHidden(): boolean {
    return this.#instance.hidden
  }
}
