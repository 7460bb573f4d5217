/**
 * A stand-in for Electron: its life cycle, windows, arguments and the answers of its modules, from its documentation and
 * public tests. Each rule names its page in github.com/electron/electron, docs/api unless another folder is named.
 * `test/e2e/desktop.test.ts` runs the app on Electron itself, where it is installed.
 */
import { EventEmitter } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Platform = 'darwin' | 'win32' | 'linux'

export interface RunOptions {
  readonly platform: Platform
  /** Arguments after the executable. */
  readonly args?: readonly string[]
  /** macOS: a link or file that starts the app, and a start at login. */
  readonly openUrl?: string
  readonly openFile?: string
  readonly isAtLogin?: boolean
  readonly isPackaged?: boolean
  readonly version?: string
  /** Folder for the data of all apps. */
  readonly folder?: string
  /** True: another instance holds the lock. */
  readonly isLocked?: boolean
  /** Keyring: `basic_text` is none on Linux, `none` nowhere, `locked` asks for a password. */
  readonly storage?: 'basic_text' | 'none' | 'locked'
}

export interface MessageBox {
  readonly message: string
  answer(response: number): void
}

const executables: Record<Platform, string> = {
  darwin: '/Applications/Commonplace.app/Contents/MacOS/Commonplace',
  win32: 'C:\\Program Files\\Commonplace\\Commonplace.exe',
  linux: '/opt/Commonplace/commonplace',
}

/** Emits an event whose first argument is an Electron event. @returns true if a listener called preventDefault */
export function emit(emitter: EventEmitter, name: string, fields: object = {}, ...rest: unknown[]): boolean {
  let isPrevented = false
  const event = Object.defineProperties(fields, {
    defaultPrevented: { get: () => isPrevented },
    preventDefault: { value: () => void (isPrevented = true) },
  })
  emitter.emit(name, event, ...rest)
  return isPrevented
}

// Tests can replace the timers of the process.
const nextTurn = setImmediate

interface WindowPart extends EventEmitter {
  close(): void
  destroy(): void
  isDestroyed(): boolean
  blur(): void
}

/** One run of the app, and what its user and the system see of it. */
export class Run {
  readonly options: RunOptions
  readonly windows: WindowPart[] = []
  focused: WindowPart | undefined
  isReady = false
  hasEnded = false
  exitCode: number | undefined
  /** Set while all windows close. A window that stays open clears it. */
  closing: 'quit' | 'update' | 'exit' | undefined
  hasLock = false
  readonly app: App
  readonly session = new Session()
  readonly ipcMain = new EventEmitter()
  readonly powerMonitor = Object.assign(new EventEmitter(), { isOnBatteryPower: () => false })
  /** Work at the end of the process. */
  readonly atEnd: (() => void)[] = []
  /** Addresses and paths opened in other programs. */
  readonly opened: string[] = []
  readonly boxes: MessageBox[] = []
  readonly errors: string[] = []
  /** Answers to the next message boxes; a box without one stays open. */
  readonly answers: number[] = []
  /** Accelerators of other programs. */
  readonly takenKeys = new Set<string>()
  /** Arguments with which the system starts the app at login. */
  loginItem: readonly string[] | undefined
  /** Starts after the end. */
  readonly relaunches: object[] = []
  installed: string | undefined
  isOnline = true
  /** False if an update does not have the signature of the app. */
  isSigned = true
  #waiting = 0
  readonly #beforeReady: (() => void)[] = []

  constructor(options: RunOptions) {
    this.options = options
    this.app = new App(this)
  }

  get argv(): string[] {
    return [executables[this.options.platform], ...(this.options.args ?? [])]
  }

  /** Runs the entry module. `ready` comes after the whole module. Source: docs/tutorial/esm.md. */
  async start(main: () => unknown): Promise<void> {
    await main()
    this.later(() => this.#launch())
  }

  #launch(): void {
    const { platform, openUrl, openFile } = this.options
    // A link that starts the app comes before `ready`; without a listener it is lost. Source: app.md, 'open-url'.
    if (platform === 'darwin' && openUrl !== undefined) emit(this.app, 'open-url', {}, openUrl)
    if (platform === 'darwin' && openFile !== undefined) emit(this.app, 'open-file', {}, openFile)
    if (this.hasEnded) return
    this.isReady = true
    this.app.ready.resolve()
    emit(this.app, 'ready')
    for (const work of this.#beforeReady) this.later(work)
    // The first launch can trigger it. Source: app.md, 'activate'.
    if (platform === 'darwin') this.later(() => emit(this.app, 'activate'))
  }

  /** Another start of the app. Its event comes after `ready`, with arguments of Chromium. Source: app.md. */
  startAgain(...args: string[]): void {
    const argv = [this.argv[0], '--original-process-start-time=13400000000000000', ...args]
    const tell = () => void emit(this.app, 'second-instance', {}, argv, '/', null)
    if (this.isReady) this.later(tell)
    else this.#beforeReady.push(tell)
  }

  /** Runs work in a later turn of the event loop, if the process still runs. */
  later(work: () => unknown): void {
    this.#waiting += 1
    nextTurn(() => {
      this.#waiting -= 1
      if (!this.hasEnded) work()
    })
  }

  /** Waits until no work is left for some turns, so that code of the app that awaits can run too. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 20; quiet = this.#waiting === 0 ? quiet + 1 : 0)
      await new Promise<void>((resolve) => void nextTurn(resolve))
  }

  /** @throws Error where Electron refuses work before `ready` */
  needReady(message: string): void {
    if (!this.isReady) throw new Error(message)
  }

  /** Each window gets `close`; one that stays open cancels the quit. Source: app.md, `app.quit()`. */
  closeWindows(reason: 'quit' | 'update'): void {
    this.closing = reason
    if (this.windows.length === 0) return this.allClosed()
    for (const window of this.windows.slice()) if (!window.isDestroyed()) window.close()
  }

  /**
   * `window-all-closed` is not emitted for a quit, and the app quits if nothing listens. Source: app.md. An update quits
   * after all windows. Source: auto-updater.md, `quitAndInstall`.
   */
  allClosed(): void {
    const { closing } = this
    if (closing === 'exit' || this.hasEnded) return
    if (closing === 'quit') {
      // preventDefault keeps the app running, now without windows. Source: app.md, 'will-quit'.
      if (emit(this.app, 'will-quit')) this.closing = undefined
      else this.end(0)
      return
    }
    this.closing = undefined
    if (!this.app.emit('window-all-closed') || closing === 'update') this.app.quit()
  }

  end(code: number): void {
    if (this.hasEnded) return
    emit(this.app, 'quit', {}, code)
    this.hasEnded = true
    this.exitCode = code
    for (const work of this.atEnd) work()
  }

  /**
   * Ends the session. The app can delay the event `shutdown` of Linux and macOS (power-monitor.md), and the event
   * `query-session-end` of each window on Windows (browser-window.md).
   * @returns true if the app delays it
   */
  shutDown(): boolean {
    if (this.options.platform !== 'win32') return emit(this.powerMonitor, 'shutdown')
    return this.windows.map((window) => emit(window, 'query-session-end')).some(Boolean)
  }
}

/** Source: app.md. */
class App extends EventEmitter {
  readonly ready = Promise.withResolvers<void>()
  readonly isPackaged: boolean
  readonly name = 'Commonplace'
  readonly dock: { hide: () => void } | undefined
  isDockHidden = false
  isSandboxed = false
  badgeCount = 0
  /** Schemes that open the app, with the program. */
  readonly schemes: string[][] = []
  readonly #run: Run
  readonly #paths = new Map<string, string>()
  #isQuitting = false

