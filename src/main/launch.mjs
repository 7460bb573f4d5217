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
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
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
/** Limit for an install from the cache when no download server answers, ms. */
const cacheMs = 20_000
/** A runtime that crashes within this time could not start, ms. */
const startMs = 5000
const crashSignals = new Set(['SIGABRT', 'SIGBUS', 'SIGILL', 'SIGSEGV', 'SIGTRAP'])
const withoutSandbox = '--no-sandbox'
const vite = join(root, 'node_modules/electron-vite/bin/electron-vite.js')
const cli = join(root, 'out/main/cli/index.js')
/** Starts a server. The limit of V8's heap for new objects (MB) saves 40 MB in a large import. */
const server = ['--max-semi-space-size=4', cli]

/** Settings of glibc, see `run`. */
const memoryLimits = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '65536' }

// Electron would run as Node.
delete process.env.ELECTRON_RUN_AS_NODE
const [command, ...rest] = process.argv.slice(2)
const node = findNode()
if (command === 'start') await start(rest)
else if (command === 'dev') await develop(rest)
else {
  buildOnce()
  const isServer = command === 'serve' || command === 'mcp'
  process.exitCode = codeOf(await run(node, [...(isServer ? server : [cli]), ...process.argv.slice(2)], true))
}

async function start(given) {
  const args = given.filter((argument) => argument !== '--demo')
  const runtime = await findRuntime()
  buildOnce()
  if (args.length < given.length && !openDemo()) return
  const isAsked = !process.stdin.isTTY || existsSync(join(homedir(), '.commonplace/bin/asked'))
  if (!isAsked && process.env.COMMONPLACE_HOME === undefined) await run(node, [cli, 'install', '--once'])
  let { reason } = runtime
  if (runtime.path) {
    const startedAt = performance.now()
    const end = await run(runtime.path, [root, ...args])
    if (!crashSignals.has(end) || performance.now() - startedAt > startMs) {
      process.exitCode = codeOf(end)
      return
    }
    reason = `${end} ended the runtime at its start`
  }
  process.stderr.write(
    `commonplace: cannot open the desktop window (${reason}); opening the browser interface instead.\n`,
  )
  const served = args.filter((argument) => argument !== withoutSandbox)
  process.exitCode = codeOf(await run(node, [...server, 'serve', ...served], true))
}

/** Opens the desktop app and reloads it when sources change. */
async function develop(args) {
  const { path, reason } = await findRuntime()
  if (!path) {
    process.stderr.write(`commonplace: cannot open the desktop window (${reason}); "npm start" opens a browser.\n`)
    process.exitCode = 1
    return
  }
  process.env.ELECTRON_EXEC_PATH = path
  if (args.includes(withoutSandbox)) process.env.NO_SANDBOX = '1'
  const options = args.filter((argument) => argument !== withoutSandbox)
  process.exitCode = codeOf(await run(node, [vite, 'dev', ...options]))
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
  if (!existsSync(vite)) {
    if (existsSync(cli)) return
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
 * Returns the path of the Electron runtime (override, installed or download), or the reason why there is none.
 */
async function findRuntime() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return { reason: 'this machine has no display' }
  const named = process.env.ELECTRON_OVERRIDE_DIST_PATH
  const candidates = [named && join(named, executable()), installed()]
  const found = candidates.find((path) => path && isExecutable(path))
  if (found) return withSandbox(found)
  if (!existsSync(join(root, 'node_modules/electron/install.js')))
    return { reason: "Electron's package is not installed" }
  const canDownload = await isReachable()
  if (!canDownload && !existsSync(cacheFolder()))
    return { reason: "Electron's runtime is not on this machine and cannot be downloaded" }
  process.stderr.write("commonplace: installing Electron's runtime (once) …\n")
  const status = await run(node, [join(root, 'node_modules/electron/install.js')], false, canDownload ? 0 : cacheMs)
  const fetched = installed()
  return status === 0 && fetched ? withSandbox(fetched) : { reason: "installing Electron's runtime failed" }
}

/** Folder in which `install.js` keeps its downloads, see `@electron/get`. */
function cacheFolder() {
  const { electron_config_cache: named, XDG_CACHE_HOME: cache, LOCALAPPDATA: local } = process.env
  if (named) return named
  if (windows) return join(local ?? join(homedir(), 'AppData', 'Local'), 'electron', 'Cache')
  return process.platform === 'darwin'
    ? join(homedir(), 'Library/Caches/electron')
    : join(cache ?? join(homedir(), '.cache'), 'electron')
}

/**
 * Linux: Chromium ends with an error if it can have no sandbox: with the helper `chrome-sandbox` (owner root, mode
 * 4755), or in a user namespace, which Ubuntu 23.10 and later forbid. It refuses to run as root.
 */
function withSandbox(path) {
  if (process.platform !== 'linux' || process.argv.includes(withoutSandbox)) return { path }
  if (process.getuid() === 0) return { reason: 'Electron does not run as root' }
  const helper = join(dirname(realpathSync(path)), 'chrome-sandbox')
  const info = statSync(helper, { throwIfNoEntry: false })
  if (info?.uid === 0 && (info.mode & 0o4111) === 0o4111) return { path }
  const namespace = spawnSync('unshare', ['-Ur', 'true'])
  // A system without this program has no restriction, either.
  if (namespace.error || namespace.status === 0) return { path }
  const repair = `sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`
  return { reason: `this system forbids the sandbox of Electron; to allow it: ${repair}` }
}

function executable() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron'
  return windows ? 'electron.exe' : 'electron'
}

/** `install.js` writes path.txt when it has unpacked everything. */
function installed() {
  const folder = join(root, 'node_modules/electron')
  const path = join(folder, 'dist', executable())
  return existsSync(path) && existsSync(join(folder, 'path.txt')) ? path : undefined
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** A proxy is not asked: `install.js` uses it. */
async function isReachable() {
  const { ELECTRON_MIRROR, npm_config_electron_mirror: configured, HTTPS_PROXY, https_proxy: proxy } = process.env
  if (HTTPS_PROXY ?? proxy) return true
  const options = { method: 'HEAD', signal: AbortSignal.timeout(probeMs) }
  const answer = await fetch(ELECTRON_MIRROR ?? configured ?? runtimeSource, options).catch(() => undefined)
  return answer !== undefined && answer.status < 500
}

/** @param end exit code or name of a signal */
function codeOf(end) {
  return typeof end === 'number' ? end : 1
}

/**
 * Runs a program and forwards signals to it. Two malloc arenas instead of glibc's eight per core save 60 MB of memory
 * after the first index (240 MB instead of 300); fixed thresholds for giving memory back save 7 MB at rest.
 * @param isOurs opens an IPC channel, so that the child notices the death of this process (kill -9)
 * @param timeout ms; 0 for none
 * @returns the exit code or the name of a signal
 */
function run(file, args, isOurs = false, timeout = 0) {
  return new Promise((resolve) => {
    const env = { ...memoryLimits, ...process.env }
    const child = spawn(file, args, {
      stdio: isOurs ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
      cwd: process.cwd(),
      env,
      timeout,
    })
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
    child.on('error', (error) => {
      process.stderr.write(`commonplace: ${error.message}\n`)
      resolve(1)
    })
    child.on('exit', (code, signal) => resolve(code ?? signal))
  })
}
