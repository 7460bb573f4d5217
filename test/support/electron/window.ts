/** Windows and their pages. Source: docs/api/browser-window.md and docs/api/web-contents.md, unless another is named. */
import { EventEmitter } from 'node:events'
import { emit, type Run } from './run.ts'

export interface WindowOptions {
  readonly show?: boolean
  readonly title?: string
  readonly [name: string]: unknown
}

/** Each use of a destroyed object throws, except of `id`. Source: spec/api-browser-window-spec.ts. */
function refuseUse(object: EventEmitter, type: { readonly prototype: object }, kept: readonly string[]): void {
  const get = () => {
    throw new TypeError('Object has been destroyed')
  }
  for (const name of Object.getOwnPropertyNames(type.prototype))
    if (name !== 'constructor' && !kept.includes(name)) Object.defineProperty(object, name, { get })
}

export class Window extends EventEmitter {
  readonly options: WindowOptions
  readonly #run: Run
  readonly #contents: Contents
  #isVisible = false
  #isMinimized = false
  #isDestroyed = false
  #wasPainted = false
  #bounds: object = {}

  constructor(run: Run, options: WindowOptions = {}) {
    super()
    run.needReady('Cannot create BrowserWindow before app is ready')
    this.#run = run
    this.options = options
    run.windows.push(this)
    this.#contents = new Contents(run, this)
    emit(run.app, 'browser-window-created', {}, this)
    if (options.show !== false) this.show()
  }

  get webContents(): Contents {
    return this.#contents
  }

