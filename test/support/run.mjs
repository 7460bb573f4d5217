/**
 * Runs all or some of the tests with the project's own Node, also if another version starts this script: `npm test [--
 * --project unit …]`. Installs a browser first if the tests need one.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getBrowser, needsBrowser, nothingToBeHad, ownMeans } from './get-browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ownNode = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
const args = process.argv.slice(2)
/** Threads and commands of the tests start faster with the compile cache. */
const env = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), ...process.env }

/** Free bytes that the temporary files of a run need in memory. */
const temporaryBytes = 4e9

/** Returns a new folder for the temporary files of this run: in memory if there is room, where file access costs half. */
function temporaryFolder() {
  const memory = '/dev/shm'
  if (process.env.TMPDIR === undefined && existsSync(memory)) {
    const { bavail, bsize } = statfsSync(memory)
    const folder = mkdtempSync(join(memory, 'cp-tests-'))
    const script = join(folder, 'script')
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 })
    // Containers often forbid programs there.
    if (bavail * bsize > temporaryBytes && spawnSync(script).status === 0) return folder
    rmSync(folder, { recursive: true })
  }
  return mkdtempSync(join(tmpdir(), 'cp-tests-'))
}

const browser = needsBrowser(args) ? getBrowser(ownMeans()) : undefined
if (needsBrowser(args) && browser === undefined) {
  process.stderr.write(`${nothingToBeHad}\n`)
  process.exitCode = 1
} else {
  const folder = temporaryFolder()
  const { status } = spawnSync(
    existsSync(ownNode) ? ownNode : process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args],
    { stdio: 'inherit', env: { ...env, TMPDIR: folder, ...(browser === undefined ? {} : { CHROMIUM_PATH: browser }) } },
  )
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exitCode = status ?? 1
}
