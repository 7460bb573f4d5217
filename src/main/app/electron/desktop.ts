import { app, dialog, nativeTheme, shell, BrowserWindow } from 'electron'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { installedProgram } from '#interop'
import { handleUncaughtErrors } from '../diagnostics/uncaught.ts'
import { resourcesOf } from '../composition/create-app.ts'
import { defaultStateHome, stateFolders } from '../agents/state-folders.ts'
import { HostProcess } from '../instance-lock/host-process.ts'
import { CaptureShortcut, captureTray, captureWindow } from './capture.ts'
import { handleWindowClose, Quitting } from './quitting.ts'
import {
  recoverFromCrashes,
  reportFailedLoad,
  denyPermissions,
  recordDictionaries,
  blockNavigation,
  secureWebPreferences,
} from './window-security.ts'
import { noteOfLink, receiveRequests, viewOfFile } from './protocol-links.ts'
import { readLoginShell } from './login-shell.ts'
import { isLaunchedAtLogin, setLaunchAtLogin, followPower, openKeyVault, unreadBadge } from './system-integration.ts'
import { openMcpPort } from '../server/mcp-endpoint.ts'
import { installContextMenu, installMenu } from './menus.ts'
import { acceptPorts, interfaceUrl, registerScheme, serveInterface } from './message-ports.ts'
import { offerUpdates } from './updates.ts'
import { errorText, loadHostTexts, t } from '../texts.ts'

/** Id of the app, the same as in `builder.config.ts`. Windows assigns notifications to it. */
const appId = 'app.commonplace.desktop'

export async function startDesktop(mainFolder: URL): Promise<void> {
  try {
    await openDesktop(mainFolder)
  } catch (error) {
    dialog.showErrorBox('Commonplace', errorText(error))
    app.exit(1)
  }
}

