/** Commits of one file, told by the system's Git. */
import { AppError } from '#shared/util/errors.ts'
import { logFormat, readLog, type FileCommit } from './log-text.ts'
import { runGit, type GitAnswer } from './run-git.ts'

/** What a look at the folder came to. */
export type Repository =
  | {
      readonly state: 'found'
      /** The workspace within it, with `/` at its end; empty at its top. */ readonly prefix: string
    }
  | { readonly state: 'none' }
  /** Git does not trust the folder, because it is another user's. */
  | { readonly state: 'untrusted'; readonly path: string }

/** @returns undefined where there is no Git */
export async function findRepository(
  workspace: string,
  signal: AbortSignal | undefined,
): Promise<Repository | undefined> {
  const answer = await runGit(workspace, ['rev-parse', '--is-inside-work-tree', '--show-prefix'], signal)
  if (!answer) return undefined
  const { code, output, message } = answer
  const owned = /dubious ownership in repository at '(.+)'/.exec(message)?.[1]
  if (owned !== undefined) return { state: 'untrusted', path: owned }
  const [isInside, prefix = ''] = output.toString('utf8').split('\n')
  return code === 0 && isInside === 'true' ? { state: 'found', prefix } : { state: 'none' }
}

/**
 * Newest first, through moves.
 * @param path relative to the workspace
 * @param prefix of the workspace in its repository
 * @throws AppError `git_failed`
 */
export async function logOf(
  { workspace, prefix, path }: { readonly workspace: string; readonly prefix: string; readonly path: string },
  { skip, limit }: { readonly skip: number; readonly limit: number },
  signal: AbortSignal | undefined,
): Promise<FileCommit[]> {
  const args = ['log', '--follow', '--no-ext-diff', '--no-textconv', '--no-color', '--no-show-signature', '--no-notes']
  const bounds = ['--diff-merges=first-parent', `--skip=${skip}`, `--max-count=${limit}`]
  const answer = await asked(workspace, [...args, ...bounds, ...logFormat, '--', path], signal)
  if (/does not have any commits yet|bad default revision/.test(answer.message)) return []
  if (answer.code !== 0) throw failed(answer)
  return readLog(answer.output.toString('utf8'), prefix + path)
}

/** The bytes of a file in a commit; undefined where it had none of that name. @throws AppError `git_failed` */
export async function bytesAt(
  workspace: string,
  commit: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Buffer | undefined> {
  const answer = await asked(workspace, ['cat-file', 'blob', `${commit}:${path}`], signal)
  if (answer.code === 0) return answer.output
  if (
    /does not exist|exists on disk, but not in|Not a valid object name|bad revision|invalid object name/.test(
      answer.message,
    )
  )
    return undefined
  throw failed(answer)
}

async function asked(workspace: string, args: readonly string[], signal: AbortSignal | undefined): Promise<GitAnswer> {
  const answer = await runGit(workspace, args, signal)
  if (!answer) throw new AppError('git_failed', 'Git is not there any more', { message: '' })
  return answer
}

function failed({ code, message }: GitAnswer): AppError {
  const [line = ''] = message.split('\n')
  const said = line === '' ? `ended with ${code}` : line.slice(0, 500)
  return new AppError('git_failed', `Git could not tell: ${said}`, { message: said })
}
