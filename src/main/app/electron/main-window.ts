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

  /** @returns true if there was no window: the new one opens with the view */
  show(viewPath = '/'): boolean {
    const window = this.#window
    this.#window ??= this.#create(viewPath)
    if (window?.isMinimized()) window.restore()
    window?.show()
    window?.focus()
    return window === undefined
  }

  open(viewPath: string): void {
    void this.#window?.loadURL(new URL(viewPath, interfaceUrl).href)
  }

  get isFocused(): boolean {
    return this.#window?.isFocused() ?? false
  }

  #create(viewPath: string): BrowserWindow {
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
    void window.loadURL(new URL(viewPath, interfaceUrl).href)
    return window
  }
}