async function openDesktop(mainFolder: URL): Promise<void> {
  const home = defaultStateHome(process.env)
  // Another home is another app: its own lock, window state and storage of the pages.
  if (process.env['COMMONPLACE_HOME']) app.setPath('userData', join(home, 'electron'))
  // The running instance gets `second-instance` and shows its window.
  if (!app.requestSingleInstanceLock()) return app.quit()
  app.setAppUserModelId(appId)
  registerScheme()
  // `enableSandbox` removes the switch, without which the app does not start where the system forbids a sandbox.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
  const openRequests = receiveRequests()
  await app.whenReady()
  await loadHostTexts(stateFolders(home).config, [app.getLocale()])
  await readLoginShell(process.env)
  const keyVault = await openKeyVault(home)
  const hostProcess = await HostProcess.open({ mainFolder, env: process.env, showFile: showWithShell, keyVault })
  const { settings, log, outbound } = hostProcess.base
  const followTheme = () => void (nativeTheme.themeSource = settings.config.interface.theme)
  followTheme()
  settings.changes.subscribe(followTheme)
  denyPermissions()
  recordDictionaries(outbound, (error) => log.fault(error, 'spelling dictionary'))
  serveInterface(new URL('../renderer/', mainFolder))
  acceptPorts(hostProcess)
  const mcp = openMcpPort(hostProcess)
  const quitting = new Quitting(async () => {
    await mcp.close()
    await hostProcess.close()
  }, log)
  const mainWindow = mainWindowOf(preloadOf(mainFolder), (window) => {
    recoverFromCrashes(window, log)
    handleWindowClose(window, settings, quitting)
    window.on('focus', () => unread.clear())
    // Electron itself does not quit, because the hidden capture window stays open.
    window.once('closed', () => process.platform !== 'darwin' && app.quit())
  })
  const showMainWindow = () => {
    if (!quitting.isQuitting) mainWindow.show()
  }
  const goTo = async (viewPath: string) => {
    if (quitting.isQuitting || mainWindow.show(viewPath)) return
    const primaryApp = await hostProcess.app()
    if (primaryApp) primaryApp.events.publish('event', { type: 'goTo', place: viewPath })
    // Another process is the primary instance. Its event would open the view in the windows of all processes.
    else mainWindow.open(viewPath)
  }
  installMenu((view) => void goTo(view))
  const unread = unreadBadge({
    isWindowFocused: mainWindow.isFocused,
    mayNotify: () => settings.config.desktop.notifications,
    onOpen: (session) => void goTo(`/chat/${session}`),
  })
  connectServices(hostProcess, unread, quitting)
  const capture = installCapture(hostProcess, mainFolder, showMainWindow, quitting)
  const openFile = async (file: string) => {
    const view = await viewOfFile(file, await hostProcess.callPrimary((primary) => primary.agents.list()))
    if (view !== undefined) return goTo(view)
    showMainWindow()
    await dialog.showMessageBox({ message: t('desktop.outsideMemory', { file }) })
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

function connectServices(hostProcess: HostProcess, unread: ReturnType<typeof unreadBadge>, quitting: Quitting): void {
  const { settings, log, outbound } = hostProcess.base
  const applyLaunchAtLogin = () =>
    void setLaunchAtLogin(settings.config.desktop.launchAtLogin).catch((error: unknown) =>
      log.fault(error, 'launch at login'),
    )
  runAtQuit(
    settings.changes.subscribe(applyLaunchAtLogin),
    hostProcess.onEvent((event) => void (event.type === 'turnEnded' && unread.addTurn(event))),
    followPower((isSaving) => void hostProcess.app().then((primary) => primary?.agents.savePower(isSaving))),
    handleUncaughtErrors({ log, onFault: (fault) => hostProcess.publish({ type: 'fault', ...fault }) }),
    offerUpdates({ settings, log, outbound, quitting }),
  )
  if (app.isPackaged) applyLaunchAtLogin()
}

function installCapture(hostProcess: HostProcess, mainFolder: URL, onOpen: () => void, quitting: Quitting) {
  const { settings, log } = hostProcess.base
  const show = captureWindow({
    url: new URL('capture', interfaceUrl).href,
    preload: preloadOf(mainFolder),
    isQuitting: () => quitting.isQuitting,
  })
  const capture = (note?: string) => {
    if (!quitting.isQuitting) show(note)
  }
  const shortcut = new CaptureShortcut({
    accelerator: () => settings.config.capture.shortcut,
    onPress: () => capture(),
    onTaken: (accelerator) => {
      if (accelerator !== '') log.warn({ accelerator }, 'the capture shortcut does not work')
      // If another process is the primary instance, its health shows its own shortcut.
      void hostProcess.app().then((primaryApp) => {
        const problem = { part: 'app', code: 'shortcut_taken' } as const
        const remedy = { kind: 'settings', section: 'shortcuts' } as const
        if (accelerator === '') primaryApp?.health.clear(problem.part, problem.code)
        else primaryApp?.health.report({ ...problem, message: accelerator, remedy })
      })
    },
  })
  const tray = captureTray({
    icons: pathToFileURL(`${join(resourcesOf(mainFolder), 'icons')}/`),
    onCapture: () => capture(),
    onOpen,
    isPaused: () => shortcut.isPaused,
    onPause: (isPaused) => shortcut.setPaused(isPaused),
  })
  // In a checkout, the links would start Electron without the app.
  if (app.isPackaged) app.setAsDefaultProtocolClient('commonplace', installedProgram())
  runAtQuit(
    settings.changes.subscribe(() => shortcut.apply()),
    hostProcess.onEvent((event) => void (event.type === 'captured' && tray.add(event.note))),
    () => shortcut.close(),
    () => tray.close(),
  )
  return capture
}

function runAtQuit(...actions: (() => void)[]): void {
  app.once('will-quit', () => actions.forEach((run) => run()))
}

function preloadOf(mainFolder: URL): string {
  return fileURLToPath(new URL('../preload/index.cjs', mainFolder))
}

async function showWithShell(path: string, shouldOpen: boolean): Promise<void> {
  if (shouldOpen) await shell.openPath(path)
  else shell.showItemInFolder(path)
}

/** `--paper` of the themes in the page's style sheet. */
const paper = { light: '#fdfcfa', dark: '#1a1917' }

function mainWindowOf(preload: string, onCreated: (window: BrowserWindow) => void) {
  let window: BrowserWindow | undefined
  const open = (viewPath: string) => void window?.loadURL(new URL(viewPath, interfaceUrl).href)
  const create = () => {
    const created = new BrowserWindow({
      // Electron stores the window position under this name.
      name: 'main',
      windowStatePersistence: true,
      width: 1280,
      height: 840,
      minWidth: 720,
      minHeight: 480,
      show: false,
      title: 'Commonplace',
      backgroundColor: nativeTheme.shouldUseDarkColors ? paper.dark : paper.light,
      webPreferences: secureWebPreferences(preload),
    })
    blockNavigation(created.webContents)
    installContextMenu(created.webContents)
    reportFailedLoad(created)
    onCreated(created)
    created.once('closed', () => (window = undefined))
    const show = () => created.isVisible() || created.show()
    created.once('ready-to-show', show)
    // On Wayland, `ready-to-show` may not come (electron#48859).
    created.webContents.once('did-finish-load', show)
    return created
  }
  return {
    open,
    isFocused: () => window?.isFocused() ?? false,
    /** @returns true if there was no window: the new one opens with the view */
    show(viewPath = '/'): boolean {
      if (!window) {
        window = create()
        open(viewPath)
        return true
      }
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
      return false
    },
  }
}
