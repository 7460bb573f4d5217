import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileCommit, FileCommits } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { formatLargeChange } from '#shared/util/large-change.ts'
import { setBounded } from '#shared/util/lazy.ts'
import { decodeUtf8 } from '../files/text-files.ts'
import { resolveInside, type Roots } from '../files/paths.ts'
import { gitFailedError, isPartialClone, notInstalled, runGit } from './run-git.ts'

/** A longer diff is not shown, as in the app's own history. */
const maxShownLines = 2000

const maxCachedCommits = 5000

/** Reads the user's Git repository that contains the workspace, with the installed Git; writes nothing. */
export function gitLog(roots: Roots) {
  const knownCommits = new Map<string, FileCommit>()

  /** Newest first; without line counts in a partial clone without the texts. @throws AppError `git_failed` */
  async function log(path: string, page: { skip: number; limit: number }, signal?: AbortSignal): Promise<FileCommits> {
    const { skip, limit } = page
    const { prefix = '', ...repository } = await findRepository(path, signal)
    if (repository.state !== 'found') return { ...repository, commits: [], isMore: false }
    const pageArgs = [`--skip=${skip}`, `--max-count=${limit + 1}`]
    const found = await readLog(roots.workspace, prefix, path, pageArgs, signal)
    const commits = found.slice(0, limit)
    for (const commit of commits) setBounded(knownCommits, `${commit.commit} ${path}`, commit, maxCachedCommits)
    return { state: 'found', commits, isMore: found.length > limit }
  }

  /** @throws AppError `file_not_found` if the commit did not change the file; `file_not_text`, `git_failed` */
  async function diff(path: string, commit: string, signal?: AbortSignal): Promise<{ patch: string }> {
    const { workspace } = roots
    const { state, prefix = '' } = await findRepository(path, signal)
    const readAll = async () => (state === 'found' ? readLog(workspace, prefix, path, [], signal) : [])
    const change =
      knownCommits.get(`${commit} ${path}`) ?? (await readAll()).find((candidate) => candidate.commit === commit)
    if (!change) throw new AppError('file_not_found', `commit ${commit} has no file ${path}`, { path })
    if (change.added + change.removed > maxShownLines) return { patch: formatLargeChange(path, change) }
    const names = [change.path, change.from ?? change.path].map(
      (name) => `:(top,literal)${name.startsWith('/') ? name.slice(1) : `${prefix}${name}`}`,
    )
    const showArgs = '--no-literal-pathspecs show --format= --patch --text'.split(' ')
    const result = await runGit(workspace, [...showArgs, ...diffArgs, commit, '--', ...names], { signal })
    if (result.code !== 0) throw gitFailedError(result)
    const diff = decodeUtf8(result.output, path)
    const start = diff.search(/^@@ /m)
    return { patch: start < 0 ? '' : `--- ${path}\n+++ ${path}\n${diff.slice(start)}` }
  }

  /**
   * @returns `prefix`: path of the workspace in the repository, ending in `/`; empty at the top. `path`: path of an
   * untrusted repository
   */
  async function findRepository(
    path: string,
    signal?: AbortSignal,
  ): Promise<Pick<FileCommits, 'state' | 'path'> & { readonly prefix?: string }> {
    await resolveInside(roots, path)
    const args = ['rev-parse', '--is-inside-work-tree', '--show-prefix']
    const { code, output, message } = await runGit(roots.workspace, args, { signal })
    if (code === notInstalled) return { state: findGitFolder(await realpath(roots.workspace)) ? 'no_git' : 'none' }
    const untrustedPath = /dubious ownership in repository at '(.+)'/.exec(message)?.[1]
    if (untrustedPath !== undefined) return { state: 'untrusted', path: untrustedPath }
    const [isInside, prefix = ''] = output.toString('utf8').split('\n')
    return code === 0 && isInside === 'true' ? { state: 'found', prefix } : { state: 'none' }
  }

  return { log, diff }
}

export function findGitFolder(folder: string): string | undefined {
  const path = join(folder, '.git')
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : findGitFolder(dirname(folder))
}

/** Separates commits. Names and messages cannot contain NUL. */
const commitSeparator = '\0:commit:\0'
const logFormat = '--format=%x00:commit:%x00%H%x00%at%x00%an%x00%s%x00'
const diffArgs =
  '--no-ext-diff --no-textconv --no-color --no-show-signature --no-notes --diff-merges=first-parent'.split(' ')

async function readLog(
  workspace: string,
  prefix: string,
  path: string,
  pageArgs: readonly string[],
  signal?: AbortSignal,
): Promise<FileCommit[]> {
  const run = (...details: string[]) =>
    runGit(workspace, ['log', '--follow', '-z', logFormat, ...diffArgs, ...pageArgs, ...details, '--', path], {
      signal,
    })
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
