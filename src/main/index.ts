import { app } from 'electron'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Time in which macOS can report the start of this process as an activation, ms. */
const startMs = 2000

const { argv, platform, env } = process
const first = app.isPackaged ? 1 : 2
// Switches of Chromium can come first: an AppImage without user namespaces puts `--no-sandbox` there.
const switches = argv.slice(first).findIndex((argument) => !argument.startsWith('-'))
// Other arguments are a note or an address of the app.
if (switches >= 0 && /^[a-z]+$/.test(argv[first + switches] ?? '')) {
  const hasDisplay = platform !== 'linux' || env['DISPLAY'] || env['WAYLAND_DISPLAY']
  // Chromium chooses the platform before this code runs.
  if (!hasDisplay && !argv.some((argument) => argument.startsWith('--ozone-platform='))) {
    const args = [...argv.slice(1, first), '--ozone-platform=headless', ...argv.slice(first)]
    process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1)
  }
  argv.splice(first, switches)
  app.dock?.hide()
  // Without a display, its process can crash (electron#53722).
  app.disableHardwareAcceleration()
  // Chromium's files of the desktop app have one writer.
  app.setPath('userData', join(app.getPath('userData'), 'mcp'))
  if (platform === 'darwin') setTimeout(passEventsToApp, startMs).unref()
  // No await: Electron must initialise in parallel.
  void import('./app/cli/cli.ts')
    .catch((error: unknown) => {
      process.stderr.write(`commonplace: ${String(error)}\n`)
      process.exitCode = 1
    })
    .finally(() => app.exit(Number(process.exitCode ?? 0)))
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
    spawn('open', ['-n', '-a', bundle, '--args', ...targets], { stdio: 'ignore' })
  }
  app.on('activate', (event) => open(event))
  app.on('open-url', open)
  app.on('open-file', open)
}
