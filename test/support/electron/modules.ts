/** The modules without a life cycle. Each names its page in docs/api of github.com/electron/electron. */
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { emit, type MessageBox, Run, type RunOptions } from './run.ts'
import { Port, Window, type WindowOptions } from './window.ts'

interface ItemOptions {
  readonly label?: string
  readonly role?: string
  readonly type?: string
  readonly enabled?: boolean
  readonly checked?: boolean
  readonly accelerator?: string
  readonly registerAccelerator?: boolean
  readonly submenu?: readonly ItemOptions[]
  readonly click?: (item: { checked: boolean }) => void
}

/** Source: tray.md. */
class Tray extends EventEmitter {
  menu: Menu | undefined
  isDestroyed = false
  setToolTip = () => undefined
  setContextMenu = (menu: Menu) => void (this.menu = menu)
  popUpContextMenu = (menu: Menu) => void (this.menu = menu)
  destroy = () => void (this.isDestroyed = true)
}

/** An item with a role ignores `click`. Source: menu-item.md. */
class Menu {
  readonly items: ItemOptions[]
  readonly #run: Run

  constructor(run: Run, template: readonly ItemOptions[]) {
    this.#run = run
    this.items = template.flatMap((item) => [item, ...(item.submenu ?? [])])
  }

  popup = () => undefined

  choose(label: string): void {
    const item = this.items.find((one) => one.label === label)
    if (!item || item.enabled === false) throw new Error(`no menu item "${label}"`)
    if (item.role === 'quit') this.#run.app.quit()
    else item.click?.({ checked: item.checked !== true })
  }
}

function createModules(run: Run) {
  const shortcuts = new Map<string, () => void>()
  const password = Promise.withResolvers<boolean>()
  const handlers = new Map<string, (request: Request) => Promise<Response>>()
  const state = {
    trays: [] as Tray[],
    notifications: [] as Notification[],
    menu: undefined as Menu | undefined,
    schemes: [] as { readonly scheme: string }[],
  }

  class Notification extends EventEmitter {
    readonly body: string
    constructor({ body }: { readonly body: string }) {
      super()
      this.body = body
    }
    show = () => state.notifications.push(this)
  }

  return {
    app: run.app,
    state,
    ipcMain: run.ipcMain,
    Notification,
    BrowserWindow: class BrowserWindow extends Window {
      constructor(options?: WindowOptions) {
        super(run, options)
      }
      static getAllWindows = () => [...run.windows]
    },
    Tray: class extends Tray {
      constructor() {
        super()
        run.needReady('Cannot create Tray before app is ready')
        state.trays.push(this)
      }
    },
    Menu: {
      buildFromTemplate: (template: readonly ItemOptions[]) => new Menu(run, template),
      setApplicationMenu: (menu: Menu) => void (state.menu = menu),
    },
    MessageChannelMain: class {
      readonly port1 = new Port()
      readonly port2 = new Port()
      constructor() {
        this.port1.peer = this.port2
        this.port2.peer = this.port1
      }
    },
    nativeImage: { createFromPath: (path: string) => path },
    nativeTheme: { shouldUseDarkColors: false, themeSource: 'system' },
    screen: {
      getCursorScreenPoint: () => ({ x: 0, y: 0 }),
      getDisplayNearestPoint: () => ({ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }),
    },
    powerMonitor: run.powerMonitor,
    session: {
      get defaultSession() {
        run.needReady('Session can only be received when app is ready')
        return run.session
      },
      /** Used by the updater. */
      fromPartition: () => run.session,
    },
    /** Source: protocol.md. */
    protocol: {
      handlers,
      registerSchemesAsPrivileged(schemes: { readonly scheme: string }[]) {
        if (run.isReady) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
        state.schemes = schemes
      },
      handle: (scheme: string, handler: (request: Request) => Promise<Response>) => handlers.set(scheme, handler),
    },
    /** `register` fails silently for keys of other programs. Source: global-shortcut.md. */
    globalShortcut: {
      register(keys: string, onPress: () => void) {
        run.needReady('globalShortcut cannot be used before the app is ready')
        if (run.takenKeys.has(keys)) return false
        shortcuts.set(keys, onPress)
        return true
      },
      unregisterAll: () => shortcuts.clear(),
      press: (keys: string) => shortcuts.get(keys)?.(),
    },
    /** Source: safe-storage.md. */
    safeStorage: {
      unlock: () => password.resolve(true),
      isAsyncEncryptionAvailable: async () =>
        run.options.storage === 'locked' ? password.promise : run.options.storage !== 'none',
      /** The prefix names the provider: `v10` is a fixed password. Source: components/os_crypt of Chromium. */
      encryptStringAsync: async (text: string) => {
        const prefix = run.options.storage === 'basic_text' ? 'v10' : 'v11'
        return Buffer.concat([Buffer.from(prefix), Buffer.from(text).map((byte) => byte ^ 90)])
      },
      decryptStringAsync: async (encrypted: Buffer) => ({
        result: Buffer.from(encrypted.subarray(3).map((byte) => byte ^ 90)).toString(),
      }),
    },
    shell: {
      openExternal: async (url: string) => void run.opened.push(url),
      openPath: async (path: string) => (existsSync(path) ? (run.opened.push(path), '') : 'Failed to open path'),
      showItemInFolder: (path: string) => void run.opened.push(path),
    },
    dialog: dialogOf(run),
    autoUpdater: new AutoUpdater(run),
    net: {
      /** "it can read files". Source: net.md. */
      fetch: async (url: string) => new Response(new Uint8Array(await readFile(fileURLToPath(url)))),
      request: (options: RequestOptions) => new ClientRequest(options),
      isOnline: () => run.isOnline,
    },
  }
}

