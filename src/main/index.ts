import { app } from 'electron'
import { spawn } from 'node:child_process'

/** Time in which macOS can report the start of this process as an activation, ms. */
const startMs = 2000

// An AppImage without user namespaces puts `--no-sandbox` before the arguments.
const command = process.argv.slice(app.isPackaged ? 1 : 2).find((argument) => !argument.startsWith('-'))
if (command === 'mcp') {
  app.dock?.hide()
  const { platform, env } = process
  // Programs also start it without a display.
  if (platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY'])
    app.commandLine.appendSwitch('ozone-platform', 'headless')
  if (platform === 'darwin') setTimeout(passEventsToApp, startMs).unref()
  // No await: Electron must initialise in parallel.
  void import('./app/cli/cli.ts').finally(() => app.exit(Number(process.exitCode ?? 0)))
} else {
  const { startDesktop } = await import('./app/electron/desktop.ts')
  // No await: Electron is ready only after this module has run, and the start waits until Electron is ready.
  void startDesktop(new URL('./', import.meta.url))
}

/** macOS takes this process for the running app, and gives it clicks in the Dock, links and files. */
function passEventsToApp(): void {
  const [bundle = ''] = process.execPath.split('/Contents/')
  const open = (event: Pick<Event, 'preventDefault'>, ...targets: string[]) => {
    event.preventDefault()
    spawn('open', ['-n', '-a', bundle, ...targets], { stdio: 'ignore' })
  }
  app.on('activate', (event) => open(event))
  app.on('open-url', open)
  app.on('open-file', open)
}
