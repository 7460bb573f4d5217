/**
 * Runs the system's Git read-only on an untrusted repository. Its configuration cannot start programs (hooks, file
 * monitors, filters, external diffs, signature checks), nothing is written or fetched, and only a few environment
 * variables are passed on.
 */
import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { isSystemError } from '#shared/util/errors.ts'

const maxBytes = 64 * 1024 * 1024
const maxMs = 60_000

const settings = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.untrackedCache=false',
  'core.quotePath=false',
  'log.showSignature=false',
  'log.mailmap=false',
  'diff.external=',
  'diff.renames=true',
  'gc.auto=0',
  'maintenance.auto=false',
]

const before = ['--no-pager', '--no-optional-locks', '--literal-pathspecs', ...settings.flatMap((one) => ['-c', one])]

export interface GitResult {
  readonly code: number
  readonly output: Buffer
  readonly message: string
}

/**
 * @param folder absolute path for `git -C`
 * @returns undefined if Git is not installed; `code` is -1 if Git was killed or its output was too large
 * @throws the signal's reason
 */
export function runGit(
  folder: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<GitResult | undefined> {
  const options = {
    // On Windows, programs are searched in the current folder first.
    cwd: homedir(),
    env: environment(),
    encoding: 'buffer',
    maxBuffer: maxBytes,
    timeout: maxMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
    ...(signal ? { signal } : {}),
  } as const
  return new Promise((resolve, reject) => {
    execFile('git', [...before, '-C', folder, ...args], options, (error, stdout, stderr) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      if (error && isSystemError(error, 'ENOENT', 'EACCES')) return resolve(undefined)
      const code = !error ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, output: stdout, message: stderr.toString('utf8').trim() || (error?.message ?? '') })
    })
  })
}

/** Passes on what Git needs to run and to find the user's configuration, which contains `safe.directory`. */
function environment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'Path', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'SYSTEMROOT', 'SystemRoot', 'TEMP', 'TMP']
  const passedEntries = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return {
    ...(Object.fromEntries(passedEntries) as NodeJS.ProcessEnv),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // No protocol is allowed, so missing objects are not fetched.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_ATTR_NOSYSTEM: '1',
  }
}
