/**
 * Runs the installed Git read-only on an untrusted repository. The repository's configuration cannot start programs
 * (hooks, file monitors, filters, external diffs, signature checks), nothing is written or fetched, and only a few
 * environment variables are passed on.
 */
import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { isSystemError } from '#shared/util/errors.ts'

const maxOutputBytes = 64 * 1024 * 1024
const timeoutMs = 60_000

const settingArgs = [
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
].flatMap((setting) => ['-c', setting])

const globalArgs = ['--no-pager', '--no-optional-locks', '--literal-pathspecs', ...settingArgs]

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
export function runGit(folder: string, args: readonly string[], signal?: AbortSignal): Promise<GitResult | undefined> {
  const options = {
    // Windows searches programs in the current folder first, which must not be the repository.
    cwd: homedir(),
    env: createEnvironment(),
    encoding: 'buffer',
    maxBuffer: maxOutputBytes,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
    ...(signal ? { signal } : {}),
  } as const
  return new Promise((resolve, reject) => {
    execFile('git', [...globalArgs, '-C', folder, ...args], options, (error, stdout, stderr) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      if (error && isSystemError(error, 'ENOENT', 'EACCES')) return resolve(undefined)
      const errorCode = typeof error?.code === 'number' ? error.code : -1
      const code = error ? errorCode : 0
      resolve({ code, output: stdout, message: stderr.toString('utf8').trim() || (error?.message ?? '') })
    })
  })
}

/** Returns the variables that Git needs to run and to find the user's configuration, for `safe.directory`. */
function createEnvironment(): NodeJS.ProcessEnv {
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
