/**
 * Tests a packaged app: `node test-package.mjs DIST`. DIST holds the unpacked app of this system. Reads the fuses of the
 * package, drives a copy with Playwright (a first start, a note, a quit, a second start that finds the note), and asks
 * the package for its tools as other programs do. Only the copy accepts the arguments of a debugger, which Playwright
 * needs. `node test-package.mjs --installed PROGRAM` asks an installed program for its tools.
 */
import { FuseV1Options, FuseVersion, flipFuses, getCurrentFuseWire } from '@electron/fuses'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { _electron } from 'playwright-core'
import { isMain, run } from './run.mjs'
import { within } from './update-test.mjs'

/** Time limits, ms. The first start of a new program is slow on a runner that scans it. */
const startLimit = 90_000
const quitLimit = 45_000

/**
 * @param {string} dist
 * @returns {{ folder: string, program: string }} what to copy, and the program in it
 */
export function findApp(dist, platform = process.platform) {
  const pattern =
    platform === 'darwin'
      ? 'mac*/Commonplace.app/Contents/MacOS/Commonplace'
      : platform === 'win32'
        ? 'win-unpacked/Commonplace.exe'
        : 'linux{,-arm64}-unpacked/commonplace'
  const found = globSync(pattern, { cwd: dist })
  if (found.length !== 1) throw new Error(`expected one ${pattern} in ${dist}, found ${found.length}`)
  const program = join(dist, found[0] ?? '')
  return { folder: platform === 'darwin' ? dirname(dirname(dirname(program))) : dirname(program), program }
}

/**
 * @param {string} program
 * @param {Readonly<Record<string, boolean>>} configured `electronFuses` of electron-builder
 * @throws Error if a fuse of the program is not as configured
 */
export async function checkFuses(program, configured) {
  /** @type {Record<string, unknown>} */
  const wire = { ...(await getCurrentFuseWire(program)) }
  for (const [name, on] of Object.entries(configured)) {
    const option =
      FuseV1Options[/** @type {keyof typeof FuseV1Options} */ (`${name[0]?.toUpperCase()}${name.slice(1)}`)]
    if (option === undefined) continue
    // The wire is a row of characters; `r` marks a fuse that Electron has removed.
    if (wire[option] !== (on ? '1' : '0').codePointAt(0))
      throw new Error(`the fuse ${name} of the package is not ${on ? 'on' : 'off'}`)
  }
}

/**
 * @param {{ folder: string, program: string }} app
 * @returns {Promise<string>} the program of a copy that Playwright can drive
 */
export async function drivableCopy({ folder, program }) {
  const place = join(mkdtempSync(join(tmpdir(), 'package-')), basename(folder))
  // Absolute links inside a macOS bundle would lead back to the original.
  cpSync(folder, place, { recursive: true, verbatimSymlinks: true })
  const copy = join(place, program.slice(folder.length))
  await flipFuses(copy, { version: FuseVersion.V1, [FuseV1Options.EnableNodeCliInspectArguments]: true })
  // The change broke the signature. Without the hardened runtime, the new one needs no entitlements.
  if (process.platform === 'darwin') check(spawnSync('codesign', ['--force', '--deep', '--sign', '-', place]))
  return copy
}

/** @param {import('node:child_process').SpawnSyncReturns<Buffer>} result */
function check({ status, stderr }) {
  if (status !== 0) throw new Error(`codesign ended with ${status}: ${stderr}`)
}

/**
 * Asks the program for the names of its tools over MCP.
 * @param {string} program
 * @param {string} home
 * @param {readonly string[]} [args]
 * @returns {Promise<string[]>}
 */
export async function toolsOf(program, home, args = ['mcp']) {
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, COMMONPLACE_HOME: home },
  })
  // A program that ends at once closes its input; the missing answer tells.
  child.stdin.on('error', () => undefined)
  const timer = setTimeout(() => child.kill(), startLimit)
  try {
    const send = (/** @type {object} */ message) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const clientInfo = { name: 'package-test', version: '1' }
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/list' })
    for await (const line of createInterface({ input: child.stdout })) {
      // On Windows, Electron begins with an empty line.
      if (line.trim() === '') continue
      const { id, result, error } = JSON.parse(line)
      if (id !== 2) continue
      if (error) throw new Error(`tools/list failed: ${error.message}`)
      return result.tools.map((/** @type {{ name: string }} */ tool) => tool.name)
    }
    throw new Error(`the package answered nothing over MCP within ${startLimit / 1000} s`)
  } finally {
    clearTimeout(timer)
    child.kill()
  }
}

