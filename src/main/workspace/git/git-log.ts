import type { FileCommits } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { type Differ, setBounded } from '#platform'
import { decodeUtf8, maxTextBytes } from '../files/text-files.ts'
import { resolveInside, type Roots } from '../files/paths.ts'
import { readBlob, type FileCommit, findRepository, readFileLog } from './system-git.ts'

export interface GitLogOptions {
  readonly roots: Roots
  readonly differ: Differ
}

interface Page {
  readonly skip: number
  readonly limit: number
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

  /** Returns commits of a file, newest first. @throws AppError `git_failed`, and as `resolveInside` */
  async log(path: string, { skip, limit }: Page, signal?: AbortSignal): Promise<FileCommits> {
    const repository = await this.#findRepository(path, signal)
    if (repository.state !== 'found') return { ...repository, commits: [], isMore: false }
    const { prefix } = repository
    const { commits, isMore } = await this.#readPage(path, prefix, { skip, limit }, signal)
    for (const commit of commits) setBounded(this.#commits, keyOf(path, commit.commit), commit, maxCachedCommits)
    const toRelative = (gitPath: string) => (gitPath.startsWith(prefix) ? gitPath.slice(prefix.length) : `/${gitPath}`)
    return {
      state: 'found',
      isMore,
      commits: commits.map(({ path: pathInCommit, from, added, removed, ...otherFields }) => ({
        ...otherFields,
        path: toRelative(pathInCommit),
        ...(from === undefined ? {} : { from: toRelative(from) }),
        added: added ?? 0,
        removed: removed ?? 0,
      })),
    }
  }

  /**
   * Returns the diff of a file in a commit.
   * @throws AppError `file_not_found` if the commit did not change the file; `file_not_text`, `file_too_large`,
   * `git_failed`
   */
  async diff(path: string, commit: string, signal?: AbortSignal): Promise<{ patch: string }> {
    const repository = await this.#findRepository(path, signal)
    const notFoundError = () => new AppError('file_not_found', `commit ${commit} has no file ${path}`, { path })
    if (repository.state !== 'found') throw notFoundError()
    const fileCommit =
      this.#commits.get(keyOf(path, commit)) ?? (await this.#findCommit(path, repository.prefix, commit, signal))
    if (!fileCommit) throw notFoundError()
    const { workspace } = this.#options.roots
    const [before, after] = await Promise.all([
      readBlob(workspace, `${commit}^`, fileCommit.from ?? fileCommit.path, signal),
      readBlob(workspace, commit, fileCommit.path, signal),
    ])
    const [textBefore, textAfter] = [decodeBlob(before, path), decodeBlob(after, path)]
    const change = { path, before: textBefore, after: textAfter, isInHistory: false }
    const { patch } = await this.#options.differ.describe(change, signal)
    return { patch }
  }

  async #findRepository(path: string, signal?: AbortSignal) {
    const { roots } = this.#options
    await resolveInside(roots, path)
    return findRepository(roots.workspace, signal)
  }

  async #readPage(path: string, prefix: string, { skip, limit }: Page, signal?: AbortSignal) {
    const { workspace } = this.#options.roots
    const commits = await readFileLog({ workspace, prefix, path }, { skip, limit: limit + 1 }, signal)
    return { commits: commits.slice(0, limit), isMore: commits.length > limit }
  }

  /** Finds a commit that is not cached; undefined if the file's log does not contain it. */
  async #findCommit(path: string, prefix: string, commit: string, signal?: AbortSignal) {
    for (let skip = 0, isMore = true; isMore; skip += maxCachedCommits) {
      const page = await this.#readPage(path, prefix, { skip, limit: maxCachedCommits }, signal)
      const fileCommit = page.commits.find((candidate) => candidate.commit === commit)
      if (fileCommit) return fileCommit
      ;({ isMore } = page)
    }
    return undefined
  }
}

function keyOf(path: string, commit: string): string {
  return `${commit} ${path}`
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