  constructor(run: Run) {
    super()
    this.#run = run
    const { isPackaged = true, platform } = run.options
    this.isPackaged = isPackaged
    if (platform === 'darwin') this.dock = { hide: () => (this.isDockHidden = true) }
  }

  readonly commandLine = {
    hasSwitch: (name: string) => this.#run.argv.includes(`--${name}`),
    appendSwitch: () => undefined,
  }

  isReady = () => this.#run.isReady
  whenReady = () => this.ready.promise
  getName = () => this.name
  getVersion = () => this.#run.options.version ?? '0.1.0'
  /** Empty before `ready`. */
  getLocale = () => (this.#run.isReady ? 'en-US' : '')
  setAppUserModelId = () => undefined
  disableHardwareAcceleration = () => undefined
  setAsDefaultProtocolClient = (...scheme: string[]) => this.schemes.push(scheme)

  /** A second call while the first closes windows has no effect. */
  quit(): void {
    const run = this.#run
    if (run.hasEnded || this.#isQuitting || run.closing === 'quit') return
    this.#isQuitting = true
    const isPrevented = emit(this, 'before-quit')
    this.#isQuitting = false
    if (!isPrevented && !run.hasEnded) run.closeWindows('quit')
  }

  /** Closes all windows without asking, and emits neither `before-quit` nor `will-quit`. */
  exit(code = 0): void {
    const run = this.#run
    run.closing = 'exit'
    for (const window of run.windows.slice()) window.destroy()
    run.end(code)
  }

  relaunch(options: object = {}): void {
    this.#run.atEnd.push(() => void this.#run.relaunches.push(options))
  }

  requestSingleInstanceLock(): boolean {
    return (this.#run.hasLock = this.#run.options.isLocked !== true)
  }

  releaseSingleInstanceLock(): void {
    this.#run.hasLock = false
  }

  setPath(name: string, path: string): void {
    this.#paths.set(name, path)
  }

  getPath(name: string): string {
    return this.#paths.get(name) ?? this.#run.options.folder ?? join(tmpdir(), 'electron-stand-in', name)
  }

  /** Missing on Linux. `args`: on Windows. */
  setLoginItemSettings({ openAtLogin = false, args = [] }: { openAtLogin?: boolean; args?: readonly string[] }): void {
    this.#run.loginItem = openAtLogin ? args : undefined
  }

  getLoginItemSettings() {
    return { openAtLogin: this.#run.loginItem !== undefined, wasOpenedAtLogin: this.#run.options.isAtLogin === true }
  }

  setBadgeCount(count = 0): boolean {
    this.badgeCount = count
    return true
  }

  enableSandbox(): void {
    if (this.#run.isReady) throw new Error('app.enableSandbox() can only be called before app is ready')
    this.isSandboxed = true
  }
}

type PermissionHandler = (contents: unknown, permission: string, answer: (isGranted: boolean) => void) => void

/** Source: session.md. */
class Session extends EventEmitter {
  readonly words: string[] = []
  /** Error codes of addresses that do not load. */
  readonly failing = new Map<string, number>()
  permissionRequest: PermissionHandler | undefined
  permissionCheck: ((contents: unknown, permission: string) => boolean) | undefined
  devicePermission: (() => boolean) | undefined
  setPermissionRequestHandler = (handler: PermissionHandler) => void (this.permissionRequest = handler)
  setPermissionCheckHandler = (handler: Session['permissionCheck']) => void (this.permissionCheck = handler)
  setDevicePermissionHandler = (handler: () => boolean) => void (this.devicePermission = handler)
  addWordToSpellCheckerDictionary = (word: string) => this.words.push(word)
  getUserAgent = () => 'Mozilla/5.0 Electron'
}
