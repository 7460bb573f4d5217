import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { runGit, type GitResult } from './run-git.ts'

/** Separates commits. Contains NUL, which cannot occur in names and messages. */
const commitSeparator = '\0:commit:\0'
const logFormat = ['-z', '--format=%x00:commit:%x00%H%x00%at%x00%an%x00%s%x00']
/** Without texts, Git recognizes only renames of unchanged files. */
const logDetails = { withTexts: ['--numstat'], withoutTexts: ['--raw', '--find-renames=100%'] } as const

/** A commit and its change of one file. Paths are relative to the top of the repository. */
export interface FileCommit {
  readonly commit: string
  /** Author date, milliseconds since the epoch. */
  readonly at: number
  readonly author: string
  readonly subject: string
  readonly path: string
  readonly from?: string
  /** Changed lines; undefined for a binary file. */
  readonly added: number | undefined
  readonly removed: number | undefined
}

export type RepositoryState =
  | {
      readonly state: 'found'
      /** Path of the workspace in the repository, ending in `/`; empty at the top. */
      readonly prefix: string
    }
  | { readonly state: 'none' }
  /** A repository exists, but Git is not installed. */
  | { readonly state: 'no_git' }
  /** Git refuses the repository because it belongs to another user. */
  | { readonly state: 'untrusted'; readonly path: string }

/** Describes the user's repository around the workspace. @throws the signal's reason */
export async function findRepository(workspace: string, signal?: AbortSignal): Promise<RepositoryState> {
  const result = await runGit(workspace, ['rev-parse', '--is-inside-work-tree', '--show-prefix'], signal)
  if (!result) return { state: findGitFolder(await realpath(workspace)) ? 'no_git' : 'none' }
  const { code, output, message } = result
  const untrustedPath = /dubious ownership in repository at '(.+)'/.exec(message)?.[1]
  if (untrustedPath !== undefined) return { state: 'untrusted', path: untrustedPath }
  const [isInside, prefix = ''] = output.toString('utf8').split('\n')
  return code === 0 && isInside === 'true' ? { state: 'found', prefix } : { state: 'none' }
}

/** Returns the absolute path of `.git` in or above a folder; undefined if there is none. */
export function findGitFolder(folder: string): string | undefined {
  const path = join(folder, '.git')
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : findGitFolder(dirname(folder))
}

/**
 * Returns the commits of a file, newest first, through renames; empty if the repository has none. In a partial clone
 * without the texts, the commits have no line counts.
 * @param path relative to the workspace; `prefix` is the workspace's path in the repository, ending in `/`, or empty
 * @throws AppError `git_failed`, `git_partial`
 */
export async function readFileLog(
  { workspace, prefix, path }: { readonly workspace: string; readonly prefix: string; readonly path: string },
  { skip, limit }: { readonly skip: number; readonly limit: number },
  signal?: AbortSignal,
): Promise<FileCommit[]> {
  const args = ['log', '--follow', '--no-ext-diff', '--no-textconv', '--no-color', '--no-show-signature', '--no-notes']
  const bounds = ['--diff-merges=first-parent', `--skip=${skip}`, `--max-count=${limit}`]
  const run = (details: readonly string[]) =>
    runOrThrow(workspace, [...args, ...bounds, ...logFormat, ...details, '--', path], signal)
  const complete = await run(logDetails.withTexts)
  const result = isPartialClone(complete) ? await run(logDetails.withoutTexts) : complete
  if (/does not have any commits yet|bad default revision/.test(result.message)) return []
  if (result.code !== 0) throw gitFailedError(result)
  return parseLog(result.output.toString('utf8'), prefix + path)
}

const missingObjectMessage =
  /does not exist|exists on disk, but not in|Not a valid object name|bad revision|invalid object name/

/** Returns a file's bytes (`path` from the repository's top); undefined if absent. @throws AppError `git_failed`, `git_partial` */
export async function readBlob(
  workspace: string,
  commit: string,
  path: string,
  signal?: AbortSignal,
): Promise<Buffer | undefined> {
  const result = await runOrThrow(workspace, ['cat-file', 'blob', `${commit}:${path}`], signal)
  if (result.code === 0) return result.output
  if (!isPartialClone(result) && missingObjectMessage.test(result.message)) return undefined
  throw gitFailedError(result)
}

/** Returns true if Git needs an object that a partial clone has not downloaded. */
function isPartialClone({ code, message }: GitResult): boolean {
  return code !== 0 && /promisor remote|lazy fetching disabled/.test(message)
}

/** @throws AppError `git_failed` if Git is not installed */
async function runOrThrow(workspace: string, args: readonly string[], signal?: AbortSignal): Promise<GitResult> {
  const result = await runGit(workspace, args, signal)
  if (!result) throw new AppError('git_failed', 'Git is no longer available', { message: '' })
  return result
}

function gitFailedError(result: GitResult): AppError {
  if (isPartialClone(result))
    return new AppError('git_partial', 'this Git repository is a partial clone, and the text is not downloaded')
  const { code, message } = result
  const [line = ''] = message.split('\n')
  const reason = line === '' ? `exit code ${code}` : line.slice(0, 500)
  return new AppError('git_failed', `Git failed: ${reason}`, { message: reason })
}

/** @param path the file's path in the newest commit @returns newest first */
function parseLog(text: string, path: string): FileCommit[] {
  const commits: FileCommit[] = []
  let followedPath = path
  for (const record of text.split(commitSeparator).slice(1)) {
    const [commit = '', seconds = '', author = '', subject = '', ...numstatFields] = record.split('\0')
    const change = parseNumstat(numstatFields.join('\0')) ?? { path: followedPath, added: 0, removed: 0 }
    commits.push({ commit, at: Number(seconds) * 1000, author, subject, ...change })
    followedPath = change.from ?? change.path
  }
  return commits
}

/**
 * Parses `3\t1\tpath\0`, or `3\t1\t\0from\0to\0` for a renamed file; without texts
 * `:<modes> <ids> M\0path\0`, or `:<modes> <ids> R100\0from\0to\0`.
 */
function parseNumstat(text: string): Pick<FileCommit, 'path' | 'from' | 'added' | 'removed'> | undefined {
  const match = /([\d-]+)\t([\d-]+)\t([^\0]*)\0(?:([^\0]+)\0([^\0]+)\0)?/.exec(text)
  if (!match) {
    const [, path, to] = /:[^\0]* [A-Z]\d*\0([^\0]+)\0(?:([^\0]+)\0)?/.exec(text) ?? []
    if (path === undefined) return undefined
    return { ...(to === undefined ? { path } : { path: to, from: path }), added: undefined, removed: undefined }
  }
  const [, added = '', removed = '', path = '', from, to] = match
  const parseCount = (digits: string) => (digits === '-' ? undefined : Number(digits))
  const counts = { added: parseCount(added), removed: parseCount(removed) }
  return path === '' && from !== undefined && to !== undefined ? { path: to, from, ...counts } : { path, ...counts }
}
