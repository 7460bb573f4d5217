import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileCommit, FileCommits } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { type Differ, setBounded } from '#platform'
import { decodeUtf8, maxTextBytes } from '../files/text-files.ts'
import { resolveInside, type Roots } from '../files/paths.ts'
import { notInstalled, runGit, type GitResult } from './run-git.ts'

export interface GitLogOptions {
  readonly roots: Roots
  readonly differ: Differ
}

const maxCachedCommits = 5000

/**
 * Reads the commits of a file, through renames, from the user's Git repository that contains the workspace. Runs the
 * installed Git and writes nothing.
 */
export class GitLog {
  readonly #options: GitLogOptions
  readonly #commits = new Map<string, FileCommit>()

  constructor(options: GitLogOptions) {
    this.#options = options
  }

  /**
   * Returns commits of a file, newest first; none if the repository has none. In a partial clone without the texts, they
   * have no line counts.
   * @throws AppError `git_failed`, `git_partial`, and as `resolveInside`
   */
  async log(path: string, page: { skip: number; limit: number }, signal?: AbortSignal): Promise<FileCommits> {
    const { skip, limit } = page
    const { prefix = '', ...repository } = await this.#findRepository(path, signal)
    if (repository.state !== 'found') return { ...repository, commits: [], isMore: false }
    const pageArgs = [`--skip=${skip}`, `--max-count=${limit + 1}`]
    const found = await readLog(this.#options.roots.workspace, prefix, path, pageArgs, signal)
    const commits = found.slice(0, limit)
    for (const commit of commits) setBounded(this.#commits, keyOf(path, commit.commit), commit, maxCachedCommits)
    return { state: 'found', commits, isMore: found.length > limit }
  }

  /**
   * Returns the diff of a file in a commit.
   * @throws AppError `file_not_found` if the commit did not change the file; `file_not_text`, `file_too_large`,
   * `git_failed`, `git_partial`
   */
  async diff(path: string, commit: string, signal?: AbortSignal): Promise<{ patch: string }> {
    const { differ, roots } = this.#options
    const { state, prefix = '' } = await this.#findRepository(path, signal)
    const readAll = async () => (state === 'found' ? readLog(roots.workspace, prefix, path, [], signal) : [])
    const change =
      this.#commits.get(keyOf(path, commit)) ?? (await readAll()).find((candidate) => candidate.commit === commit)
    if (!change) throw new AppError('file_not_found', `commit ${commit} has no file ${path}`, { path })
    const textOf = async (revision: string, name: string) => {
      const gitPath = name.startsWith('/') ? name.slice(1) : `${prefix}${name}`
      return decodeBlob(await readBlob(roots.workspace, `${revision}:${gitPath}`, signal), path)
    }
    const [before, after] = await Promise.all([
      textOf(`${commit}^`, change.from ?? change.path),
      textOf(commit, change.path),
    ])
    const { patch } = await differ.describe({ path, before, after, isInHistory: false }, signal)
    return { patch }
  }

  async #findRepository(path: string, signal?: AbortSignal): Promise<Repository> {
    const { roots } = this.#options
    await resolveInside(roots, path)
    const args = ['rev-parse', '--is-inside-work-tree', '--show-prefix']
    const { code, output, message } = await runGit(roots.workspace, args, signal)
    if (code === notInstalled) return { state: findGitFolder(await realpath(roots.workspace)) ? 'no_git' : 'none' }
    const untrustedPath = /dubious ownership in repository at '(.+)'/.exec(message)?.[1]
    if (untrustedPath !== undefined) return { state: 'untrusted', path: untrustedPath }
    const [isInside, prefix = ''] = output.toString('utf8').split('\n')
    return code === 0 && isInside === 'true' ? { state: 'found', prefix } : { state: 'none' }
  }
}

interface Repository {
  readonly state: FileCommits['state']
  /** Path of the workspace in the repository, ending in `/`; empty at the top, or if the state is not `found`. */
  readonly prefix?: string
  /** Path of an untrusted repository. */
  readonly path?: string
}

function keyOf(path: string, commit: string): string {
  return `${commit} ${path}`
}

/** Returns the absolute path of `.git` in or above a folder; undefined if there is none. */
export function findGitFolder(folder: string): string | undefined {
  const path = join(folder, '.git')
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : findGitFolder(dirname(folder))
}

/** Separates commits. Names and messages cannot contain NUL. */
const commitSeparator = '\0:commit:\0'
const logArgs =
  'log --follow --no-ext-diff --no-textconv --no-color --no-show-signature --no-notes --diff-merges=first-parent -z ' +
  '--format=%x00:commit:%x00%H%x00%at%x00%an%x00%s%x00'

async function readLog(
  workspace: string,
  prefix: string,
  path: string,
  pageArgs: readonly string[],
  signal?: AbortSignal,
): Promise<FileCommit[]> {
  const run = (...details: string[]) =>
    runGit(workspace, [...logArgs.split(' '), ...pageArgs, ...details, '--', path], signal)
  const complete = await run('--numstat')
  // Without texts, Git recognizes only renames of unchanged files.
  const result = isPartialClone(complete) ? await run('--raw', '--find-renames=100%') : complete
  if (/does not have any commits yet|bad default revision/.test(result.message)) return []
  if (result.code !== 0) throw gitFailedError(result)
  return parseLog(result.output.toString('utf8'), prefix, path)
}

/**
 * Matches `3\t1\tpath\0`, or `3\t1\t\0from\0to\0` for a renamed file; without texts `:<modes> <ids> M\0path\0`, or
 * `:<modes> <ids> R100\0from\0to\0`. The counts of a binary file are `-`.
 */
const changePattern = /(?:([\d-]+)\t([\d-]+)\t|:[^\0]* [A-Z]\d*\0)([^\0]*)\0(?:([^\0]+)\0)?(?:([^\0]+)\0)?/

/** @param path the file's path in the newest commit @returns newest first */
function parseLog(text: string, prefix: string, path: string): FileCommit[] {
  let followedPath = path
  const toRelative = (gitPath: string) => (gitPath.startsWith(prefix) ? gitPath.slice(prefix.length) : `/${gitPath}`)
  return text
    .split(commitSeparator)
    .slice(1)
    .map((record) => {
      const [commit = '', seconds = '', author = '', subject = '', ...fields] = record.split('\0')
      const [, added, removed, ...names] = changePattern.exec(fields.join('\0')) ?? []
      const [pathThen = followedPath, from] = names.filter(Boolean).map(toRelative).reverse()
      followedPath = from ?? pathThen
      return {
        commit,
        at: Number(seconds) * 1000,
        author,
        subject,
        path: pathThen,
        ...(from === undefined ? {} : { from }),
        added: Number(added) || 0,
        removed: Number(removed) || 0,
      }
    })
}

const missingObjectMessage =
  /does not exist|exists on disk, but not in|Not a valid object name|bad revision|invalid object name/

/** Returns undefined if there is no such file. @param object `<revision>:<path from the top of the repository>` */
async function readBlob(workspace: string, object: string, signal?: AbortSignal): Promise<Buffer | undefined> {
  const result = await runGit(workspace, ['cat-file', 'blob', object], signal)
  if (result.code === 0) return result.output
  if (!isPartialClone(result) && missingObjectMessage.test(result.message)) return undefined
  throw gitFailedError(result)
}

/** Returns an empty text if the file did not exist. @throws AppError `file_not_text`, `file_too_large` */
function decodeBlob(bytes: Buffer | undefined, path: string): string {
  if (!bytes) return ''
  if (bytes.length > maxTextBytes) {
    const megabytes = Math.ceil(bytes.length / 1024 / 1024)
    throw new AppError('file_too_large', `${path} was too large in this commit (${megabytes} MB)`, { path, megabytes })
  }
  return decodeUtf8(bytes, path)
}

/** Returns true if Git needs an object that a partial clone has not downloaded. */
function isPartialClone({ code, message }: GitResult): boolean {
  return code !== 0 && /promisor remote|lazy fetching disabled/.test(message)
}

function gitFailedError(result: GitResult): AppError {
  if (isPartialClone(result))
    return new AppError('git_partial', 'this Git repository is a partial clone, and the text is not downloaded')
  const { code, message } = result
  const [line = ''] = message.split('\n')
  const reason = line === '' ? `exit code ${code}` : line.slice(0, 500)
  return new AppError('git_failed', `Git failed: ${reason}`, { message: reason })
}
