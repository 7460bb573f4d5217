/** The `electron` module of one instance of the app. */
import type { App } from './app.ts'
import { nativeImage } from './image.ts'
import type { Host } from './host.ts'
import { Ipc } from './ipc.ts'
import { menuClasses } from './menu.ts'
import { Dialog, GlobalShortcut, NativeTheme, notificationClass, PowerMonitor, SafeStorage, Shell } from './modules.ts'
import { createNet } from './net.ts'
import { channelClass } from './ports.ts'
import { ProtocolModule, Sessions } from './session.ts'
import { type Tray, trayClass } from './tray.ts'
import { AutoUpdater } from './updater.ts'
import { UtilityProcess } from './utility.ts'
import { browserWindowClass } from './window.ts'

export function createModule(instance: Host, app: App) {
  const session = new Sessions(instance)
  const trays: Tray[] = []
  const notifications: { title: string; body: string; emit(name: string): boolean }[] = []
  return {
    app,
    BrowserWindow: browserWindowClass(instance, session),
    Tray: trayClass(instance),
    ...menuClasses(instance),
    MessageChannelMain: channelClass(instance),
    Notification: notificationClass(instance),
    autoUpdater: new AutoUpdater(instance),
    clipboard: clipboard(),
    dialog: new Dialog(instance),
    globalShortcut: new GlobalShortcut(instance),
    ipcMain: new Ipc(),
    nativeImage,
    net: createNet(instance),
    nativeTheme: new NativeTheme(instance),
    powerMonitor: new PowerMonitor(instance),
    protocol: new ProtocolModule(instance, session),
    safeStorage: new SafeStorage(instance),
    screen: screen(),
    session,
    shell: new Shell(instance),
    utilityProcess: new UtilityProcess(instance),
    webContents: {
      getAllWebContents: () => [...instance.contents],
      fromId: (id: number) => instance.contents.find((contents) => contents.id === id),
    },
    // For tests: trays and notifications as the user sees them.
    trays,
    notifications,
  }
}

export type ElectronModule = ReturnType<typeof createModule>

/** Source: docs/api/clipboard.md. */
function clipboard() {
  let text = ''
  return {
    readText: () => text,
    writeText: (written: string) => void (text = written),
    clear: () => void (text = ''),
  }
}

/** One display of 1920 × 1080. Source: docs/api/screen.md. */
function screen() {
  const bounds = { x: 0, y: 0, width: 1920, height: 1080 }
  const display = { id: 1, bounds, workArea: bounds, workAreaSize: bounds, size: bounds, scaleFactor: 1 }
  return {
    getPrimaryDisplay: () => display,
    getAllDisplays: () => [display],
    getDisplayMatching: () => display,
    getDisplayNearestPoint: () => display,
    getCursorScreenPoint: () => ({ x: 0, y: 0 }),
    on: () => {},
  }
}
