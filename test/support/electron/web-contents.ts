/** The page of a window, as the main process sees it. Source: docs/api/web-contents.md. */
import { EventEmitter } from 'node:events'
import { emit, throwWhenDestroyed } from './events.ts'
import type { ContentsPart, Host, WindowPart } from './host.ts'
import { Ipc, Page } from './ipc.ts'
import { type Port, transferred } from './ports.ts'
import type { Session } from './session.ts'

interface Gone {
  reason: string
  exitCode: number
}

type OpenHandler = (details: { url: string; frameName: string; disposition: string }) => { action: string }

export class Contents extends EventEmitter implements ContentsPart {
  readonly id: number
  readonly ipc = new Ipc()
  page: Page
  readonly session: Session
  readonly #instance: Host
  readonly #window: WindowPart
  #url = ''
  #crashed = false
  #destroyed = false
  #openHandler: OpenHandler | undefined
  #load = 0

  constructor(instance: Host, window: WindowPart, session: Session) {
    super()
    this.#instance = instance
    this.#window = window
    this.id = instance.nextId++
    this.session = session
    this.page = new Page(instance, this)
    emit(instance.app, 'web-contents-created', {}, this)
  }

  /**
   * "the promise will resolve when the page has finished loading, and rejects if the page fails to load.
   * A noop rejection handler is already attached".
   */
  loadURL(url: string): Promise<void> {
    const done = this.#navigate(url)
    done.catch(() => {})
    return done
  }

  /** Source: spec/api-web-contents-spec.ts, "a crashed process is recoverable with reload()". */
  reload(): void {
    void this.loadURL(this.#url)
  }

  async #navigate(url: string): Promise<void> {
    const load = ++this.#load
    this.page.end()
    this.page = new Page(this.#instance, this)
    this.#crashed = false
    this.#url = url
    this.addresses.push(url)
    emit(this, 'did-start-loading')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stop = (): void => reject(new Error(`ERR_FAILED (-2) loading '${url}'`))
    this.once('destroyed', stop)
    this.#instance.later(() => {
      if (this.#destroyed || load !== this.#load) return stop()
      void this.#instance.computer.turns.wait(this.session.load(url)).then((error) => {
        if (this.#destroyed || this.#crashed || load !== this.#load) return stop()
        this.removeListener('destroyed', stop)
        if (error !== undefined) {
          emit(this, 'did-fail-load', {}, error.code, error.name, url, true)
          emit(this, 'did-stop-loading')
          return reject(new Error(`${error.name} (${error.code}) loading '${url}'`))
        }
        emit(this, 'did-navigate', {}, url, 200, 'OK')
        emit(this, 'dom-ready')
        this.emit('did-finish-load')
        emit(this, 'did-stop-loading')
        this.#window.pageReady()
        resolve()
      })
    })
    return promise
  }

  getURL(): string {
    return this.#url
  }

  get mainFrame(): { url: string; origin: string; parent: null } {
    const url = this.#url
    return { url, origin: URL.canParse(url) ? new URL(url).origin : 'null', parent: null }
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  isCrashed(): boolean {
    return this.#crashed
  }

  getProcessId(): number {
    return 1000 + this.id
  }

  /** "This will cause the `render-process-gone` event to be emitted with reason=killed or reason=crashed". */
  forcefullyCrashRenderer(): void {
    this.processGone({ reason: 'killed', exitCode: 9 })
  }

  /**
   * The process of the page ends. The app gets the same event.
   * Source: docs/api/app.md, "Event: 'render-process-gone'".
   */
  processGone(details: Gone): void {
    const { page } = this
    this.#crashed = true
    page.end()
    this.#instance.later(() => {
      if (this.#destroyed) return
      emit(this, 'render-process-gone', {}, details)
      emit(this.#instance.app, 'render-process-gone', {}, this, details)
    })
  }

  send(channel: string, ...args: unknown[]): void {
    if (typeof channel !== 'string') throw new TypeError('Missing required channel argument')
    this.#deliver(channel, structuredClone(args), [])
  }

  postMessage(channel: string, message: unknown, transfer: Port[] = []): void {
    const cloned = structuredClone(message)
    this.#deliver(channel, [cloned], transferred(transfer))
  }

  /** A message to a page that has crashed or ended gets lost. A port that is "sent to nowhere" closes. */
  #deliver(channel: string, args: unknown[], ports: Port[]): void {
    const { page } = this
    this.#instance.later(() => {
      if (page.alive && !this.#crashed) page.receive(channel, args, ports)
      else for (const port of ports) port.close()
    })
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler
  }

  /** The page calls window.open. "Returning an unrecognized value has the same effect as { action: 'deny' }". */
  pageOpens(url: string): 'allow' | 'deny' {
    const details = { url, frameName: '', features: '', disposition: 'foreground-tab' }
    const answer = this.#openHandler === undefined ? { action: 'allow' } : this.#openHandler(details)
    return answer?.action === 'allow' ? 'allow' : 'deny'
  }

  /** The page or the user starts a navigation. "will not emit when the navigation is started programmatically". */
  pageNavigates(url: string): Promise<void> | undefined {
    const fields = { url, isMainFrame: true, isSameDocument: false }
    if (emit(this, 'will-navigate', fields, url, false, true)) return undefined
    return this.loadURL(url)
  }

  /** The page hangs or answers again. Source: "Event: 'unresponsive'" here and in docs/api/browser-window.md. */
  setResponsive(responsive: boolean): void {
    const name = responsive ? 'responsive' : 'unresponsive'
    this.emit(name)
    this.#window.emit(name)
  }

  /** Asks the page whether it may go. "Calling event.preventDefault() will ignore the beforeunload event handler". */
  mayUnload(): boolean {
    if (this.#crashed || this.page.beforeUnload?.() !== true) return true
    return emit(this, 'will-prevent-unload')
  }

  /** Not for win.destroy() nor for a crashed page: docs/api/browser-window.md, "win.destroy()". */
  unload(): void {
    if (!this.#crashed) this.page.onUnload?.()
  }

  /** Called by the window. */
  end(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    this.page.end()
    this.emit('destroyed')
  }

  /** Each address that it loaded. */
  readonly addresses: string[] = []
  /** A misspelled word that the app replaced. */
  replacement: string | undefined
  replaceMisspelling(text: string): void {
    this.replacement = text
  }
}

throwWhenDestroyed(Contents, ['id', 'end', 'mayUnload'])
