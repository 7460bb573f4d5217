/**
 * Starts the installed app as `Commonplace mcp` and forwards stdin and stdout. The memory is always opened by the
 * installed version of the app.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const name = 'Commonplace'
const home = homedir()
const places = {
  darwin: [`/Applications/${name}.app`, join(home, 'Applications', `${name}.app`)].map((app) =>
    join(app, 'Contents/MacOS', name),
  ),
  win32: [
    process.env.LOCALAPPDATA ?? join(home, 'AppData/Local'),
    process.env.ProgramFiles ?? 'C:/Program Files',
  ].flatMap((folder) => [join(folder, 'Programs', name, `${name}.exe`), join(folder, name, `${name}.exe`)]),
  linux: [`/opt/${name}/commonplace`, '/usr/bin/commonplace', join(home, '.local/bin/commonplace')],
}

const named = process.env.COMMONPLACE_APP
const app = [named, ...(places[process.platform] ?? [])].find((path) => path && existsSync(path))
if (app) {
  const headless = process.platform === 'linux' ? ['--ozone-platform=headless'] : []
  const child = spawn(app, [...headless, 'mcp', ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => end(error.message))
  child.on('exit', (code) => process.exit(code ?? 1))
} else end(`${name} is not installed here; install it, or say in the settings of this extension where it is.`)

function end(reason) {
  process.stderr.write(`commonplace: ${reason}\n`)
  process.exit(1)
}
