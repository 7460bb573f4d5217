/** Runs the shell of the app on the stand-in. A test mocks `electron` with `electron` of this file. */
import { onTestFinished, vi } from 'vitest'
import { loadHostTexts } from '../../../src/main/app/texts.ts'
import { temporaryFolder, writeFiles } from '../folder.ts'
import { Computer } from './computer.ts'
import type { ComputerOptions, Launch, Platform } from './host.ts'
import type { Instance, Main } from './instance.ts'
import type { ElectronModule } from './module.ts'
import { User } from './user.ts'
import type { BaseWindow } from './window.ts'

const real = { platform: process.platform, argv: process.argv }
let current: Instance | undefined

/** The `electron` module of the instance that started last. */
export const electron = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.keys(new Computer({ platform: 'linux' }).start(() => {}).electron).map((name) => [
      name,
      { enumerable: true, get: () => current?.electron[name as keyof ElectronModule] },
    ]),
  ),
) as ElectronModule

/** A start of the code in `index.ts`: the query makes each start run the file again. */
let starts = 0
export const shell: Main = async () => {
  starts += 1
  await import(/* @vite-ignore */ `../../../src/main/index.ts?start=${starts}`)
}

/** A second process, which finds the lock taken. */
export const lockOnly: Main = ({ app }) => void (app.requestSingleInstanceLock() || app.quit())

export function pretend(platform: NodeJS.Platform): void {
  Object.defineProperty(process, 'platform', { value: platform })
}

/** Makes the code of an instance see its module, system and arguments. */
export function inInstance(main: Main): Main {
  return (module, instance) => {
    const before = current
    current = instance
    pretend(instance.platform)
    process.argv = instance.argv
    // A second instance ends. The first one continues.
    instance.process.once('stopped', () => {
      if (current === instance && before?.exited === false) current = before
    })
    return main(module, instance)
  }
}

/** A ready app without code, for tests of one part of the shell. */
export async function emptyApp(options: Partial<ComputerOptions> = {}): Promise<Running> {
  onTestFinished(restoreProcess)
  // The start of the app loads them.
  await loadHostTexts('', ['en'])
  const computer = new Computer({ platform: process.platform as Platform, ...options })
  return running(
    computer,
    inInstance(() => {}),
  )
}

function restoreProcess(): void {
  pretend(real.platform)
  process.argv = real.argv
}

export interface Running {
  readonly computer: Computer
  readonly instance: Instance
  readonly user: User
}

async function running(computer: Computer, main: Main, launch?: Launch): Promise<Running> {
  const instance = computer.start(main, launch)
  await computer.settled()
  return { computer, instance, user: new User(computer) }
}

/** Starts the whole shell with its own home, until its windows are there. The app ends with the test. */
export async function startShell(
  platform: Platform,
  config = '',
  launch: Launch = {},
  whileStarting: (run: Running) => void = () => {},
): Promise<Running> {
  const home = await temporaryFolder()
  if (config !== '') await writeFiles(home, { 'config.yaml': config })
  vi.stubEnv('COMMONPLACE_HOME', home)
  const computer = new Computer({ platform, folders: { userData: home, appData: home } })
  const instance = computer.start(inInstance(shell), launch)
  onTestFinished(async () => {
    await endApp(instance)
    restoreProcess()
  })
  const run = { computer, instance, user: new User(computer) }
  // The code has run so far that it holds the lock, but has no window yet.
  await vi.waitUntil(() => computer.locks.size > 0, { timeout: 10_000, interval: 1 })
  whileStarting(run)
  await vi.waitUntil(() => run.instance.electron.trays.length > 0 || run.instance.exited, { timeout: 10_000 })
  await computer.settled()
  return run
}

/** The capture window always exists. */
export function windowsOf({ instance }: Pick<Running, 'instance'>): {
  capture: BaseWindow
  main: BaseWindow | undefined
} {
  const capture = instance.windows.find(({ options }) => options['skipTaskbar'] === true)
  if (capture === undefined) throw new Error('there is no capture window')
  return { capture, main: instance.windows.find((window) => window !== capture) }
}

export async function settled({ computer }: Running): Promise<void> {
  await computer.settled()
}

export async function ended({ instance }: Running): Promise<void> {
  await vi.waitUntil(() => instance.exited, { timeout: 5000 })
}

/** Ends the app, even if a window prevents its close. */
async function endApp(instance: Instance): Promise<void> {
  for (const window of instance.windows.slice()) {
    window.removeAllListeners('close')
    window.webContents.page.beforeUnload = undefined
  }
  if (!instance.exited) instance.app.quit()
  await vi.waitUntil(() => instance.exited, { timeout: 10_000 })
}
