/** BrowserWindow. Source: docs/api/browser-window.md, unless another file is named. */
import { EventEmitter } from 'node:events'
import { emit, throwWhenDestroyed } from './events.ts'
import type { Host, WindowPart } from './host.ts'
import type { Sessions } from './session.ts'
import { Contents } from './web-contents.ts'

export interface Bounds {
  x: number
  y: number
  width: number
  height: number
}

export interface WindowOptions extends Partial<Bounds> {
  show?: boolean
  title?: string
  webPreferences?: { partition?: string; session?: unknown; [name: string]: unknown }
  [name: string]: unknown
}

export class BaseWindow extends EventEmitter implements WindowPart {
  readonly id: number
  readonly options: WindowOptions
  readonly #instance: Host
  readonly #contents: Contents
  #visible = false
  #minimized = false
  #destroyed = false
  #wasShown = false
  #painted = false
  #bounds: Bounds
  readonly #title: string

  constructor(instance: Host, sessions: Sessions, options: WindowOptions = {}) {
    super()
    // "This module cannot be used until the `ready` event of the `app` module is emitted."
    instance.needReady('Cannot create BrowserWindow before app is ready')
    this.#instance = instance
    this.id = instance.nextId++
    this.options = options
    const { x = 0, y = 0, width = 800, height = 600 } = options
    this.#bounds = { x, y, width, height }
    this.#title = options.title ?? instance.app.name
    instance.windows.push(this)
    const { partition, session } = options.webPreferences ?? {}
    this.#contents = new Contents(instance, this, sessions.of(partition, session))
    emit(instance.app, 'browser-window-created', {}, this)
    if (options.show !== false) this.show()
  }

  get webContents(): Contents {
    return this.#contents
  }

  /**
   * "Try to close the window. This has the same effect as a user manually clicking the close button."
   * `close` comes first; it is "emitted before the beforeunload and unload event of the DOM", so `closed` comes in
   * a later turn. A window that stays cancels a quit: docs/api/app.md, "app.quit()".
   */
  close(): void {
    if (emit(this, 'close')) return this.#instance.windowStayed()
    this.#instance.later(() => {
      if (this.#destroyed) return
      if (!this.#contents.mayUnload()) return this.#instance.windowStayed()
      this.#contents.unload()
      return this.destroy()
    })
  }

  /** "`close` event will also not be emitted for this window, but it guarantees the `closed` event". */
  destroy(): void {
    this.#destroyed = true
    this.#visible = false
    this.#contents.end()
    // Source: spec/api-app-spec.ts, "should omit closed windows from getAllWindows".
    this.#instance.forget(this)
    this.emit('closed')
    this.#instance.windowClosed()
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  /** "Shows and gives focus to the window." */
  show(): void {
    this.showInactive()
    this.focus()
  }

  showInactive(): void {
    if (this.#visible) return
    this.#visible = true
    this.#wasShown = true
    this.emit('show')
  }

  hide(): void {
    if (!this.#visible) return
    this.blur()
    this.#visible = false
    this.emit('hide')
  }

  /** Source: spec/api-browser-window-spec.ts, "should not be visible when the window is minimized". */
  isVisible(): boolean {
    return this.#visible && !this.#minimized
  }

  focus(): void {
    const instance = this.#instance
    if (!this.#visible || this.#minimized || instance.focused === this) return
    instance.focused?.blur()
    instance.focused = this
    emit(this, 'focus')
    emit(instance.app, 'browser-window-focus', {}, this)
  }

  blur(): void {
    const instance = this.#instance
    if (instance.focused !== this) return
    instance.focused = undefined
    emit(this, 'blur')
    emit(instance.app, 'browser-window-blur', {}, this)
  }

  isFocused(): boolean {
    return this.#instance.focused === this
  }

  minimize(): void {
    if (this.#minimized) return
    this.blur()
    this.#minimized = true
    this.emit('minimize')
  }

  /** "Restores the window from minimized state to its previous state." */
  restore(): void {
    if (!this.#minimized) return
    this.#minimized = false
    this.emit('restore')
  }

  isMinimized(): boolean {
    return this.#minimized
  }

  setBounds(bounds: Partial<Bounds>): void {
    this.#bounds = { ...this.#bounds, ...bounds }
    if (bounds.width !== undefined || bounds.height !== undefined) this.emit('resize')
    if (bounds.x !== undefined || bounds.y !== undefined) this.emit('move')
  }

  getBounds(): Bounds {
    return { ...this.#bounds }
  }

  getTitle(): string {
    return this.#title
  }

  loadURL(url: string): Promise<void> {
    return this.#contents.loadURL(url)
  }

  reload(): void {
    this.#contents.reload()
  }

  /** "when the renderer process has rendered the page for the first time if the window has not been shown yet" */
  pageReady(): void {
    if (this.#painted || this.#wasShown || this.options['paintWhenInitiallyHidden'] === false) return
    this.#painted = true
    this.emit('ready-to-show')
  }
}

throwWhenDestroyed(BaseWindow, ['id'])

/** The BrowserWindow class of one instance of the app. */
export function browserWindowClass(instance: Host, sessions: Sessions) {
  return class BrowserWindow extends BaseWindow {
    constructor(options?: WindowOptions) {
      super(instance, sessions, options)
    }

    static getAllWindows(): BaseWindow[] {
      return [...(instance.windows as BaseWindow[])]
    }
  }
}
