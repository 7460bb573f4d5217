/**
 * Installs the browser of the tests and sets CHROMIUM_PATH for the following steps. Chromium's headless shell needs
 * half the time of the Chrome on the runners. The workflow caches the folder in PLAYWRIGHT_BROWSERS_PATH.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isMain, run } from './run.mjs'

/**
 * @param {string} folder
 * @returns {string | undefined} the path of the newest headless shell in a folder of playwright
 */
export function findShell(folder) {
  const number = (/** @type {string} */ path) => Number(/chromium_headless_shell-(\d+)/.exec(path)?.[1])
  return globSync('chromium_headless_shell-*/*/{headless_shell,chrome-headless-shell}{,.exe}', { cwd: folder })
    .toSorted((one, other) => number(other) - number(one))
    .map((path) => join(folder, path))[0]
}

if (isMain(import.meta))
  run(() => {
    const folder = resolve(process.env.PLAYWRIGHT_BROWSERS_PATH ?? '')
    const cli = 'node_modules/playwright-core/cli.js'
    const { status } = spawnSync(process.execPath, [cli, 'install', '--only-shell', 'chromium'], { stdio: 'inherit' })
    const path = status === 0 ? findShell(folder) : undefined
    if (path === undefined) throw new Error(`playwright installed no headless shell in ${folder}`)
    process.stdout.write(`${path}\n`)
    if (process.env.GITHUB_ENV) appendFileSync(process.env.GITHUB_ENV, `CHROMIUM_PATH=${path}\n`)
  })
