/**
 * `npm test [-- --project unit …]`: runs the tests, all or those that are asked for, with the project's own Node, whatever
 * Node runs this; and sees to it first that there is a browser for those that need one.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getBrowser, needsBrowser, nothingToBeHad, ownMeans } from './get-browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ownNode = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
const args = process.argv.slice(2)
/** What is compiled once is kept: a third less time for the tests, each of which runs in a process of its own. */
const env = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), ...process.env }

const browser = needsBrowser(args) ? getBrowser(ownMeans()) : undefined
if (needsBrowser(args) && browser === undefined) {
  process.stderr.write(`${nothingToBeHad}\n`)
  process.exitCode = 1
} else {
  const { status } = spawnSync(
    existsSync(ownNode) ? ownNode : process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args],
    { stdio: 'inherit', env: browser === undefined ? env : { ...env, CHROMIUM_PATH: browser } },
  )
  process.exitCode = status ?? 1
}
