/** The window with the app in it: one at most, in its old place. */
import { BrowserWindow } from 'electron'
import { interfaceUrl } from './protocol.ts'
import { keepInside } from './security.ts'
import type { WindowState } from './window-state.ts'

export interface MainWindowOptions {
  readonly preload: string
  readonly state: WindowState
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
      this.#window.focus()
    }
  }

  #create(): BrowserWindow {
    const { preload, state, onClosed } = this.#options
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
    state.follow(window)
    window.once('closed', () => {
      this.#window = undefined
      onClosed()
    })
    window.once('ready-to-show', () => window.show())
    void window.loadURL(process.env['ELECTRON_RENDERER_URL'] ?? interfaceUrl)
    return window
  }
}
