/**
 * Fake of the `electron` module: records calls of the shell and lets tests emit system events. Quitting follows
 * Electron's documented order: `before-quit`, `close` of every window, `will-quit`, `quit`. A listener can prevent each
 * but the last, and a window that stays open cancels quitting.
 */
import { EventEmitter } from 'node:events'
import { vi } from 'vitest'

type Handler = (...values: never[]) => unknown

class PreventableEvent {
  defaultPrevented = false
  readonly preventDefault = vi.fn(() => {
    this.defaultPrevented = true
  })
}

/** @returns true if a listener prevented the event */
function isPrevented(emitter: EventEmitter, name: string): boolean {
  const event = new PreventableEvent()
  emitter.emit(name, event)
  return event.defaultPrevented
}

export class FakeWindow extends EventEmitter {
  /** All windows ever created, closed ones included. */
  static readonly all: FakeWindow[] = []
  readonly options: Record<string, unknown>
  readonly webContents = Object.assign(new EventEmitter(), {
    reload: vi.fn(),
    forcefullyCrashRenderer: vi.fn(),
    replaceMisspelling: vi.fn(),
    session: { addWordToSpellCheckerDictionary: vi.fn() },
    setWindowOpenHandler: vi.fn<(handler: (details: { url: string }) => { action: string }) => void>(),
  })
  readonly hide = vi.fn()
  /** The page cancels closing in `beforeunload`. */
  asksToStay = false
  #isDestroyed = false
  readonly setBounds = vi.fn()
  readonly loadURL = vi.fn(async (_url: string) => undefined)
  readonly show = vi.fn()
  readonly focus = vi.fn()
  readonly restore = vi.fn()
  isMinimized = () => false
  isFocused = () => false
  isFullScreen = () => false

  constructor(options: Record<string, unknown>) {
    super()
    this.options = options
    FakeWindow.all.push(this)
    app.emit('browser-window-created', {}, this)
  }

  static getAllWindows(): FakeWindow[] {
    return FakeWindow.all.filter((window) => !window.isDestroyed())
  }

  isDestroyed(): boolean {
    return this.#isDestroyed
  }

  /** Calls the listeners synchronously and the page later, as Electron does. */
  close(): void {
    if (this.#isDestroyed) return
    if (isPrevented(this, 'close')) quitting.isUnderWay = false
    else setImmediate(() => this.#unload())
  }

  /** Closes without events that could be prevented. */
  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.emit('closed')
    if (FakeWindow.getAllWindows().length > 0) return
    if (quitting.isUnderWay) endUnlessPrevented()
    else if (!app.emit('window-all-closed')) app.quit()
  }

  #unload(): void {
    // Preventing this event overrules the page.
    if (this.asksToStay && !isPrevented(this.webContents, 'will-prevent-unload')) quitting.isUnderWay = false
    else this.destroy()
  }
}

const quitting = { isUnderWay: false, isOver: false }

function quit(): void {
  if (quitting.isOver || quitting.isUnderWay || isPrevented(app, 'before-quit')) return
  quitting.isUnderWay = true
  const windows = FakeWindow.getAllWindows()
  if (windows.length === 0) endUnlessPrevented()
  else for (const window of windows) window.close()
}

function endUnlessPrevented(): void {
  const stays = isPrevented(app, 'will-quit')
  quitting.isUnderWay = false
  if (stays) return
  quitting.isOver = true
  app.emit('quit')
}

/** Restores the state before the start: no windows and no listeners. */
export function resetElectron(): void {
  Object.assign(quitting, { isUnderWay: false, isOver: false })
  app.removeAllListeners()
  fakeElectron.ipcMain.removeAllListeners()
  fakeElectron.powerMonitor.removeAllListeners()
  FakeWindow.all.length = 0
}

const app = Object.assign(new EventEmitter(), {
  isPackaged: true,
  setBadgeCount: vi.fn((_count: number) => true),
  setLoginItemSettings: vi.fn(),
  setAsDefaultProtocolClient: vi.fn(() => true),
  getLocale: () => 'en-US',
  requestSingleInstanceLock: vi.fn(() => true),
  enableSandbox: vi.fn(),
  whenReady: vi.fn(async () => undefined),
  quit: vi.fn(quit),
  exit: vi.fn(),
})

const handlers: {
  permissionRequest?: Handler
  permissionCheck?: Handler
  device?: Handler
  protocol?: (request: Request) => Promise<Response>
} = {}

export const fakeElectron = {
  app,
  BrowserWindow: FakeWindow,
  dialog: {
    showErrorBox: vi.fn(),
    showMessageBox: vi.fn(async (_window: unknown, _options: { message: string }) => ({ response: 0 })),
  },
  powerMonitor: Object.assign(new EventEmitter(), { isOnBatteryPower: vi.fn(() => false) }),
  safeStorage: {
    isEncryptionAvailable: vi.fn(() => true),
    getSelectedStorageBackend: vi.fn(() => 'gnome_libsecret'),
    encryptString: (text: string) => Buffer.from([...text].reverse().join('')),
    decryptString: (bytes: Buffer) => [...bytes.toString()].reverse().join(''),
  },
  ipcMain: new EventEmitter(),
  Menu: {
    buildFromTemplate: vi.fn((items: unknown) => Object.assign(items as object, { popup: vi.fn() })),
    setApplicationMenu: vi.fn(),
  },
  net: { fetch: vi.fn(async (url: string) => new Response(`content of ${url}`)) },
  protocol: {
    registerSchemesAsPrivileged: vi.fn(),
    handle: vi.fn((_scheme: string, handler: (request: Request) => Promise<Response>) => (handlers.protocol = handler)),
  },
  screen: {
    getCursorScreenPoint: () => ({ x: 1, y: 1 }),
    getDisplayNearestPoint: () => ({ workArea: { x: 0, y: 0, width: 1440, height: 900 } }),
  },
  globalShortcut: { register: vi.fn((_keys: string, _press: () => void) => true), unregister: vi.fn() },
  nativeImage: { createFromPath: vi.fn((path: string) => path) },
  Notification: class extends EventEmitter {
    static readonly shown: { title: string; body: string; click: () => void }[] = []
    readonly #content: { title: string; body: string }
    constructor(content: { title: string; body: string }) {
      super()
      this.#content = content
    }
    show(): void {
      fakeElectron.Notification.shown.push({ ...this.#content, click: () => this.emit('click') })
    }
  },
  Tray: class extends EventEmitter {
    setToolTip = vi.fn()
    setContextMenu = vi.fn()
    destroy = vi.fn()
  },
  session: {
    defaultSession: {
      on: vi.fn<(event: string, listener: () => void) => void>(),
      setPermissionRequestHandler: (handler: Handler) => (handlers.permissionRequest = handler),
      setPermissionCheckHandler: (handler: Handler) => (handlers.permissionCheck = handler),
      setDevicePermissionHandler: (handler: Handler) => (handlers.device = handler),
    },
  },
  shell: {
    openExternal: vi.fn(async () => undefined),
    openPath: vi.fn(async () => ''),
    showItemInFolder: vi.fn(),
  },
}

export { handlers as electronHandlers }
