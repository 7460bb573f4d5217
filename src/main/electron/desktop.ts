/** The desktop shell: one instance, one window, the runtime behind it. */
import { app, dialog, Notification, shell } from 'electron'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createApp, type App } from '../app.ts'
import { followUncaught } from '../uncaught.ts'
import { defaultStateHome } from '../agents/index.ts'
import { CaptureShortcut } from './capture-shortcut.ts'
import { CaptureWindow } from './capture-window.ts'
import { decideOnClose } from './close-to.ts'
import { recoverFromCrashes } from './crashes.ts'
import { openKeyVault } from './key-vault.ts'
import { noteOfArguments, noteOfLink } from './links.ts'
import { setLaunchAtLogin } from './login-item.ts'
import { MainWindow } from './main-window.ts'
import { installMenu } from './menu.ts'
import { acceptPorts } from './ports.ts'
import { followPower } from './power.ts'
import { interfaceUrl, registerScheme, serveInterface } from './protocol.ts'
import { denyPermissions } from './security.ts'
import { CaptureTray } from './tray.ts'
import { Unread } from './unread.ts'
import { followUpdates } from './updates.ts'
import { WindowState } from './window-state.ts'
import { systemWords } from './words.ts'

export async function startDesktop(mainFolder: URL): Promise<void> {
  // A second start shows the window of the first: two runtimes would write the same transcripts.
  if (!app.requestSingleInstanceLock()) return app.quit()
  registerScheme()
  app.enableSandbox()
  await app.whenReady()
  const runtime = await openRuntime(mainFolder)
  if (!runtime) return app.exit(1)
  const state = await WindowState.load(runtime.stateFolder)
  denyPermissions()
  serveInterface(new URL('../renderer/', mainFolder))
  acceptPorts(runtime.app)
  const { app: served } = runtime
  const main = new MainWindow({
    preload: preloadOf(mainFolder),
    state,
    onMade: (window) => {
      recoverFromCrashes(window, served.log)
      decideOnClose(window, served.settings)
    },
    onFocus: () => unread.clear(),
    // The capture window is always there: it keeps nobody from leaving.
    onClosed: () => process.platform !== 'darwin' && app.quit(),
  })
  const show = () => main.show()
  const goTo = (place: string) => {
    show()
    served.events.publish('event', { type: 'goTo', place })
  }
  installMenu(goTo)
  const unread = new Unread({
    isSeen: () => main.isFocused,
    mayNotify: () => served.settings.config.desktop.notifications,
    onOpen: (session) => goTo(`/chat/${session}`),
  })
  followRuntime(served, unread)
  const capture = installCapture(runtime.app, mainFolder, show)
  app.on('second-instance', (_event, argv) => {
    const note = noteOfArguments(argv)
    if (note === undefined) show()
    else capture.show(note)
  })
  app.on('activate', show)
  // Without a listener Electron quits by itself.
  app.on('window-all-closed', () => undefined)
  closeBeforeQuit(runtime.app)
  const note = noteOfArguments(process.argv)
  // Started with the computer, it waits in the tray.
  if (process.argv.includes('--hidden')) return
  if (note === undefined) show()
  else capture.show(note)
}

/** What the shell does on account of the settings, the power, and answers that are done. */
function followRuntime(runtime: App, unread: Unread): void {
  const applyLogin = () =>
    void setLaunchAtLogin(runtime.settings.config.desktop.launchAtLogin).catch((error: unknown) =>
      runtime.log.fault(error, 'starting with the computer'),
    )
  const ends = [
    runtime.settings.onChange(applyLogin),
    runtime.events.subscribe('event', (event) => {
      if (event.type === 'turnEnded') unread.note(event)
    }),
    followPower((isSaving) => void runtime.agents.savePower(isSaving)),
    followUncaught({
      log: runtime.log,
      tell: (fault) => runtime.events.publish('event', { type: 'fault', ...fault }),
    }),
    followUpdates({ feed: () => runtime.settings.config.updates.feed, log: runtime.log }),
  ]
  if (app.isPackaged) applyLogin()
  app.once('will-quit', () => {
    for (const end of ends) end()
  })
}

/** Quick capture from anywhere: a window, a key, an icon, and links of other programs. */
function installCapture(runtime: App, mainFolder: URL, onOpen: () => void): CaptureWindow {
  const capture = new CaptureWindow({
    url: new URL('capture', process.env['ELECTRON_RENDERER_URL'] ?? interfaceUrl).href,
    preload: preloadOf(mainFolder),
  })
  const shortcut = new CaptureShortcut({
    accelerator: () => runtime.settings.config.capture.shortcut,
    onPress: () => capture.show(),
    onTaken: (accelerator) => {
      runtime.log.warn({ accelerator }, 'the capture shortcut is taken')
      new Notification({ title: 'Commonplace', body: systemWords().shortcutTaken(accelerator) }).show()
    },
  })
  const tray = new CaptureTray({
    icons: pathToFileURL(`${join(runtime.resources, 'icons')}/`),
    onCapture: () => capture.show(),
    onOpen,
    isPaused: () => shortcut.isPaused,
    onPause: (isPaused) => shortcut.pause(isPaused),
  })
  const stopSettings = runtime.settings.onChange(() => shortcut.apply())
  const stopEvents = runtime.events.subscribe('event', (event) => {
    if (event.type === 'captured') tray.add(event.note)
  })
  app.setAsDefaultProtocolClient('commonplace')
  app.on('open-url', (event, link) => {
    const note = noteOfLink(link)
    if (note === undefined) return
    event.preventDefault()
    capture.show(note)
  })
  app.once('will-quit', () => {
    stopSettings()
    stopEvents()
    shortcut.close()
    tray.close()
    capture.close()
  })
  return capture
}

function preloadOf(mainFolder: URL): string {
  return fileURLToPath(new URL('../preload/index.cjs', mainFolder))
}

async function showWithShell(path: string, open: boolean): Promise<void> {
  if (open) await shell.openPath(path)
  else shell.showItemInFolder(path)
}

async function openRuntime(mainFolder: URL): Promise<{ app: App; stateFolder: string } | undefined> {
  try {
    const keyVault = openKeyVault(defaultStateHome(process.env))
    const runtime = await createApp({ mainFolder, env: process.env, showFile: showWithShell, keyVault })
    return { app: runtime, stateFolder: runtime.home }
  } catch (error) {
    dialog.showErrorBox('Commonplace', error instanceof Error ? error.message : String(error))
    return undefined
  }
}

/** What is being written is finished first. */
function closeBeforeQuit(runtime: App): void {
  let isClosed = false
  app.on('before-quit', (event) => {
    if (isClosed) return
    event.preventDefault()
    void runtime.close().finally(() => {
      isClosed = true
      app.quit()
    })
  })
}
