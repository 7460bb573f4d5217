/** The `electron` module of one instance of the app. */
import type { App } from './app.ts'
import { nativeImage } from './image.ts'
import type { Host } from './host.ts'
import { Ipc } from './ipc.ts'
import { menuClass } from './menu.ts'
import { Dialog, GlobalShortcut, notificationClass, PowerMonitor, SafeStorage, Shell } from './modules.ts'
import { createNet } from './net.ts'
import { channelClass } from './ports.ts'
import { ProtocolModule, Sessions } from './session.ts'
import { type Tray, trayClass } from './tray.ts'
import { AutoUpdater } from './updater.ts'
import { browserWindowClass } from './window.ts'

export function createModule(instance: Host, app: App) {
  const session = new Sessions(instance)
  const trays: Tray[] = []
  const notifications: { title: string; body: string; emit(name: string): boolean }[] = []
  return {
    app,
    BrowserWindow: browserWindowClass(instance, session),
    Tray: trayClass(instance),
    Menu: menuClass(instance),
    MessageChannelMain: channelClass(instance),
    Notification: notificationClass(instance),
    autoUpdater: new AutoUpdater(instance),
    dialog: new Dialog(instance),
    globalShortcut: new GlobalShortcut(instance),
    ipcMain: new Ipc(),
    nativeImage,
    net: createNet(instance),
    powerMonitor: new PowerMonitor(),
    protocol: new ProtocolModule(instance, session),
    safeStorage: new SafeStorage(instance),
    screen: screen(),
    session,
    shell: new Shell(instance),
    // For tests: trays and notifications as the user sees them.
    trays,
    notifications,
  }
}

export type ElectronModule = ReturnType<typeof createModule>

/** One display of 1920 × 1080. Source: docs/api/screen.md. */
function screen() {
  const workArea = { x: 0, y: 0, width: 1920, height: 1080 }
  return { getDisplayNearestPoint: () => ({ workArea }), getCursorScreenPoint: () => ({ x: 0, y: 0 }) }
}
