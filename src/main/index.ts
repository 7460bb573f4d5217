import { app } from 'electron'

if (process.argv[app.isPackaged ? 1 : 2] === 'mcp') {
  app.dock?.hide()
  // No await: Electron must initialise in parallel.
  void import('./app/cli/cli.ts').finally(() => app.exit(Number(process.exitCode ?? 0)))
} else {
  const { startDesktop } = await import('./app/electron/desktop.ts')
  // No await: Electron is ready only after this module has run, and the start waits until Electron is ready.
  void startDesktop(new URL('./', import.meta.url))
}
