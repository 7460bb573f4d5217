/**
 * Runs the system's Git on a repository of somebody's, to look at and nothing else: whatever its configuration names to
 * be run (hooks, a monitor of files, filters, programs that compare, verify or fetch) is not run, nothing is written, no
 * network is asked, and nothing of this process's own environment leads Git elsewhere.
 */
import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { isSystemError } from '#shared/util/errors.ts'

/** Of one answer, bytes. */
const maxBytes = 64 * 1024 * 1024
/** A history that takes longer is on a disk that does not answer, ms. */
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

export interface GitAnswer {
  readonly code: number
  readonly output: Buffer
  /** What it said of a failure, in English. */
  readonly message: string
}

/** @param folder where it is run for, absolute @returns undefined where there is no Git @throws the signal's reason */
export function runGit(
  folder: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<GitAnswer | undefined> {
  const options = {
    // Windows looks for programs in the folder that they are started in first.
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

/** Where Git is found, and what it knows of the user; `safe.directory` stands in the user's configuration. */
function environment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'Path', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'SYSTEMROOT', 'SystemRoot', 'TEMP', 'TMP']
  const kept = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return {
    ...(Object.fromEntries(kept) as NodeJS.ProcessEnv),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // A list of what may be used to fetch missing objects, with nothing on it.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_ATTR_NOSYSTEM: '1',
  }
}
