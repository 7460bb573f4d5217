import type { FileCommits } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { Differ } from '#platform'
import { decodeUtf8, maxTextBytes } from '../files/text-files.ts'
import { resolveInside, type Roots } from '../files/paths.ts'
import { readBlob, type FileCommit, findRepository, readFileLog } from './system-git.ts'

export interface CommitsOptions {
  readonly roots: Roots
  readonly differ: Differ
}

interface Page {
  readonly skip: number
  readonly limit: number
}

const maxRemembered = 5000

/**
 * Reads a file's commits from the user's own Git repository around the workspace, through renames. Uses the system's
 * Git and writes nothing.
 */
export class GitLog {
  readonly #options: CommitsOptions
  readonly #commits = new Map<string, FileCommit>()

  constructor(options: CommitsOptions) {
    this.#options = options
  }

  /** Returns commits of a file, newest first. @throws AppError `git_failed`, and as `resolveInside` */
  async log(path: string, { skip, limit }: Page, signal: AbortSignal | undefined): Promise<FileCommits> {
    const found = await this.#findRepository(path, signal)
    if (found.state !== 'found') return { ...found, commits: [], isMore: false }
    const { prefix } = found
    const { commits, isMore } = await this.#page(path, prefix, { skip, limit }, signal)
    for (const one of commits) this.#cacheCommit(path, one)
    const relativePath = (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : `/${name}`)
    return {
      state: 'found',
      isMore,
      commits: commits.map(({ path: pathThen, from, added, removed, ...rest }) => ({
        ...rest,
        path: relativePath(pathThen),
        ...(from === undefined ? {} : { from: relativePath(from) }),
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
  async diff(path: string, commit: string, signal: AbortSignal | undefined): Promise<{ patch: string }> {
    const found = await this.#findRepository(path, signal)
    const missing = () => new AppError('file_not_found', `commit ${commit} has no file ${path}`, { path })
    if (found.state !== 'found') throw missing()
    const listed = this.#commits.get(keyOf(path, commit)) ?? (await this.#search(path, found.prefix, commit, signal))
    if (!listed) throw missing()
    const { workspace } = this.#options.roots
    const [before, after] = await Promise.all([
      readBlob(workspace, `${commit}^`, listed.from ?? listed.path, signal),
      readBlob(workspace, commit, listed.path, signal),
    ])
    const [textBefore, textAfter] = [decodeBlob(before, path), decodeBlob(after, path)]
    const { patch } = await this.#options.differ.describe(
      { path, before: textBefore, after: textAfter, isInHistory: false },
      signal,
    )
    return { patch }
  }

  async #findRepository(path: string, signal: AbortSignal | undefined) {
    const { roots } = this.#options
    await resolveInside(roots, path)
    return findRepository(roots.workspace, signal)
  }

  async #page(path: string, prefix: string, { skip, limit }: Page, signal: AbortSignal | undefined) {
    const { workspace } = this.#options.roots
    const found = await readFileLog({ workspace, prefix, path }, { skip, limit: limit + 1 }, signal)
    return { commits: found.slice(0, limit), isMore: found.length > limit }
  }

  /** Finds a commit that is not cached; undefined if the file's log does not contain it. */
  async #search(path: string, prefix: string, commit: string, signal: AbortSignal | undefined) {
    for (let skip = 0, isMore = true; isMore; skip += maxRemembered) {
      const page = await this.#page(path, prefix, { skip, limit: maxRemembered }, signal)
      const found = page.commits.find((one) => one.commit === commit)
      if (found) return found
      ;({ isMore } = page)
    }
    return undefined
  }

  #cacheCommit(path: string, commit: FileCommit): void {
    this.#commits.set(keyOf(path, commit.commit), commit)
    for (const oldest of this.#commits.keys()) {
      if (this.#commits.size <= maxRemembered) break
      this.#commits.delete(oldest)
    }
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
    throw new AppError('file_too_large', `${path} had ${megabytes} MB`, { path, megabytes })
  }
  return decodeUtf8(bytes, path)
}
