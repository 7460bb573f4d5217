/** The desktop shell: one instance, one window, the runtime behind it. */
import { app, BrowserWindow, dialog } from 'electron'
import { fileURLToPath } from 'node:url'
import { createApp, type App } from '../app.ts'
import { installMenu } from './menu.ts'
import { acceptPorts } from './ports.ts'
import { interfaceUrl, registerScheme, serveInterface } from './protocol.ts'
import { denyPermissions, keepInside } from './security.ts'
import { WindowState } from './window-state.ts'

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
  installMenu()
  const show = () => showWindow(mainFolder, state)
  app.on('second-instance', show)
  app.on('activate', show)
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  closeBeforeQuit(runtime.app)
  show()
}

async function openRuntime(mainFolder: URL): Promise<{ app: App; stateFolder: string } | undefined> {
  try {
    const runtime = await createApp({ mainFolder, env: process.env })
    return { app: runtime, stateFolder: runtime.home }
  } catch (error) {
    dialog.showErrorBox('Commonplace', error instanceof Error ? error.message : String(error))
    return undefined
  }
}

function showWindow(mainFolder: URL, state: WindowState): void {
  const [open] = BrowserWindow.getAllWindows()
  if (open) {
    if (open.isMinimized()) open.restore()
    return open.focus()
  }
  const window = new BrowserWindow({
    ...state.bounds(),
    minWidth: 720,
    minHeight: 480,
    show: false,
    title: 'Commonplace',
    webPreferences: {
      preload: fileURLToPath(new URL('../preload/index.cjs', mainFolder)),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      spellcheck: true,
    },
  })
  keepInside(window.webContents)
  state.follow(window)
  window.once('ready-to-show', () => window.show())
  void window.loadURL(process.env['ELECTRON_RENDERER_URL'] ?? interfaceUrl)
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
