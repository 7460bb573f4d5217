import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Start-up files of a shell that take longer are not waited for, ms. */
const shellMs = 5000
const mark = '--- commonplace ---'

/**
 * Adds the variables of the user's login shell, such as API keys, and takes its PATH: the Dock and desktops start apps
 * without them, and tool servers need them. A terminal has set them already (`SHLVL`, 0 in the script of an AppImage).
 * Does nothing on Windows, whose programs all have the user's variables.
 */
export async function readLoginShell(env: NodeJS.ProcessEnv): Promise<void> {
  const { SHELL: shell, SHLVL: level } = env
  if (process.platform === 'win32' || !shell || Number(level ?? 0) > 0) return
  // An interactive shell ignores SIGTERM, and also reads .bashrc and .zshrc. A prompt or a message can come before the variables.
  const command = promisify(execFile)(shell, ['-ilc', `echo '${mark}'; env`], {
    env,
    timeout: shellMs,
    killSignal: 'SIGKILL',
  })
  const { stdout } = await command.catch(() => ({ stdout: '' }))
  const [, text = ''] = stdout.split(`${mark}\n`)
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^([A-Za-z_]\w*)=(.*)$/.exec(line) ?? []
    // The state folder has been chosen already.
    if (name === undefined || name.startsWith('COMMONPLACE_')) continue
    if (name === 'PATH' || env[name] === undefined) env[name] = value
  }
}
