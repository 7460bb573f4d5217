import { BrowserWindow } from 'electron'
import { installContextMenu } from './context-menu.ts'
import { interfaceUrl } from './app-protocol.ts'
import { blockNavigation, secureWebPreferences } from './window-security.ts'

export interface MainWindowOptions {
  readonly preload: string
  readonly onCreated: (window: BrowserWindow) => void
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

  open(viewPath: string): void {
    void this.#window?.loadURL(new URL(viewPath, process.env['ELECTRON_RENDERER_URL'] ?? interfaceUrl).href)
  }

  get isFocused(): boolean {
    return this.#window?.isFocused() ?? false
  }

  #create(): BrowserWindow {
    const { preload, onCreated, onFocus, onClosed } = this.#options
    const window = new BrowserWindow({
      // Electron stores the window position under this name.
      name: 'main',
      windowStatePersistence: true,
      width: 1280,
      height: 840,
      minWidth: 720,
      minHeight: 480,
      show: false,
      title: 'Commonplace',
      webPreferences: secureWebPreferences(preload),
    })
    blockNavigation(window.webContents)
    installContextMenu(window.webContents)
    onCreated(window)
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