/** A run of the app with its `electron` module. */
export class AppRun extends Run {
  declare readonly windows: Window[]
  readonly electron: ReturnType<typeof createModules>

  constructor(options: RunOptions) {
    super(options)
    this.electron = createModules(this)
  }
}

/** A dialog cannot attach to a destroyed window. Source: spec/api-dialog-spec.ts. */
function dialogOf(run: Run) {
  return {
    showErrorBox: (_title: string, message: string) => void run.errors.push(message),
    showMessageBox(...given: [{ readonly message: string }] | [Window, { readonly message: string }]) {
      const [window, options] = given.length === 2 ? given : [undefined, given[0]]
      if (window?.isDestroyed()) throw new TypeError('Object has been destroyed')
      const { promise, resolve } = Promise.withResolvers<{ response: number }>()
      const box: MessageBox = {
        message: options.message,
        answer(response) {
          if (run.boxes.includes(box)) run.boxes.splice(run.boxes.indexOf(box), 1)
          resolve({ response })
        },
      }
      run.boxes.push(box)
      const next = run.answers.shift()
      if (next !== undefined) run.later(() => box.answer(next))
      return promise
    },
  }
}

/** Source: auto-updater.md. Squirrel.Mac: the feed answers with JSON whose `url` is a zip. */
class AutoUpdater extends EventEmitter {
  readonly #run: Run
  #feed: { url: string; headers?: Record<string, string> } = { url: '' }

  constructor(run: Run) {
    super()
    this.#run = run
  }

  setFeedURL(options: { url: string; headers?: Record<string, string> }): void {
    this.#feed = options
  }

  /** The app must be signed. A downloaded update is also installed without `quitAndInstall`. */
  async checkForUpdates(): Promise<void> {
    const { headers = {} } = this.#feed
    const { url } = (await (await fetch(this.#feed.url, { headers })).json()) as { url: string }
    const version = await (await fetch(url)).text()
    if (!this.#run.isSigned) return void this.emit('error', new Error('Code signature did not pass validation'))
    this.#run.atEnd.push(() => void (this.#run.installed = version))
    emit(this, 'update-downloaded')
  }

  /** Closes all windows before `before-quit`. A window that stays stops it. */
  quitAndInstall(): void {
    this.#run.atEnd.push(() => void this.#run.relaunches.push({}))
    this.emit('before-quit-for-update')
    this.#run.closeWindows('update')
  }
}

interface RequestOptions {
  readonly hostname: string
  readonly port?: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
}

/** HTTP without TLS, and without redirects. A response that the server cuts emits `error`. Source: client-request.md. */
class ClientRequest extends EventEmitter {
  readonly #request: ReturnType<typeof request>

  constructor({ hostname, port, path = '/', method = 'GET', headers = {} }: RequestOptions) {
    super()
    this.#request = request({ hostname, port, path, method, headers, agent: false })
    for (const name of ['response', 'error', 'close'])
      this.#request.on(name, (...args: unknown[]) => void this.emit(name, ...args))
  }

  end(body?: Buffer): void {
    this.#request.end(body)
  }

  abort(): void {
    this.emit('abort')
    this.#request.destroy()
  }
}
