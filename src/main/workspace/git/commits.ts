/**
 * What a person's own Git repository, in which the workspace lies, tells of a file: its commits, through moves, and what
 * each changed. The repository is looked at and never written; the system's Git is asked where there is one.
 */
import type { RouterClient } from '@orpc/server'
import type { FileCommits } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { type Differ, fromOrpcError, startThread, type Thread } from '#platform'
import { decodeUtf8, maxTextBytes } from '../files/text-files.ts'
import { resolveInside, type Roots } from '../files/paths.ts'
import type { CommitsRouter } from './git-log.worker.ts'
import type { FileCommit } from './log-text.ts'
import { findPlainRepository, type PlainRepository } from './plain-repository.ts'
import { bytesAt, findRepository, logOf } from './system-git.ts'

export interface CommitsOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly roots: Roots
  readonly differ: Differ
  /** False reads the repository without the system's Git. */
  readonly usesSystem?: boolean
}

interface Page {
  readonly skip: number
  readonly limit: number
}

/** One way to read a repository. */
interface Reader {
  /** Of the workspace in the repository. */
  readonly prefix: string
  log(path: string, page: Page): Promise<{ commits: FileCommit[]; isMore: boolean }>
  texts(commit: string, path: string, from: string): Promise<{ before: Buffer | undefined; after: Buffer | undefined }>
}

/** Commits whose names of the file are remembered. */
const maxRemembered = 5000
/** A thread that nobody needs for so long gives its memory back, ms. */
const idleMs = 30_000

export class Commits {
  readonly #options: CommitsOptions
  /** What a file was called in a commit that was listed. */
  readonly #listed = new Map<string, FileCommit>()
  #thread: Thread<RouterClient<CommitsRouter>> | undefined
  #idle: NodeJS.Timeout | undefined
  /** Asked and not answered. */
  #open = 0

  constructor(options: CommitsOptions) {
    this.#options = options
  }

  /** A page of the commits of a file, newest first. @throws AppError `git_failed`, and as `resolveInside` */
  async of(path: string, { skip, limit }: Page, signal: AbortSignal | undefined): Promise<FileCommits> {
    const reader = await this.#reader(path, signal)
    if ('state' in reader) return { ...reader, commits: [], isMore: false }
    const { commits, isMore } = await reader.log(path, { skip, limit })
    for (const one of commits) this.#remember(path, one)
    const shown = (name: string) => (name.startsWith(reader.prefix) ? name.slice(reader.prefix.length) : `/${name}`)
    return {
      state: 'found',
      isMore,
      commits: commits.map(({ path: then, from, added, removed, ...rest }) => ({
        ...rest,
        path: shown(then),
        ...(from === undefined ? {} : { from: shown(from) }),
        added: added ?? 0,
        removed: removed ?? 0,
      })),
    }
  }

  /** What a commit changed in a file. @throws AppError `file_not_found` for a commit that is none of the file's, `file_not_text` */
  async diff(path: string, commit: string, signal: AbortSignal | undefined): Promise<{ patch: string }> {
    const reader = await this.#reader(path, signal)
    const missing = () => new AppError('file_not_found', `${commit} has no ${path}`, { path })
    if ('state' in reader) throw missing()
    const listed = this.#listed.get(keyOf(path, commit)) ?? (await this.#find(reader, path, commit))
    if (!listed) throw missing()
    const { before, after } = await reader.texts(commit, listed.path, listed.from ?? listed.path)
    const [was, is] = [textOf(before, path), textOf(after, path)]
    const { patch } = await this.#options.differ.describe({ path, before: was, after: is, isKept: false }, signal)
    return { patch }
  }

  async #find(reader: Reader, path: string, commit: string): Promise<FileCommit | undefined> {
    for (let skip = 0, isMore = true; isMore;) {
      const page = await reader.log(path, { skip, limit: maxRemembered })
      for (const one of page.commits) if (one.commit === commit) return one
      skip += page.commits.length
      ;({ isMore } = page)
    }
    return undefined
  }

  #remember(path: string, commit: FileCommit): void {
    this.#listed.set(keyOf(path, commit.commit), commit)
    for (const oldest of this.#listed.keys()) {
      if (this.#listed.size <= maxRemembered) break
      this.#listed.delete(oldest)
    }
  }

  async #reader(
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<Reader | { state: 'none' } | { state: 'untrusted'; path: string }> {
    const { roots, usesSystem = true } = this.#options
    await resolveInside(roots, path)
    const { workspace } = roots
    const found = usesSystem ? await findRepository(workspace, signal) : undefined
    if (!found) {
      const plain = await findPlainRepository(workspace)
      return plain ? this.#plainReader(plain, signal) : { state: 'none' }
    }
    if (found.state !== 'found') return found
    const { prefix } = found
    return {
      prefix,
      log: async (path, { skip, limit }) => {
        const found = await logOf({ workspace, prefix, path }, { skip, limit: limit + 1 }, signal)
        return { commits: found.slice(0, limit), isMore: found.length > limit }
      },
      texts: async (commit, path, from) => {
        const [before, after] = await Promise.all([
          bytesAt(workspace, `${commit}^`, from, signal),
          bytesAt(workspace, commit, path, signal),
        ])
        return { before, after }
      },
    }
  }

  #plainReader({ gitdir, prefix }: PlainRepository, signal: AbortSignal | undefined): Reader {
    return {
      prefix,
      log: (path, page) => this.#inThread((client) => client.log({ gitdir, path: prefix + path, ...page }), signal),
      texts: async (commit, path, from) => {
        const { before, after } = await this.#inThread((client) => client.bytes({ gitdir, commit, path, from }), signal)
        return { before: before && Buffer.from(before), after: after && Buffer.from(after) }
      },
    }
  }

  async #inThread<T>(
    work: (client: RouterClient<CommitsRouter>) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted()
    this.#thread ??= startThread<RouterClient<CommitsRouter>>(this.#options.entry)
    clearTimeout(this.#idle)
    this.#open += 1
    try {
      return await Promise.race([work(this.#thread.client), aborted(signal)])
    } catch (error) {
      throw signal?.aborted ? signal.reason : fromOrpcError(error)
    } finally {
      this.#open -= 1
      // What it has read so far is of use to whoever asks for more.
      if (this.#open === 0) this.#idle = setTimeout(() => void this.close(), idleMs).unref()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = undefined
    await thread?.terminate()
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

function keyOf(path: string, commit: string): string {
  return `${commit} ${path}`
}

/** Empty where there was none. @throws AppError `file_not_text`, `file_too_large` */
function textOf(bytes: Buffer | undefined, path: string): string {
  if (!bytes) return ''
  if (bytes.length > maxTextBytes) {
    const megabytes = Math.ceil(bytes.length / 1024 / 1024)
    throw new AppError('file_too_large', `${path} had ${megabytes} MB`, { path, megabytes })
  }
  return decodeUtf8(bytes, path)
}
