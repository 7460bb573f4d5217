/** A stand-in for the `electron` module: records what the shell asks for and lets a test play the system's part. */
import { EventEmitter } from 'node:events'
import { vi } from 'vitest'

type Handler = (...values: never[]) => unknown

export class FakeWindow extends EventEmitter {
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
  readonly destroy = vi.fn()
  readonly setBounds = vi.fn()
  readonly loadURL = vi.fn(async (_url: string) => undefined)
  readonly show = vi.fn()
  readonly focus = vi.fn()
  readonly restore = vi.fn()
  isMinimized = () => false
  isFocused = () => false
  isFullScreen = () => false
  getNormalBounds = () => ({ x: 10, y: 20, width: 900, height: 700 })

  constructor(options: Record<string, unknown>) {
    super()
    this.options = options
    FakeWindow.all.push(this)
  }

  static getAllWindows(): FakeWindow[] {
    return FakeWindow.all
  }
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
  quit: vi.fn(),
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
    getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1440, height: 900 } }],
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
