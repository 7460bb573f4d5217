import { app, dialog, Notification, shell, BrowserWindow } from 'electron'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { handleUncaughtErrors } from '../diagnostics/uncaught.ts'
import { resourcesOf } from '../composition/create-app.ts'
import { defaultStateHome } from '../agents/state-folders.ts'
import { HostProcess } from '../instance-lock/host-process.ts'
import { CaptureShortcut, CaptureWindow, CaptureTray } from './capture.ts'
import { handleWindowClose, Quitting } from './quitting.ts'
import {
  recoverFromCrashes,
  denyPermissions,
  recordDictionaries,
  blockNavigation,
  secureWebPreferences,
} from './window-security.ts'
import { noteOfLink, receiveRequests, viewOfFile } from './protocol-links.ts'
import { isLaunchedAtLogin, setLaunchAtLogin, followPower, openKeyVault, UnreadBadge } from './system-integration.ts'
import { McpPort } from '../server/mcp-endpoint.ts'
import { installContextMenu, installMenu } from './menus.ts'
import { acceptPorts, interfaceUrl, registerScheme, serveInterface } from './message-ports.ts'
import { Updates } from './updates.ts'
import { systemTexts } from './system-texts.ts'

export async function startDesktop(mainFolder: URL): Promise<void> {
  // The running instance gets `second-instance` and shows its window.
  if (!app.requestSingleInstanceLock()) return app.quit()
  registerScheme()
  app.enableSandbox()
  const openRequests = receiveRequests()
  await app.whenReady()
  const hostProcess = await openHostProcess(mainFolder)
  if (!hostProcess) return app.exit(1)
  const { settings, log, outbound } = hostProcess.base
  denyPermissions()
  recordDictionaries(outbound, (error) => log.fault(error, 'spelling dictionary'))
  serveInterface(new URL('../renderer/', mainFolder))
  acceptPorts(hostProcess)
  const mcp = new McpPort(hostProcess)
  const quitting = new Quitting(async () => {
    await mcp.close()
    await hostProcess.close()
  }, log)
  const mainWindow = new MainWindow({
    preload: preloadOf(mainFolder),
    onCreated: (window) => {
      recoverFromCrashes(window, log)
      handleWindowClose(window, settings, quitting)
    },
    onFocus: () => unread.clear(),
    // Electron itself does not quit, because the hidden capture window stays open.
    onClosed: () => process.platform !== 'darwin' && app.quit(),
  })
  const showMainWindow = () => {
    if (!quitting.isQuitting) mainWindow.show()
  }
  const goTo = (viewPath: string) => {
    if (quitting.isQuitting || mainWindow.show(viewPath)) return
    void hostProcess.app().then((primaryApp) => {
      if (primaryApp) primaryApp.events.publish('event', { type: 'goTo', place: viewPath })
      // Another process is the primary instance. Its event would open the view in the windows of all processes.
      else mainWindow.open(viewPath)
    })
  }
  installMenu(goTo)
  const unread = new UnreadBadge({
    isWindowFocused: () => mainWindow.isFocused,
    mayNotify: () => settings.config.desktop.notifications,
    onOpen: (session) => goTo(`/chat/${session}`),
  })
  connectServices(hostProcess, unread, quitting)
  const capture = installCapture(hostProcess, mainFolder, showMainWindow, quitting)
  const openFile = async (file: string) => {
    const view = await viewOfFile(file, await hostProcess.callPrimary((primary) => primary.agents.list()))
    if (view !== undefined) return goTo(view)
    showMainWindow()
    await dialog.showMessageBox({ message: systemTexts().outsideMemory(file) })
  }
  const openTarget = (target: string) => {
    const note = noteOfLink(target)
    if (note !== undefined) capture(note)
    else if (isAbsolute(target)) void openFile(target).catch((error: unknown) => log.fault(error, 'opening a file'))
    else showMainWindow()
  }
  app.on('activate', showMainWindow)
  // Electron quits if this event has no listener.
  app.on('window-all-closed', () => undefined)
  if (openRequests(openTarget) === 0 && !isLaunchedAtLogin()) showMainWindow()
}

function connectServices(hostProcess: HostProcess, unread: UnreadBadge, quitting: Quitting): void {
  const { settings, log, outbound } = hostProcess.base
  const applyLaunchAtLogin = () =>
    void setLaunchAtLogin(settings.config.desktop.launchAtLogin).catch((error: unknown) =>
      log.fault(error, 'launch at login'),
    )
  const updates = new Updates({ settings, log, outbound, quitting })
  const unsubscribers = [
    settings.changes.subscribe(applyLaunchAtLogin),
    hostProcess.onEvent((event) => {
      if (event.type === 'turnEnded') unread.addTurn(event)
    }),
    followPower((isSaving) => void hostProcess.savePower(isSaving)),
    handleUncaughtErrors({ log, onFault: (fault) => hostProcess.publish({ type: 'fault', ...fault }) }),
    () => updates.close(),
  ]
  if (app.isPackaged) applyLaunchAtLogin()
  app.once('will-quit', () => {
    for (const unsubscribe of unsubscribers) unsubscribe()
  })
}

function installCapture(
  hostProcess: HostProcess,
  mainFolder: URL,
  onOpen: () => void,
  quitting: Quitting,
): (note: string) => void {
  const { settings, log } = hostProcess.base
  const window = new CaptureWindow({
    url: new URL('capture', interfaceUrl).href,
    preload: preloadOf(mainFolder),
    isQuitting: () => quitting.isQuitting,
  })
  const capture = (note?: string) => {
    if (!quitting.isQuitting) window.show(note)
  }
  const shortcut = new CaptureShortcut({
    accelerator: () => settings.config.capture.shortcut,
    onPress: () => capture(),
    onTaken: (accelerator) => {
      log.warn({ accelerator }, 'the capture shortcut is invalid or used by another program')
      new Notification({ title: 'Commonplace', body: systemTexts().shortcutTaken(accelerator) }).show()
    },
  })
  const tray = new CaptureTray({
    icons: pathToFileURL(`${join(resourcesOf(mainFolder), 'icons')}/`),
    onCapture: () => capture(),
    onOpen,
    isPaused: () => shortcut.isPaused,
    onPause: (isPaused) => shortcut.setPaused(isPaused),
  })
  const unsubscribeSettings = settings.changes.subscribe(() => shortcut.apply())
  const unsubscribeEvents = hostProcess.onEvent((event) => {
    if (event.type === 'captured') tray.add(event.note)
  })
  app.setAsDefaultProtocolClient('commonplace')
  app.once('will-quit', () => {
    unsubscribeSettings()
    unsubscribeEvents()
    shortcut.close()
    tray.close()
  })
  return capture
}

function preloadOf(mainFolder: URL): string {
  return fileURLToPath(new URL('../preload/index.cjs', mainFolder))
}

async function showWithShell(path: string, shouldOpen: boolean): Promise<void> {
  if (shouldOpen) await shell.openPath(path)
  else shell.showItemInFolder(path)
}

async function openHostProcess(mainFolder: URL): Promise<HostProcess | undefined> {
  try {
    const keyVault = openKeyVault(defaultStateHome(process.env))
    return await HostProcess.open({ mainFolder, env: process.env, showFile: showWithShell, keyVault })
  } catch (error) {
    dialog.showErrorBox('Commonplace', error instanceof Error ? error.message : String(error))
    return undefined
  }
}

interface MainWindowOptions {
  readonly preload: string
  readonly onCreated: (window: BrowserWindow) => void
  readonly onFocus: () => void
  readonly onClosed: () => void
}

class MainWindow {
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
