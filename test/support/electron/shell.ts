/** Runs the shell of the app on the stand-in. A test mocks `electron` with `electron` of this file. */
import { onTestFinished, vi } from 'vitest'
import { loadHostTexts } from '../../../src/main/app/texts.ts'
import { temporaryFolder, writeFiles } from '../folder.ts'
import { AppRun } from './modules.ts'
import type { Platform, RunOptions } from './run.ts'

const real = { platform: process.platform, argv: process.argv }
let current = new AppRun({ platform: 'linux' })

/** The `electron` module of the run that started last. */
export const electron = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.keys(current.electron).map((name) => [
      name,
      { enumerable: true, get: () => current.electron[name as keyof AppRun['electron']] },
    ]),
  ),
) as AppRun['electron']

export function pretend(platform: NodeJS.Platform): void {
  Object.defineProperty(process, 'platform', { value: platform })
}

function begin(options: RunOptions): AppRun {
  current = new AppRun(options)
  pretend(options.platform)
  process.argv = current.argv
  onTestFinished(() => {
    pretend(real.platform)
    process.argv = real.argv
  })
  return current
}

/** A ready app without code, for tests of one part of the shell. */
export async function emptyApp(options: Partial<RunOptions> = {}): Promise<AppRun> {
  // The start of the app loads them.
  await loadHostTexts('', ['en'])
  const run = begin({ platform: process.platform as Platform, ...options })
  await run.start(() => undefined)
  await run.settled()
  return run
}

/** A start of the code in `index.ts`: the query makes each start run the file again. */
let starts = 0

/** Starts the whole shell with its own home, until its windows are there. The app ends with the test. */
export async function startShell(
  options: RunOptions,
  config = '',
  whileStarting: (run: AppRun) => void = () => undefined,
): Promise<AppRun> {
  const folder = await temporaryFolder()
  if (config !== '') await writeFiles(folder, { 'config.yaml': config })
  vi.stubEnv('COMMONPLACE_HOME', folder)
  const run = begin({ folder, ...options })
  onTestFinished(() => endApp(run))
  starts += 1
  await run.start(() => import(/* @vite-ignore */ `../../../src/main/index.ts?start=${starts}`))
  whileStarting(run)
  await vi.waitUntil(() => run.electron.state.trays.length > 0 || run.hasEnded, { timeout: 10_000 })
  await run.settled()
  return run
}

/** The capture window always exists while the app runs. */
export function windowsOf({ windows }: AppRun) {
  const capture = windows.find(({ options }) => options['skipTaskbar'] === true)
  if (capture === undefined) throw new Error('there is no capture window')
  return { capture, main: windows.find((window) => window !== capture) }
}

/** Opens the menu of the tray icon as on macOS and Windows. Linux shows it itself. */
export function openTrayMenu({ electron: { state } }: AppRun) {
  const [tray] = state.trays
  tray?.emit('right-click')
  if (tray?.menu === undefined) throw new Error('there is no menu of a tray icon')
  return tray.menu
}

export async function ended(run: AppRun): Promise<void> {
  await vi.waitUntil(() => run.hasEnded, { timeout: 5000 })
}

/** Ends the app, even if a window prevents its close. */
async function endApp(run: AppRun): Promise<void> {
  for (const window of run.windows.slice()) {
    window.removeAllListeners('close')
    window.webContents.page.beforeUnload = undefined
  }
  if (!run.hasEnded) run.app.quit()
  await ended(run)
}
