#!/usr/bin/env node
/**
 * Starts the app from a checkout with any Node: finds the project's own Node, builds if sources changed, then runs
 * `commonplace <command>` or, for `start`, the desktop app. Without an Electron runtime `start` opens the browser
 * interface.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:https'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { demoHome } from './demo.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const windows = process.platform === 'win32'
/** Exists while a build runs. A stale lock is broken after the timeout. */
const lockFolder = join(root, 'node_modules', '.commonplace-build')
const buildTimeoutMs = 90_000
/** Timeout for reaching the download server of the runtime, ms. */
const probeMs = 5000
const runtimeSource = 'https://github.com/electron/electron/releases'

const [command, ...rest] = process.argv.slice(2)
const node = findNode()
if (command === 'start') await start(rest)
else {
  buildOnce()
  process.exitCode = await run(node, [join(root, 'out/main/cli/index.js'), ...process.argv.slice(2)], true)
}

async function start(given) {
  const args = given.filter((argument) => argument !== '--demo')
  const runtime = await findRuntime()
  buildOnce()
  if (args.length < given.length && !openDemo()) return
  if (runtime.path) {
    process.exitCode = await run(runtime.path, [root, ...args])
    return
  }
  process.stderr.write(
    `commonplace: cannot open the desktop window (${runtime.reason}); opening the browser interface instead.\n`,
  )
  process.exitCode = await run(node, [join(root, 'out/main/cli/index.js'), 'serve', ...args], true)
}

/** Makes the demo at its first start, and makes the app open it. @returns false if that failed */
function openDemo() {
  try {
    process.env.COMMONPLACE_HOME = demoHome()
  } catch (error) {
    process.stderr.write(`commonplace: ${error.message}\n`)
    process.exitCode = 1
    return false
  }
  const script = join(root, 'src/main/demo.mjs')
  process.exitCode = spawnSync(node, [script, process.env.COMMONPLACE_HOME], { stdio: 'inherit' }).status ?? 1
  return process.exitCode === 0
}

/** Prefers the project's own Node. The app needs version 22 or later. */
function findNode() {
  const own = join(root, 'node_modules/node/bin', windows ? 'node.exe' : 'node')
  if (existsSync(own)) return own
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  process.stderr.write('commonplace: Node 22 or later is needed; run "npm ci" in the project first.\n')
  process.exit(1)
}

/** Builds if the sources differ from the last build. Unchanged sizes and times skip reading the sources. */
function buildOnce() {
  const stamp = join(root, 'out', '.sources')
  const paths = ['src', 'electron.vite.config.ts', 'package.json']
  const looks = fingerprint(paths, ({ mtimeMs, size }) => `${mtimeMs} ${size}`)
  const glance = join(root, 'out', '.glance')
  if (existsSync(stamp) && isText(glance, looks)) return
  const sources = fingerprint(paths, (_info, path) => readFileSync(path))
  if (isText(stamp, sources)) return note(glance, looks)
  const vite = join(root, 'node_modules/electron-vite/bin/electron-vite.js')
  if (!existsSync(vite)) {
    if (existsSync(join(root, 'out/main/cli/index.js'))) return
    process.stderr.write('commonplace: nothing is installed yet; run "npm ci" in the project first.\n')
    process.exit(1)
  }
  mkdirSync(join(root, 'out'), { recursive: true })
  if (!lock(stamp, sources)) return
  process.stderr.write('commonplace: building (once) …\n')
  const built = spawnSync(node, [vite, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (built.status === 0) {
    writeFileSync(stamp, sources)
    note(glance, looks)
  }
  rmSync(lockFolder, { recursive: true, force: true })
  if (built.status !== 0) process.exit(built.status ?? 1)
}

/** Takes the build lock. @returns false if another process has built these sources meanwhile */
function lock(stamp, sources) {
  for (const started = Date.now(); ;) {
    try {
      mkdirSync(lockFolder)
      return true
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const isStale = Date.now() - started > buildTimeoutMs
    if (isStale) rmSync(lockFolder, { recursive: true, force: true })
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    if (isText(stamp, sources) && !existsSync(lockFolder)) return false
  }
}

function isText(file, text) {
  return existsSync(file) && readFileSync(file, 'utf8') === text
}

/** Failure is harmless: the next start reads the sources again. */
function note(file, text) {
  try {
    writeFileSync(file, text)
  } catch {
    return
  }
}

/** Hashes all files below the paths. @param partOf the part of a file that counts */
function fingerprint(paths, partOf) {
  const hash = createHash('sha256')
  const visit = (path) => {
    const info = statSync(join(root, path))
    if (info.isDirectory()) for (const name of readdirSync(join(root, path)).sort()) visit(`${path}/${name}`)
    else hash.update(`${path}\0`).update(partOf(info, join(root, path)))
  }
  for (const path of paths) visit(path)
  return hash.digest('hex')
}

/**
 * Returns the path of the Electron runtime (override, installed, PATH or download), or the reason why there is none.
 */
async function findRuntime() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return { reason: 'this machine has no display' }
  const named = process.env.ELECTRON_OVERRIDE_DIST_PATH
  const candidates = [named && join(named, executable()), installed(), onPath('electron')]
  const found = candidates.find((path) => path && isExecutable(path))
  if (found) return { path: found }
  if (!existsSync(join(root, 'node_modules/electron/install.js')))
    return { reason: "Electron's package is not installed" }
  if (!(await isReachable())) return { reason: "Electron's runtime is not on this machine and cannot be downloaded" }
  process.stderr.write("commonplace: downloading Electron's runtime (once) …\n")
  const status = await run(node, [join(root, 'node_modules/electron/install.js')])
  const fetched = installed()
  return status === 0 && fetched ? { path: fetched } : { reason: "downloading Electron's runtime failed" }
}

function executable() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron'
  return windows ? 'electron.exe' : 'electron'
}

function installed() {
  const path = join(root, 'node_modules/electron/dist', executable())
  return existsSync(path) ? path : undefined
}

/** Skips npm's `electron` script, which would download the runtime silently. */
function onPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, windows ? `${name}.exe` : name)
    if (!folder.includes('node_modules') && isExecutable(path)) return path
  }
  return undefined
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function isReachable() {
  return new Promise((resolve) => {
    const request = get(runtimeSource, { method: 'HEAD', timeout: probeMs }, (response) => {
      response.resume()
      resolve((response.statusCode ?? 500) < 500)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
    setTimeout(() => request.destroy(), probeMs).unref()
  })
}

/**
 * Runs a program and forwards signals to it. Two malloc arenas instead of glibc's eight per core save 60 MB of memory
 * after the first index (240 MB instead of 300).
 * @param isOurs opens an IPC channel, so that the child notices the death of this process (kill -9)
 * @returns the exit code; 1 after a signal
 */
function run(file, args, isOurs = false) {
  return new Promise((resolve) => {
    const env = { MALLOC_ARENA_MAX: '2', ...process.env }
    const child = spawn(file, args, {
      stdio: isOurs ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
      cwd: process.cwd(),
      env,
    })
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
    child.on('error', (error) => {
      process.stderr.write(`commonplace: ${error.message}\n`)
      resolve(1)
    })
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)))
  })
}
