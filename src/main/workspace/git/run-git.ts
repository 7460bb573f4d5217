/**
 * Runs the installed Git read-only on an untrusted repository. The repository's configuration cannot start programs
 * (hooks, file monitors, filters, external diffs, signature checks), nothing is written or fetched, and only a few
 * environment variables are passed on.
 */
import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { isSystemError } from '#shared/util/errors.ts'

/** `code` if Git is not installed. */
export const notInstalled = 127
const maxOutputBytes = 64 * 1024 * 1024
const timeoutMs = 60_000

const settings = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'log.mailmap=false', 'diff.renames=true']
const settingArgs = settings.flatMap((setting) => ['-c', setting])
const globalArgs = ['--no-pager', '--no-optional-locks', '--literal-pathspecs', ...settingArgs]

/** Variables for Git itself, and for the user's configuration, which contains `safe.directory`. */
const passedVariables = ['PATH', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'SYSTEMROOT', 'TEMP', 'TMP']

export interface GitResult {
  readonly code: number
  readonly output: Buffer
  readonly message: string
}

/**
 * @param folder absolute path for `git -C`
 * @returns `code` is -1 if Git was killed or its output was too large
 * @throws the signal's reason
 */
export function runGit(folder: string, args: readonly string[], signal?: AbortSignal): Promise<GitResult> {
  const options = {
    // Windows searches programs in the current folder first, which must not be the repository.
    cwd: homedir(),
    env: {
      ...Object.fromEntries(passedVariables.map((name) => [name, process.env[name]])),
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      // No protocol is allowed, so missing objects are not fetched.
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_ATTR_NOSYSTEM: '1',
    },
    encoding: 'buffer',
    maxBuffer: maxOutputBytes,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
    ...(signal ? { signal } : {}),
  } as const
  return new Promise((resolve, reject) => {
    execFile('git', [...globalArgs, '-C', folder, ...args], options, (error, output, stderr) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const failureCode = typeof error?.code === 'number' ? error.code : -1
      const code = isSystemError(error, 'ENOENT', 'EACCES') ? notInstalled : error ? failureCode : 0
      resolve({ code, output, message: stderr.toString('utf8').trim() || (error?.message ?? '') })
    })
  })
}
