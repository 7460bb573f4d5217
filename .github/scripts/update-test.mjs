/**
 * Tests an update: `node update-test.mjs OLD NEW`. OLD and NEW are results of two builds. Installs the old app, serves
 * the new one on this machine, starts the old app, accepts the update and checks that the new app runs with the same
 * notes. The packages are not changed: Chromium's debugging port drives their window.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { parse, stringify } from 'yaml'
import { isMain, run } from './run.mjs'

/** Time limits, ms. */
const startLimit = 90_000
const installLimit = 180_000

/**
 * A generic update server, as electron-updater expects: files by name, whole or one range.
 * @param {string} folder
 * @returns {Promise<{ url: string, requests: string[], close: () => void }>}
 */
export async function serveUpdates(folder) {
  /** @type {string[]} */
  const requests = []
  const server = createServer((request, response) => {
    const name = basename(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname))
    requests.push(name)
    const bytes = name === '' ? undefined : read(join(folder, name))
    if (bytes === undefined) return void response.writeHead(404).end()
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    if (from === undefined || to === undefined)
      return void response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    const part = bytes.subarray(Number(from), Number(to) + 1)
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`
    response.writeHead(206, { 'content-range': range, 'content-length': part.length }).end(part)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, requests, close }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/**
 * @param {string} dist
 * @returns {string} the version that a build describes to the updater
 */
export function versionOf(dist, platform = process.platform) {
  const name = platform === 'linux' ? 'latest-linux.yml' : platform === 'darwin' ? 'latest-mac.yml' : 'latest.yml'
  return parse(readFileSync(join(dist, name), 'utf8')).version
}

/**
 * Installs a package for this user. @returns the program
 * @param {string} dist
 */
function install(dist) {
  if (process.platform === 'linux') {
    // Without a version in its name, an AppImage keeps its path over an update.
    const program = join(mkdtempSync(join(tmpdir(), 'installed-')), 'Commonplace.AppImage')
    copyFileSync(only('*.AppImage', dist), program)
    chmodSync(program, 0o755)
    return program
  }
  if (process.platform !== 'win32') throw new Error(`updates are not tested on ${process.platform}`)
  const { path } = parse(readFileSync(join(dist, 'latest.yml'), 'utf8'))
  const { status } = spawnSync(join(dist, path), ['/S'], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`the installer ended with ${status}`)
  return only('{commonplace,Commonplace}/Commonplace.exe', join(process.env.LOCALAPPDATA ?? '', 'Programs'))
}

/**
 * @param {string} pattern
 * @param {string} folder
 */
function only(pattern, folder) {
  const found = [...new Set(globSync(pattern, { cwd: folder }).map((path) => path.toLowerCase()))]
  if (found.length !== 1) throw new Error(`expected one ${pattern} in ${folder}, found ${found.join(', ') || 'none'}`)
  return join(folder, globSync(pattern, { cwd: folder })[0] ?? '')
}

/**
 * Starts the app and attaches to its main window.
 * @param {string} program
 * @param {string} home
 */
async function start(program, home) {
  const port = 9222
  const child = spawn(program, [`--remote-debugging-port=${port}`], {
    stdio: 'inherit',
    detached: true,
    env: { ...process.env, COMMONPLACE_HOME: home },
  })
  // During an installation the program may be missing; the window then does not open.
  child.on('error', (error) => process.stdout.write(`${error.message}\n`))
  child.unref()
  return within(startLimit, 'the window did not open', async () => {
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`).catch(() => undefined)
    const page = browser
      ?.contexts()
      .flatMap((context) => context.pages())
      .find((page) => page.url().startsWith('app:') && !page.url().endsWith('/capture'))
    page?.setDefaultTimeout(startLimit)
    if (browser && page) return { browser, page }
    await browser?.close()
    return undefined
  })
}

/**
 * @template T
 * @param {number} ms
 * @param {string} complaint
 * @param {() => Promise<T | undefined> | T | undefined} attempt
 * @returns {Promise<T>}
 */
export async function within(ms, complaint, attempt) {
  const end = Date.now() + ms
  while (Date.now() < end) {
    const result = await attempt()
    if (result !== undefined) return result
    await sleep(Math.min(500, ms / 10))
  }
  throw new Error(`${complaint} within ${ms / 1000} s`)
}

/**
 * Opens a view without loading the page again, which the app forbids.
 * @param {import('playwright-core').Page} page
 * @param {string} place
 */
export function visit(page, place) {
  return page.evaluate((to) => globalThis.history.pushState(null, '', to), place)
}

/** @param {import('playwright-core').Page} page */
export async function shownVersion(page) {
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await visit(page, '/settings#about')
  const text = await page.getByText(/^Version \d+\.\d+\.\d+/).innerText()
  return text.replace('Version ', '').trim()
}

/** Ends every process of the app; they no longer belong to this one after an update. @returns true if there was one */
function endApp() {
  const [command, ...args] =
    process.platform === 'win32' ? ['taskkill', '/F', '/T', '/IM', 'Commonplace.exe'] : ['pkill', '-x', 'commonplace']
  return spawnSync(command ?? '', args).status === 0
}

if (isMain(import.meta))
  run(async () => {
    const [oldDist = '', newDist = ''] = process.argv.slice(2)
    const [from, to] = [versionOf(oldDist), versionOf(newDist)]
    const folder = mkdtempSync(join(tmpdir(), 'update-test-'))
    // The app refuses notes inside its own folder.
    const [home, notes] = [join(folder, 'home'), join(folder, 'notes')]
    for (const place of [home, notes]) mkdirSync(place)
    writeFileSync(join(notes, 'MEMORY.md'), '- The mascot of Acme is a walrus\n')
    const updates = await serveUpdates(newDist)
    const config = { agents: { list: [{ id: 'main', workspace: notes }] }, updates: { feed: updates.url } }
    writeFileSync(join(home, 'config.yaml'), stringify(config))
    const program = install(oldDist)

    const old = await start(program, home)
    const before = await shownVersion(old.page)
    if (before !== from) throw new Error(`started ${before} instead of ${from}`)
    await old.page.getByRole('button', { name: /^Download/ }).click({ timeout: startLimit })
    await old.page.getByRole('button', { name: 'Restart and install' }).click({ timeout: installLimit })
    await within(installLimit, `${from} did not end`, () => (old.browser.isConnected() ? undefined : true))
    process.stdout.write(`${from} fetched ${[...new Set(updates.requests)].join(', ')}\n`)

    // The old app starts the new one, without a debugging port. It ends, and starts again with one.
    await within(installLimit, `${from} did not start ${to}`, () => endApp() || undefined)
    const updated = await within(installLimit, `${to} did not start`, async () => {
      const app = await start(program, home).catch(() => undefined)
      if (app && (await shownVersion(app.page)) === to) return app
      endApp()
      return undefined
    })
    await visit(updated.page, '/file/MEMORY.md')
    await updated.page.getByText('walrus').first().waitFor()
    await updated.browser.close()
    endApp()
    updates.close()
    process.stdout.write(`${from} updated to ${to}\n`)
  })
