/** Runs a scenario on the stand-in, or on Electron's own runtime where it is installed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Computer } from './computer.ts'
import type { Platform } from './host.ts'
import type { ElectronModule } from './module.ts'

/** The app of a scenario. Electron's runtime gets its text: it uses its arguments only. */
export type Program = (electron: ElectronModule, note: (text: string) => void) => unknown
/** Work inside the running app, with the same limit. */
export type Act = (electron: ElectronModule) => unknown

export interface Run {
  /** Events that the app has recorded. */
  notes(): string[]
  act(act: Act): Promise<void>
  /** The exit code, or undefined while the app runs. */
  exitCode(): number | undefined
  stop(): void
}

export interface Driver {
  name: string
  platform: Platform
  /** Why this driver cannot run here. */
  missing?: string
  start(program: Program, options?: { folder?: string; args?: string[] }): Promise<Run>
}

export function standIn(platform: Platform): Driver {
  const computers = new Map<string, Computer>()
  return {
    name: `the stand-in for ${platform}`,
    platform,
    async start(program, { folder, args = [] } = {}) {
      const key = folder ?? String(computers.size)
      const computer = computers.get(key) ?? new Computer({ platform })
      computers.set(key, computer)
      const notes: string[] = []
      const instance = computer.start((electron) => program(electron, (text) => void notes.push(text)), { args })
      await computer.settled()
      return {
        notes: () => notes,
        exitCode: () => instance.exitCode,
        stop: () => instance.kill(),
        async act(act) {
          await act(instance.electron)
          await computer.settled()
        },
      }
    },
  }
}

/** The file that Electron starts: it runs the program and then what the test sends. */
const bootstrap = `
const electron = require('electron')
const { appendFileSync, readFileSync } = require('node:fs')
const [programFile, notesFile, folder] = process.env.SCENARIO.split('|')
electron.app.setPath('userData', folder)
process.on('message', async ({ act }) => {
  let error
  try { await eval('(' + act + ')')(electron) } catch (thrown) { error = String(thrown) }
  process.send({ done: true, error })
})
eval('(' + readFileSync(programFile, 'utf8') + ')')(electron, (text) => appendFileSync(notesFile, text + '\\n'))
`

/** Time for windows, pages and processes of Electron to come to rest, in milliseconds. */
const restMs = 1500

export function runtime(): Driver {
  const found = runtimePath()
  const path = found ?? ''
  const platform = process.platform as Platform
  const driver: Driver = {
    name: 'Electron itself',
    platform,
    async start(program, { folder, args = [] } = {}) {
      const home = mkdtempSync(join(tmpdir(), 'electron-scenario-'))
      const main = join(home, 'main.cjs')
      const programFile = join(home, 'program.txt')
      const notesFile = join(home, 'notes.txt')
      writeFileSync(main, bootstrap)
      writeFileSync(programFile, String(program))
      writeFileSync(notesFile, '')
      const screen = platform === 'linux' && !process.env['DISPLAY'] ? ['--ozone-platform=headless'] : []
      const child = spawn(path, ['--no-sandbox', ...screen, main, ...args], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: { ...process.env, SCENARIO: [programFile, notesFile, folder ?? home].join('|') },
      })
      await rest(child)
      return {
        notes: () => readFileSync(notesFile, 'utf8').split('\n').filter(Boolean),
        exitCode: () => child.exitCode ?? undefined,
        async act(act) {
          await send(child, String(act))
          await rest(child)
        },
        stop: () => {
          child.kill('SIGKILL')
          rmSync(home, { recursive: true, force: true })
        },
      }
    },
  }
  if (found === undefined)
    driver.missing = 'no Electron runtime: set ELECTRON_OVERRIDE_DIST_PATH or install the package'
  return driver
}

/** The executable, by the rules of the index.js of the electron package, without its download. */
function runtimePath(): string | undefined {
  const package_ = fileURLToPath(new URL('../../../node_modules/electron/', import.meta.url))
  const pathFile = join(package_, 'path.txt')
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : 'electron'
  const path = join(process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(package_, 'dist'), name)
  return existsSync(path) ? path : undefined
}

async function rest(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, restMs)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

async function send(child: ChildProcess, act: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve())
    child.once('message', ({ error }: { error?: string }) =>
      error === undefined ? resolve() : reject(new Error(error)),
    )
    child.send({ act })
  })
}
