/** Starts a packed app without Electron: its archive, unpacked, runs under plain Node and serves the browser host. */
import { extractAll } from '@electron/asar'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { keptPackages } from './shipped-packages.ts'

const run = promisify(execFile)
const note = 'The packed app remembers this line'

/**
 * Serves a request, stores a note through the running app, and finds it.
 * @param archive the path of app.asar, packed for this machine
 * @throws Error if a step fails
 */
export async function tryApp(archive: string): Promise<void> {
  // Outside the project, so that no package of the project is found.
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-packed-'))
  const app = join(folder, 'app')
  extractAll(archive, app)
  const { resolve } = createRequire(join(app, 'package.json'))
  for (const name of keptPackages) resolve(name)
  // Without this home, the app would open the notes of the person who builds.
  const environment = { PATH: process.env['PATH'], HOME: folder, USERPROFILE: folder }
  const command = (...args: string[]) => [join(app, 'out/main/cli/index.js'), ...args, '--home', join(folder, 'home')]
  const server = spawn(process.execPath, command('serve', '--no-open', '--port', '0', '--json'), {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const lines = createInterface({ input: server.stdout })
    const ended = once(server, 'exit').then(([code]) => [`{"error":"it ended with ${code}"}`])
    const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
    const { url, error } = JSON.parse(line) as { url?: string; error?: string }
    if (url === undefined) throw new Error(`the packed app does not start: ${error}`)
    const signIn = await fetch(url, { redirect: 'manual' })
    const cookie = signIn.headers.getSetCookie().map((value) => value.split(';')[0])
    const response = await fetch(new URL('/', url), { headers: { cookie: cookie.join('; ') } })
    const page = await response.text()
    if (!response.ok || !page.includes('<div id="root">')) throw new Error(`the packed app answers ${response.status}`)
    await run(process.execPath, command('remember', note), { env: environment })
    const memory = join(folder, 'commonplace/memory')
    const isStored = readdirSync(memory).some((name) => readFileSync(join(memory, name), 'utf8').includes(note))
    if (!isStored) throw new Error('the packed app does not store a note')
    const { stdout } = await run(process.execPath, command('search', 'remembers'), { env: environment })
    if (!stdout.includes(note)) throw new Error('the packed app does not find a note')
  } finally {
    const ended = server.exitCode === null ? once(server, 'exit') : undefined
    server.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}
