import { app } from 'electron'

if (process.argv[app.isPackaged ? 1 : 2] === 'mcp') {
  app.dock?.hide()
  // No await: Electron must initialise in parallel.
  void import('./app/cli/cli.ts').finally(() => app.exit(Number(process.exitCode ?? 0)))
} else {
  const { startDesktop } = await import('./app/electron/desktop.ts')
  await startDesktop(new URL('./', import.meta.url))
}
