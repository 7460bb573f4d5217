import { BrowserWindow, screen } from 'electron'
import { blockNavigation, secureWebPreferences } from './window-security.ts'

const size = { width: 520, height: 240 } as const

export interface CaptureWindowOptions {
  readonly url: string
  readonly preload: string
  /** If true, the window closes; otherwise it only hides. */
  readonly isQuitting: () => boolean
}

export class CaptureWindow {
  readonly #options: CaptureWindowOptions
  #window: BrowserWindow | undefined

  constructor(options: CaptureWindowOptions) {
    this.#options = options
    this.#window = this.#create()
  }

  /** Shows the window on the screen with the pointer. @param text note from another program, for the user to confirm */
  show(text?: string): void {
    const window = (this.#window ??= this.#create())
    const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint())
    window.setBounds({
      x: Math.round(workArea.x + (workArea.width - size.width) / 2),
      y: Math.round(workArea.y + (workArea.height - size.height) / 3),
      ...size,
    })
    if (window.webContents.isCrashed()) window.webContents.reload()
    if (text !== undefined) void window.loadURL(`${this.#options.url}?text=${encodeURIComponent(text)}`)
    window.show()
    window.focus()
  }

  #create(): BrowserWindow {
    const window = new BrowserWindow({
      ...size,
      show: false,
      frame: false,
      resizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      title: 'Commonplace',
      webPreferences: secureWebPreferences(this.#options.preload),
    })
    blockNavigation(window.webContents)
    // The page closes the window when it is done. The window is then hidden and reloaded with an empty field.
    window.on('close', (event) => {
      if (this.#options.isQuitting()) return
      event.preventDefault()
      window.hide()
      void window.loadURL(this.#options.url)
    })
    // Another window can cancel quitting after this one has closed.
    window.once('closed', () => {
      if (this.#window === window) this.#window = undefined
    })
    window.on('blur', () => window.hide())
    void window.loadURL(this.#options.url)
    return window
  }
}
