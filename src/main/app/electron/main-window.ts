/** The window with the app in it: one at most, in its old place. */
import { BrowserWindow } from 'electron'
import { installContextMenu } from './context-menu.ts'
import { interfaceUrl } from './app-protocol.ts'
import { keepInside } from './window-security.ts'
import type { WindowState } from './window-state.ts'

export interface MainWindowOptions {
  readonly preload: string
  readonly state: WindowState
  /** Sees to a window that was just made. */
  readonly onMade: (window: BrowserWindow) => void
  readonly onFocus: () => void
  readonly onClosed: () => void
}

export class MainWindow {
  readonly #options: MainWindowOptions
  #window: BrowserWindow | undefined

  constructor(options: MainWindowOptions) {
    this.#options = options
  }

  show(): void {
    if (!this.#window) this.#window = this.#create()
    else {
      if (this.#window.isMinimized()) this.#window.restore()
      this.#window.show()
      this.#window.focus()
    }
  }

  /** Shows a place of the interface in a page that is loaded anew. */
  open(place: string): void {
    void this.#window?.loadURL(new URL(place, process.env['ELECTRON_RENDERER_URL'] ?? interfaceUrl).href)
  }

  /** Somebody is looking at it. */
  get isFocused(): boolean {
    return this.#window?.isFocused() ?? false
  }

  #create(): BrowserWindow {
    const { preload, state, onMade, onFocus, onClosed } = this.#options
    const window = new BrowserWindow({
      ...state.bounds(),
      minWidth: 720,
      minHeight: 480,
      show: false,
      title: 'Commonplace',
      webPreferences: {
        preload,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webSecurity: true,
        spellcheck: true,
      },
    })
    keepInside(window.webContents)
    installContextMenu(window.webContents)
    state.follow(window)
    onMade(window)
    window.on('focus', onFocus)
    window.once('closed', () => {
      this.#window = undefined
      onClosed()
    })
    window.once('ready-to-show', () => window.show())
    void window.loadURL(process.env['ELECTRON_RENDERER_URL'] ?? interfaceUrl)
    return window
  }
}
