/**
 * Runs the installed Git read-only on an untrusted repository. The repository's configuration cannot start programs
 * (hooks, file monitors, filters, external diffs, signature checks), nothing is written or fetched, and only a few
 * environment variables are passed on.
 */
import { execFile, spawn, type ExecFileException } from 'node:child_process'
import { once } from 'node:events'
import { homedir } from 'node:os'
import type { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'

export const notInstalled = 127
const maxOutputBytes = 64 * 1024 * 1024

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

interface GitOptions {
  readonly signal?: AbortSignal | undefined
  readonly input?: Readable
  /** Milliseconds; 0: no limit. */
  readonly timeout?: number
}

/** @throws the signal's reason; errors of `input` */
export function runGit(
  folder: string,
  args: readonly string[],
  { signal, input, timeout = 60_000 }: GitOptions,
): Promise<GitResult> {
  const options = {
    ...processOptions(signal),
    encoding: 'buffer',
    maxBuffer: maxOutputBytes,
    timeout,
    killSignal: 'SIGKILL',
  } as const
  return new Promise((resolve, reject) => {
    let inputError: unknown
    const git = execFile('git', [...globalArgs, '-C', folder, ...args], options, (error, output, stderr) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      if (inputError instanceof Error) return reject(inputError)
      resolve({ code: exitCodeOf(error), output, message: stderr.toString('utf8').trim() || (error?.message ?? '') })
    })
    if (!input || !git.stdin) return
    pipeline(input, git.stdin).catch((error: unknown) => {
      // Git closes the pipe when it fails.
      if (isSystemError(error, 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE')) return
      inputError = error
      git.kill()
    })
  })
}

/** Returns -1 if Git was killed or its output was too large. */
function exitCodeOf(error: ExecFileException | null): number {
  if (!error) return 0
  if (isSystemError(error, 'ENOENT', 'EACCES')) return notInstalled
  return typeof error.code === 'number' ? error.code : -1
}

/** Runs Git without a time limit. @returns its output @throws AppError `git_failed`; as `runGit` */
export async function gitOutput(folder: string, args: readonly string[], options: GitOptions): Promise<string> {
  const result = await runGit(folder, args, { ...options, timeout: 0 })
  if (result.code !== 0) throw gitFailedError(result)
  return result.output.toString('utf8')
}

/** Yields the output of Git as it is written. @throws AppError `git_failed`; AbortError */
export async function* streamGit(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const git = spawn('git', [...globalArgs, '-C', folder, ...args], processOptions(signal))
  const ended = Promise.all([once(git, 'close'), textOf(git.stderr)])
  ended.catch(() => undefined)
  try {
    yield* git.stdout
    const [[code], message] = await ended
    if (code !== 0) throw gitFailedError({ code: Number(code), message: message.trim() })
  } finally {
    git.kill()
  }
}

type Failure = Pick<GitResult, 'code' | 'message'>

/** Returns true if Git needs an object that a partial clone has not downloaded. */
export function isPartialClone({ code, message }: Failure): boolean {
  return code !== 0 && /promisor remote|lazy fetching disabled/.test(message)
}

export function gitFailedError(failure: Failure): AppError {
  if (isPartialClone(failure))
    return new AppError('git_partial', 'this Git repository is a partial clone, and the text is not downloaded')
  const { code, message } = failure
  const line = message.split('\n')[0]?.slice(0, 500) || `exit code ${code}`
  const hint = /unknown option/.test(line) ? ' (Git 2.23 or later is needed)' : ''
  const reason = code === notInstalled ? 'Git is not installed' : line + hint
  return new AppError('git_failed', `Git failed: ${reason}`, { message: reason })
}

function processOptions(signal: AbortSignal | undefined) {
  return {
    // Windows searches programs in the current folder first, so it must not be the repository.
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
    windowsHide: true,
    ...(signal ? { signal } : {}),
  } as const
}
