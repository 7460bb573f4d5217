import * as git from 'isomorphic-git'
import { join } from 'node:path'
import { countLines, inBatches, makeFolder, readIfExists, blobOf, setBounded, writeAtomically } from '#platform'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import { atomicFs as fs } from './atomic-fs.ts'
import { commitMessage, parseMessage, type CommitRecord, type FileRecord } from './history-change.ts'
import { FileTree } from './git-tree.ts'
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'

export const branch = 'refs/heads/main'
const blobsAtOnce = 16
const maxCommitsRead = 64

/** Limits of the text cache: number of texts, length of each (UTF-16 code units). A change often starts with one. */
const maxCachedTexts = 64
const maxCachedLength = 200_000

/** Texts of a file before and after a change; null if the file did not exist then. `from` is the previous path. */
export interface FileTransition {
  readonly path: string
  readonly from?: string | undefined
  readonly before: string | null
  readonly after: string | null
}

/** The history's Git repository. Paths are relative to the workspace, `gitdir` is absolute. */
export class Repository {
  readonly #gitdir: string
  #tree = new FileTree()
  #head: string | undefined
  /** Newest first; undefined until first read. */
  #log: CommitRecord[] | undefined
  readonly #textCache = new Map<string, string>()

  private constructor(gitdir: string) {
    this.#gitdir = gitdir
  }

  static async open(gitdir: string, workspace: string): Promise<Repository> {
    const repository = new Repository(gitdir)
    await initRepository(gitdir, workspace)
    await repository.#readHead()
    return repository
  }

  /** Opens a repository for reading only, while another process records. */
  static async openReadOnly(gitdir: string): Promise<Repository> {
    const repository = new Repository(gitdir)
    await repository.#readHead()
    return repository
  }

  /** Returns the blob id of a file in the newest commit; undefined if the commit does not contain the file. */
  blobIdAt(path: string): string | undefined {
    return this.#tree.get(path)
  }

  *files(): Generator<readonly [path: string, id: string]> {
    yield* this.#tree.entries()
  }

  get isEmpty(): boolean {
    return this.#head === undefined
  }

