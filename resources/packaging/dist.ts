/**
 * Builds the packages of this system into `dist/`: `npm run dist`. With `-- --dir`, leaves them unpacked for
 * inspection. If Electron's runtime cannot be downloaded, prints a message and validates the configuration instead.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'electron-builder'
import config from './builder.config.ts'
import { collectLicences, noticesText } from './licences.ts'
import { findProblems } from './dry-check.ts'
import { bundle } from './mcpb.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const windows = process.platform === 'win32'
const probeMs = 8000

run('npm', ['run', 'build'])
writeFileSync(new URL('../../out/LICENCES.txt', import.meta.url), noticesText(collectLicences()))
const problems = findProblems()
if (problems.length > 0) {
  for (const problem of problems) process.stderr.write(`dist: ${problem}\n`)
  process.exit(1)
}
process.stdout.write('dist: the packaging configuration is valid\n')
mkdirSync(new URL('dist/', pathToFileURL(root)), { recursive: true })
writeFileSync(new URL('dist/commonplace.mcpb', pathToFileURL(root)), bundle())
process.stdout.write('dist: created commonplace.mcpb\n')
if (!(await hasRuntime())) {
  process.stdout.write("dist: skipped: Electron's runtime cannot be downloaded (github.com is unreachable)\n")
  process.exit(0)
}
await build({ config, projectDir: root, dir: process.argv.includes('--dir') })

function run(command: string, args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: windows })
  if (status !== 0) process.exit(status ?? 1)
}

/** Returns true if Electron's runtime is installed or can be downloaded. */
function hasRuntime(): Promise<boolean> {
  const own = process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? process.env['electron_config_cache']
  if (own !== undefined && existsSync(own)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const request = get('https://github.com/electron/electron/releases', { timeout: probeMs }, (response) => {
      response.resume()
      resolve((response.statusCode ?? 500) < 400)
    })
    request.on('timeout', () => request.destroy(new Error('late')))
    request.on('error', () => resolve(false))
  })
}