  /** Emits `close` before the page can refuse, and `closed` in a later turn. A window that stays open cancels a quit. */
  close(): void {
    if (emit(this, 'close')) return void (this.#run.closing = undefined)
    this.#run.later(() => {
      if (this.#isDestroyed) return
      if (!this.#contents.mayUnload()) return void (this.#run.closing = undefined)
      if (!this.#contents.isCrashed()) this.#contents.page.onUnload?.()
      this.destroy()
    })
  }

  /** Emits `closed`, but not `close`. The same happens if the page calls `window.close()`. */
  destroy(): void {
    if (this.#isDestroyed) return
    const run = this.#run
    this.#isDestroyed = true
    this.#isVisible = false
    this.#contents.end()
    refuseUse(this, Window, ['isDestroyed', 'destroy'])
    run.windows.splice(run.windows.indexOf(this), 1)
    if (run.focused === this) run.focused = undefined
    this.emit('closed')
    if (run.windows.length === 0) run.allClosed()
  }

  isDestroyed(): boolean {
    return this.#isDestroyed
  }

  show(): void {
    this.#isVisible = true
    this.focus()
  }

  hide(): void {
    this.blur()
    this.#isVisible = false
  }

  isVisible(): boolean {
    return this.#isVisible && !this.#isMinimized
  }

  focus(): void {
    const { focused } = this.#run
    if (!this.isVisible() || focused === this) return
    focused?.blur()
    this.#run.focused = this
    emit(this, 'focus')
  }

  blur(): void {
    if (!this.isFocused()) return
    this.#run.focused = undefined
    emit(this, 'blur')
  }

  isFocused(): boolean {
    return this.#run.focused === this
  }

  minimize(): void {
    this.blur()
    this.#isMinimized = true
  }

  restore(): void {
    this.#isMinimized = false
  }

  isMinimized(): boolean {
    return this.#isMinimized
  }

  setBounds(bounds: object): void {
    this.#bounds = bounds
  }

  getBounds(): object {
    return this.#bounds
  }

  loadURL(url: string): Promise<void> {
    return this.#contents.loadURL(url)
  }

  /** `ready-to-show` comes once, and only if the window was not shown before. */
  paint(): void {
    if (!this.#wasPainted && !this.#isVisible) this.emit('ready-to-show')
    this.#wasPainted = true
  }
}

/** The web page of a window; a test acts as the page. A reload makes a new one. */
function newPage(send: (channel: string, ports: readonly Port[], args: readonly unknown[]) => void) {
  return {
    /** Messages of the main process: channel and arguments. */
    received: [] as [channel: string, ...args: unknown[]][],
    /** Returns true to keep the page, as a `beforeunload` handler does. */
    beforeUnload: undefined as (() => boolean) | undefined,
    onUnload: undefined as (() => void) | undefined,
    send: (channel: string, ...args: unknown[]) => send(channel, [], args),
    postMessage: (channel: string, message: unknown, ports: readonly Port[]) => send(channel, ports, [message]),
  }
}

export class Contents extends EventEmitter {
  page: ReturnType<typeof newPage>
  readonly session: Run['session']
  /** Each address that it loaded. */
  readonly addresses: string[] = []
  replacement: string | undefined
  readonly #run: Run
  readonly #window: Window
  #isCrashed = false
  #isDestroyed = false
  #openHandler: ((details: { url: string }) => { action: string }) | undefined

  constructor(run: Run, window: Window) {
    super()
    this.#run = run
    this.#window = window
    this.session = run.session
    this.page = this.#newPage()
  }

  #newPage() {
    return newPage((channel, ports, args) =>
      this.#run.later(() => {
        const senderFrame = { url: this.getURL(), parent: null }
        emit(this.#run.ipcMain, channel, { ports, sender: this, senderFrame }, ...structuredClone(args))
      }),
    )
  }

  /** Rejects if the page fails to load, without an unhandled rejection. */
  loadURL(url: string): Promise<void> {
    this.page = this.#newPage()
    this.#isCrashed = false
    this.addresses.push(url)
    emit(this, 'did-start-loading')
    const loaded = Promise.withResolvers<void>()
    loaded.promise.catch(() => undefined)
    this.#run.later(() => {
      if (this.#isDestroyed || this.#isCrashed || this.getURL() !== url) return loaded.resolve()
      const code = this.session.failing.get(url)
      if (code !== undefined) {
        emit(this, 'did-fail-load', {}, code, 'ERR_FAILED', url, true)
        return loaded.reject(new Error(`ERR_FAILED (${code}) loading '${url}'`))
      }
      this.emit('did-finish-load')
      this.#window.paint()
      loaded.resolve()
    })
    return loaded.promise
  }

  reload(): void {
    void this.loadURL(this.getURL())
  }

  getURL(): string {
    return this.addresses.at(-1) ?? ''
  }

  isDestroyed(): boolean {
    return this.#isDestroyed
  }

  isCrashed(): boolean {
    return this.#isCrashed
  }

  forcefullyCrashRenderer(): void {
    this.crash('killed')
  }

  crash(reason: string): void {
    this.#isCrashed = true
    this.#run.later(() => this.#isDestroyed || emit(this, 'render-process-gone', {}, { reason, exitCode: 5 }))
  }

  hang(): void {
    this.#window.emit('unresponsive')
  }

  send(channel: string, ...args: unknown[]): void {
    const { page } = this
    this.#run.later(() => this.#isCrashed || page.received.push([channel, ...structuredClone(args)]))
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.#openHandler = handler
  }

  /** The page calls window.open. @returns true if a window opens */
  pageOpens(url: string): boolean {
    return this.#openHandler === undefined || this.#openHandler({ url }).action === 'allow'
  }

  replaceMisspelling(text: string): void {
    this.replacement = text
  }

  /** A page that refuses to go keeps its window, unless the app calls preventDefault or the page has crashed. */
  mayUnload(): boolean {
    return this.#isCrashed || this.page.beforeUnload?.() !== true || emit(this, 'will-prevent-unload')
  }

  end(): void {
    this.#isDestroyed = true
    this.emit('destroyed')
    refuseUse(this, Contents, ['isDestroyed'])
  }
}

/** Messages wait until `start`. Source: docs/api/message-port-main.md. */
export class Port extends EventEmitter {
  peer: Port | undefined
  #waiting: unknown[] | undefined = []

  postMessage(data: unknown): void {
    setImmediate(() => this.peer?.receive(structuredClone(data)))
  }

  receive(data: unknown): void {
    if (this.#waiting) this.#waiting.push(data)
    else this.emit('message', { data })
  }

  start(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const data of waiting) this.emit('message', { data })
  }

  close(): void {
    setImmediate(() => this.peer?.emit('close'))
  }
}
