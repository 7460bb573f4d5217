import { globalShortcut, Menu, nativeImage, Tray, BrowserWindow, screen } from 'electron'
import { fileURLToPath } from 'node:url'
import { t } from '../texts.ts'
import { blockNavigation, secureWebPreferences } from './window-security.ts'

interface CaptureShortcutOptions {
  readonly accelerator: () => string
  readonly onPress: () => void
  /** Called with an accelerator that is invalid, refused by the system or used by another program; '' if it works. */
  readonly onTaken: (accelerator: string) => void
}

export class CaptureShortcut {
  readonly #options: CaptureShortcutOptions
  /** Undefined before the first registration. */
  #accelerator: string | undefined
  readonly #registered = new Set<string>()
  isPaused = false

  constructor(options: CaptureShortcutOptions) {
    this.#options = options
    this.apply()
  }

  setPaused(isPaused: boolean): void {
    this.isPaused = isPaused
    this.apply()
  }

  apply(): void {
    const { accelerator, onPress, onTaken } = this.#options
    const next = this.isPaused ? '' : accelerator()
    if (next === this.#accelerator) return
    this.close()
    this.#accelerator = next
    const isWorking =
      next === '' || this.#registered.has(next) || register(next, () => this.#accelerator === next && onPress())
    if (isWorking) this.#registered.add(next)
    onTaken(isWorking ? '' : next)
  }

  close(): void {
    this.#accelerator = ''
    // On Wayland, the system keeps a shortcut, and Electron ends when one without a listener is pressed.
    const isWayland = process.env['XDG_SESSION_TYPE'] === 'wayland' && !process.argv.includes('--ozone-platform=x11')
    if (process.platform === 'linux' && isWayland) return
    globalShortcut.unregisterAll()
    this.#registered.clear()
  }
}

/** Electron throws for an invalid accelerator; it counts as taken. */
function register(accelerator: string, onPress: () => void): boolean {
  try {
    return globalShortcut.register(accelerator, onPress)
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

const maxRecentNotes = 5

interface TrayOptions {
  readonly icons: URL
  readonly onCapture: () => void
  readonly onOpen: () => void
  readonly isPaused: () => boolean
  readonly onPause: (isPaused: boolean) => void
}

export function captureTray({ icons, onCapture, onOpen, isPaused, onPause }: TrayOptions) {
  let recentNotes: readonly string[] = []
  let menu: Menu | undefined
  const name = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
  const tray = new Tray(nativeImage.createFromPath(fileURLToPath(new URL(name, icons))))
  tray.setToolTip('Commonplace')
  tray.on('click', onCapture)
  tray.on('right-click', () => tray.popUpContextMenu(menu))
  refresh()

  function refresh(): void {
    // Electron shows separators beside each other as one.
    menu = Menu.buildFromTemplate([
      { label: t('desktop.capture'), click: onCapture },
      { label: t('desktop.open'), click: onOpen },
      { type: 'separator' },
      ...recentNotes.map((label) => ({ label, enabled: false })),
      { type: 'separator' },
      { label: t('desktop.pause'), type: 'checkbox', checked: isPaused(), click: ({ checked }) => onPause(checked) },
      { label: t('desktop.quit'), role: 'quit' },
    ])
    // On macOS and Windows, the menu would open at every click. Linux has no right click.
    if (process.platform === 'linux') tray.setContextMenu(menu)
  }

  return {
    add(note: string): void {
      recentNotes = [note, ...recentNotes].slice(0, maxRecentNotes)
      refresh()
    },
    close: () => tray.destroy(),
  }
}

const size = { width: 520, height: 240 } as const

interface CaptureWindowOptions {
  readonly url: string
  readonly preload: string
  readonly isQuitting: () => boolean
}

/**
 * @returns a function that shows the window on the screen with the pointer; its text is a note from another program, for
 * the user to confirm
 */
export function captureWindow({ url, preload, isQuitting }: CaptureWindowOptions): (text?: string) => void {
  let current: BrowserWindow | undefined = create()

  function create(): BrowserWindow {
    const window = new BrowserWindow({
      ...size,
      show: false,
      frame: false,
      resizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      // A panel shows over full-screen apps and leaves the focus of the other app.
      ...(process.platform === 'darwin' ? { type: 'panel' } : {}),
      title: 'Commonplace',
      webPreferences: secureWebPreferences(preload),
    })
    blockNavigation(window.webContents)
    window.on('close', (event) => {
      if (isQuitting()) return
      event.preventDefault()
      window.hide()
      void window.loadURL(url)
    })
    // A page that is done calls `window.close()`, which destroys the window without `close`. The next shortcut must not
    // wait for a new one.
    window.once('closed', () => {
      if (current === window) current = isQuitting() ? undefined : create()
    })
    window.on('blur', () => window.hide())
    void window.loadURL(url)
    return window
  }

  return (text) => {
    const window = (current ??= create())
    const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint())
    window.setBounds({
      x: Math.round(workArea.x + (workArea.width - size.width) / 2),
      y: Math.round(workArea.y + (workArea.height - size.height) / 3),
      ...size,
    })
    if (window.webContents.isCrashed()) window.webContents.reload()
    if (text !== undefined) void window.loadURL(`${url}?text=${encodeURIComponent(text)}`)
    window.show()
    window.focus()
  }
}
