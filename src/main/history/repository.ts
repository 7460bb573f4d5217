/**
 * A Git repository of our own with the workspace as its work tree: the user's Git, if there is one, is never touched.
 * Commits are made from texts, not from the disk, so that what is recorded is what was written.
 */
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as git from 'isomorphic-git'
import { isSystemError } from '../../shared/errors.ts'
import { countLines } from '../diff/patch.ts'
import { makeFolder } from '../files/index.ts'
import type { WriteOrigin as Origin } from '../workspace/index.ts'
import { atomicFs as fs } from './atomic-fs.ts'
import { commitMessage, parseMessage, type CommitRecord, type FileRecord } from './change.ts'
import { FileTree } from './tree.ts'

const branch = 'refs/heads/main'

/** One file before and after; null where there was, or is, none. */
export interface FileStep {
  readonly path: string
  readonly from?: string | undefined
  readonly before: string | null
  readonly after: string | null
}

export class Repository {
  readonly #gitdir: string
  #tree = new FileTree()
  #head: string | undefined
  /** Newest first; read when it is first asked for. */
  #log: CommitRecord[] | undefined

  private constructor(gitdir: string) {
    this.#gitdir = gitdir
  }

  static async open(gitdir: string, workspace: string): Promise<Repository> {
    const repository = new Repository(gitdir)
    await makeFolder(gitdir)
    await git.init({ fs, gitdir, dir: workspace, defaultBranch: 'main' })
    await git.setConfig({ fs, gitdir, path: 'core.worktree', value: workspace })
    await repository.#readHead()
    return repository
  }

  /** What the newest commit has of a file. */
  idAt(path: string): string | undefined {
    return this.#tree.get(path)
  }

  *files(): Generator<readonly [path: string, id: string]> {
    yield* this.#tree.entries()
  }

  get isEmpty(): boolean {
    return this.#head === undefined
  }

  async commit(origin: Origin, steps: readonly FileStep[], at: number): Promise<CommitRecord | undefined> {
    const files: FileRecord[] = []
    for (const { path, from, before, after } of steps) {
      const old = this.#tree.get(from ?? path) ?? null
      const id = after === null ? null : await this.#writeBlob(after)
      if (old === id && from === undefined) continue
      const { added, removed } = countLines(before ?? '', after ?? '')
      files.push({ path, ...(from === undefined ? {} : { from }), added, removed, before: old, after: id })
      if (from !== undefined) this.#tree.set(from, null)
      this.#tree.set(path, id)
    }
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
      message: commitMessage(origin, files),
      author,
      committer: author,
    })
    this.#head = commit
    const record = { ...origin, commit, at: author.timestamp * 1000, files }
    this.#log?.unshift(record)
    return record
  }

  /** All commits, newest first. */
  async log(): Promise<readonly CommitRecord[]> {
    this.#log ??= await this.#readLog()
    return this.#log
  }

  async text(id: string): Promise<string> {
    const { blob } = await git.readBlob({ fs, gitdir: this.#gitdir, oid: id })
    return Buffer.from(blob).toString('utf8')
  }

  /**
   * Forgets commits from before a moment: the oldest kept one becomes the first, and what only older ones had is removed.
   * @returns how many were forgotten
   */
  async forgetBefore(at: number): Promise<number> {
    const log = await this.log()
    const kept = log.filter((record, index) => index === 0 || record.at >= at)
    const first = kept.at(-1)
    if (!first || kept.length === log.length) return 0
    await writeFile(join(this.#gitdir, 'shallow'), `${first.commit}\n`)
    this.#log = [...kept]
    await this.#removeUnreachable(kept)
    return log.length - kept.length
  }

  async #readHead(): Promise<void> {
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

  async #readLog(): Promise<CommitRecord[]> {
    const records: CommitRecord[] = []
    const shallow = await this.#shallow()
    for (let oid = this.#head; oid !== undefined;) {
      const { commit } = await git.readCommit({ fs, gitdir: this.#gitdir, oid })
      records.push({ ...parseMessage(commit.message), commit: oid, at: commit.author.timestamp * 1000 })
      oid = shallow === oid ? undefined : commit.parent[0]
    }
    return records
  }

  async #shallow(): Promise<string | undefined> {
    try {
      return String(await fs.promises.readFile(join(this.#gitdir, 'shallow'))).trim()
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return undefined
      throw error
    }
  }

  async #removeUnreachable(kept: readonly CommitRecord[]): Promise<void> {
    const reachable = new Set<string>()
    const visit = async (oid: string) => {
      if (reachable.has(oid)) return
      reachable.add(oid)
      const { tree } = await git.readTree({ fs, gitdir: this.#gitdir, oid })
      for (const entry of tree) {
        if (entry.type === 'tree') await visit(entry.oid)
        else reachable.add(entry.oid)
      }
    }
    for (const { commit, files } of kept) {
      reachable.add(commit)
      const read = await git.readCommit({ fs, gitdir: this.#gitdir, oid: commit })
      await visit(read.commit.tree)
      // What the first kept change replaced can still be shown.
      for (const { before } of files) if (before !== null) reachable.add(before)
    }
    const objects = join(this.#gitdir, 'objects')
    for (const folder of (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
      for (const name of await readdir(join(objects, folder)))
        if (!reachable.has(folder + name)) await rm(join(objects, folder, name), { force: true })
    }
  }

  async #writeBlob(text: string): Promise<string> {
    return git.writeBlob({ fs, gitdir: this.#gitdir, blob: Buffer.from(text, 'utf8') })
  }
}