/**
 * @param {import('playwright-core').Page} page of an app that has not been used
 * @param {string} notes folder for the notes, which does not exist yet
 */
export async function firstUse(page, notes) {
  await page.getByRole('textbox', { name: 'Folder for the memory' }).fill(notes)
  await page.getByRole('button', { name: 'Start' }).click()
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('Remember that we chose PostgreSQL for the database')
  await composer.press('Enter')
  await page.getByTestId('diff-card').waitFor()
  await page.getByTestId('answer').first().waitFor()
  const texts = globSync('memory/*.md', { cwd: notes }).map((path) => readFileSync(join(notes, path), 'utf8'))
  if (!texts.some((text) => text.includes('we chose PostgreSQL for the database')))
    throw new Error(`the note is not in ${notes}`)
}

/** @param {import('playwright-core').Page} page of an app that has been restarted */
export async function secondUse(page) {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('Which database did we choose?')
  await composer.press('Enter')
  await page.getByTestId('answer').last().getByText('PostgreSQL').first().waitFor()
  await page.getByTestId('answer').last().getByRole('link').last().waitFor()
}

/**
 * @param {string} executablePath
 * @param {string} home
 * @param {string} version of package.json
 * @param {(page: import('playwright-core').Page) => Promise<void>} use
 */
async function session(executablePath, home, version, use) {
  const env = /** @type {Record<string, string>} */ ({ ...process.env, COMMONPLACE_HOME: home })
  const app = await _electron.launch({ executablePath, env, timeout: startLimit })
  const child = app.process()
  try {
    const state = await app.evaluate(({ app }) => ({ version: app.getVersion(), isPackaged: app.isPackaged }))
    if (state.version !== version || !state.isPackaged) throw new Error(`started ${JSON.stringify(state)}`)
    // A window has no address of the app at first.
    const page = await within(startLimit, 'the window did not open', () => app.windows().find(isMainWindow))
    page.setDefaultTimeout(startLimit)
    await use(page)
    const ended = once(child, 'exit')
    await app.evaluate(({ app }) => app.quit()).catch(() => undefined)
    const [code] = await Promise.race([ended, late(quitLimit)])
    if (code !== 0) throw new Error(code === late ? 'the app did not quit' : `the app ended with ${code}`)
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL')
  }
}

/** @param {import('playwright-core').Page} page */
const isMainWindow = (page) => page.url().startsWith('app:') && !page.url().endsWith('/capture')

/**
 * @param {number} ms
 * @returns {Promise<unknown[]>} this function instead of an exit code
 */
function late(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms, [late]).unref())
}

/**
 * @param {string} program
 * @param {string} home
 */
async function checkTools(program, home) {
  // The entries of clients have the switch on Linux.
  for (const args of [['mcp'], ...(process.platform === 'linux' ? [['--ozone-platform=headless', 'mcp']] : [])]) {
    const tools = await toolsOf(program, home, args)
    if (!tools.includes('memory_search')) throw new Error(`the tools over MCP are ${tools.join(', ') || 'none'}`)
    process.stdout.write(`${basename(program)} ${args.join(' ')} offers ${tools.length} tools\n`)
  }
}

/** @param {string} dist */
async function testPackage(dist) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const packaging = /** @type {any} */ (await import('../../resources/packaging/builder.config.ts'))
  const config = packaging.builderConfig?.() ?? packaging.default
  const app = findApp(dist)
  await checkFuses(app.program, config.electronFuses)
  process.stdout.write('the fuses of the package are as configured\n')
  const folder = mkdtempSync(join(tmpdir(), 'package-test-'))
  // The app refuses notes inside its own folder.
  const [home, notes] = [join(folder, 'home'), join(folder, 'notes')]
  const copy = await drivableCopy(app)
  await session(copy, home, version, (page) => firstUse(page, notes))
  process.stdout.write('the app stored a note and quit\n')
  await session(copy, home, version, secondUse)
  process.stdout.write('the app found the note after a restart\n')
  await checkTools(app.program, home)
}

if (isMain(import.meta))
  run(() => {
    const [first = 'dist', program = ''] = process.argv.slice(2)
    if (first !== '--installed') return testPackage(first)
    return checkTools(program, mkdtempSync(join(tmpdir(), 'package-test-')))
  })