  /**
   * Commits changes.
   * @param at milliseconds since the epoch; the commit has whole seconds
   * @param options `journal`: id of the last journal line in this commit
   * @returns undefined if no file changes
   * @throws AppError `disk_full`, `write_failed`; the signal's reason; nothing is recorded then
   */
  async commit(
    origin: WriteOrigin,
    transitions: readonly FileTransition[],
    at: number,
    { journal, signal }: { readonly journal?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CommitRecord | undefined> {
    try {
      const files = await this.#stage(transitions, signal)
      if (files.length === 0) return undefined
      const tree = await this.#tree.write((entries) => git.writeTree({ fs, gitdir: this.#gitdir, tree: entries }))
      const author = {
        name: origin.cause,
        email: `${origin.cause}@commonplace.invalid`,
        timestamp: Math.floor(at / 1000),
        timezoneOffset: new Date(at).getTimezoneOffset(),
      }
      const commit = await git.commit({
        fs,
        gitdir: this.#gitdir,
        tree,
        parent: this.#head === undefined ? [] : [this.#head],
        ref: branch,
        message: commitMessage(origin, files, journal),
        author,
        committer: author,
      })
      this.#head = commit
      const record = { ...origin, commit, at: author.timestamp * 1000, files }
      this.#log?.unshift(record)
      return record
    } catch (error) {
      await this.#readHead()
      throw error
    }
  }

  /** Returns the id of the last journal line that was committed; undefined if it is not among the newest commits. */
  async lastJournalId(): Promise<string | undefined> {
    let commitsRead = 0
    for await (const { commit } of readCommits(this.#gitdir, this.#head)) {
      const { journal } = parseMessage(commit.message)
      commitsRead += 1
      if (journal !== undefined || commitsRead === maxCommitsRead) return journal
    }
    return undefined
  }

  /** Writes the new texts and changes the tree. @returns the files that change */
  async #stage(transitions: readonly FileTransition[], signal: AbortSignal | undefined): Promise<FileRecord[]> {
    const files: FileRecord[] = []
    const writeText = async ({ after }: FileTransition) => {
      if (after === null) return null
      const id = await writeBlob(this.#gitdir, after)
      this.#cacheText(id, after)
      return id
    }
    const blobIds = await inBatches(transitions, blobsAtOnce, writeText, signal)
    const movedFromPaths = new Set(transitions.map(({ from }) => from))
    for (const [index, { path, from, before, after }] of transitions.entries()) {
      // A file that moves away can free its path for a new file in the same commit.
      const isNew = from === undefined && before === null && movedFromPaths.has(path)
      const previousId = (isNew ? undefined : this.#tree.get(from ?? path)) ?? null
      const id = blobIds[index] ?? null
      if (previousId === id && from === undefined) continue
      const { added, removed } = countLines(before ?? '', after ?? '')
      files.push({ path, ...(from === undefined ? {} : { from }), added, removed, before: previousId, after: id })
    }
    for (const { from } of files) if (from !== undefined) this.#tree.set(from, null)
    for (const { path, after } of files) this.#tree.set(path, after)
    return files
  }

  /** Returns all commits, newest first, up to the first that cannot be read. */
  async log(): Promise<readonly CommitRecord[]> {
    this.#log ??= await Array.fromAsync(readCommits(this.#gitdir, this.#head), ({ oid, commit }) => ({
      ...parseMessage(commit.message),
      commit: oid,
      at: commit.author.timestamp * 1000,
    }))
    return this.#log
  }

  /** Returns a text by its blob id. @throws the Git library's `NotFoundError` if there is none */
  async text(id: string): Promise<string> {
    const cached = this.#textCache.get(id)
    if (cached !== undefined) return cached
    return this.#cacheText(id, await readBlobText(this.#gitdir, id))
  }

  async #readHead(): Promise<void> {
    this.#tree = new FileTree()
    this.#head = undefined
    try {
      this.#head = await git.resolveRef({ fs, gitdir: this.#gitdir, ref: branch })
    } catch (error) {
      if (error instanceof git.Errors.NotFoundError) return
      throw error
    }
    const { commit } = await git.readCommit({ fs, gitdir: this.#gitdir, oid: this.#head })
    await this.#readTree(commit.tree, '')
  }

  async #readTree(oid: string, prefix: string): Promise<void> {
    const { tree } = await git.readTree({ fs, gitdir: this.#gitdir, oid })
    for (const entry of tree) {
      if (entry.type === 'tree') await this.#readTree(entry.oid, `${prefix}${entry.path}/`)
      else this.#tree.set(prefix + entry.path, entry.oid)
    }
  }

  #cacheText(id: string, text: string): string {
    if (text.length <= maxCachedLength) setBounded(this.#textCache, id, text, maxCachedTexts)
    return text
  }
}

export async function initRepository(gitdir: string, workspace: string): Promise<void> {
  await makeFolder(gitdir)
  await git.init({ fs, gitdir, dir: workspace, defaultBranch: 'main' })
  await git.setConfig({ fs, gitdir, path: 'core.worktree', value: workspace })
}

/** Yields a commit and its ancestors up to the first that cannot be read, newest first. */
export async function* readCommits(
  gitdir: string,
  head: string | undefined,
): AsyncGenerator<{ readonly oid: string; readonly commit: git.CommitObject }> {
  // An earlier version of the app deleted the commits before this one.
  const oldestCommit = (await readIfExists(join(gitdir, 'shallow')))?.trim()
  for (let oid = head; oid !== undefined;) {
    const result: git.ReadCommitResult | undefined = await git.readCommit({ fs, gitdir, oid }).catch(() => undefined)
    if (!result) return
    yield { oid, commit: result.commit }
    oid = oid === oldestCommit ? undefined : result.commit.parent[0]
  }
}

/** @throws the Git library's `NotFoundError` if there is no such blob */
export async function readBlobText(gitdir: string, oid: string): Promise<string> {
  const { blob } = await git.readBlob({ fs, gitdir, oid })
  return Buffer.from(blob).toString('utf8')
}

const compress = promisify(deflate)

/**
 * Writes a text as a blob into a repository.
 * @returns the blob id
 * @throws AppError `disk_full`, `write_failed`
 */
export async function writeBlob(gitdir: string, text: string): Promise<string> {
  const object = blobOf(text)
  const id = hash('sha1', object)
  const file = join(gitdir, 'objects', id.slice(0, 2), id.slice(2))
  if (!existsSync(file)) await writeAtomically(file, await compress(object))
  return id
}
