/**
 * The same without a Git on this machine: commits are read as they lie on the disk. What was moved is followed where not
 * a byte of it was changed with the move.
 */
import * as fs from 'node:fs/promises'
import * as git from 'isomorphic-git'
import { countLines } from '#platform'
import type { FileCommit } from './log-text.ts'

/** After so long whoever asks is told what was found, ms. */
const maxMs = 2500

/** A commit that a walk has before it. */
interface Waiting {
  readonly oid: string
  readonly path: string
  readonly commit: git.CommitObject
}

interface Changing extends Waiting {
  readonly from: string | undefined
  readonly blob: string | undefined
}

interface Walked {
  /** Undefined for a commit that did not touch the file. */
  readonly steps: AsyncGenerator<Changing | undefined, void>
  readonly found: FileCommit[]
  isDone: boolean
  /** Whoever goes on with it waits for this, and never fails. */
  turn: Promise<void>
}

/** Reads one repository; what it has read once it keeps. */
export class PlainGit {
  readonly #at: { readonly fs: typeof fs; readonly gitdir: string; readonly cache: object }
  /** Walks that were begun, by the newest commit and the file. */
  readonly #walked = new Map<string, Walked>()

  constructor(gitdir: string) {
    this.#at = { fs, gitdir, cache: {} }
  }

  /**
   * Newest first, through moves; it goes on where it was the last time, and after some seconds with what it has.
   * @param path relative to the repository's top
   */
  async logOf(
    path: string,
    { skip, limit }: { readonly skip: number; readonly limit: number },
  ): Promise<{ commits: FileCommit[]; isMore: boolean }> {
    const head = await this.#head()
    const key = `${head ?? ''} ${path}`
    const walked = this.#walked.get(key) ?? {
      steps: this.#walk(path),
      found: [],
      isDone: false,
      turn: Promise.resolve(),
    }
    this.#walked.set(key, walked)
    // One after another: who comes second must not see the end before what came first is found.
    const turn = walked.turn.then(() => this.#goOn(walked, skip + limit))
    walked.turn = turn.catch(() => undefined)
    await turn
    const commits = walked.found.slice(skip, skip + limit)
    return { commits, isMore: !walked.isDone || walked.found.length > skip + limit }
  }

  async #goOn(walked: Walked, most: number): Promise<void> {
    const end = performance.now() + maxMs
    while (!walked.isDone && walked.found.length <= most && performance.now() < end) {
      const step = await walked.steps.next()
      if (step.done) walked.isDone = true
      else if (step.value) walked.found.push(await this.#described(step.value))
    }
  }

  /** The bytes of a file in a commit, or in its first parent; undefined where it had none of that name. */
  async bytesAt(oid: string, path: string): Promise<Buffer | undefined> {
    const { commit } = await git.readCommit({ ...this.#at, oid })
    const blob = await this.#find(commit.tree, path)
    return blob === undefined ? undefined : this.#bytes(blob)
  }

  async parentOf(oid: string): Promise<string | undefined> {
    return (await git.readCommit({ ...this.#at, oid })).commit.parent[0]
  }

  /** Commits in which the file is not what it was in any parent; a step for every commit. */
  async *#walk(path: string): AsyncGenerator<Changing | undefined, void> {
    const head = await this.#head()
    if (head === undefined) return
    const seen = new Set([head])
    const waiting = [await this.#read(head, path)].filter((one) => one !== undefined)
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { commit } = next
      const blob = await this.#find(commit.tree, next.path)
      const parents: { one: Waiting; blob: string | undefined }[] = []
      for (const oid of commit.parent) {
        const one = await this.#read(oid, next.path)
        if (one) parents.push({ one, blob: await this.#find(one.commit.tree, next.path) })
      }
      const same = parents.find((parent) => parent.blob === blob)
      const first = parents[0]?.one
      const isNew = blob !== undefined && parents.every((parent) => parent.blob === undefined)
      const from = isNew && first ? await this.#movedFrom(first.commit.tree, commit.tree, blob) : undefined
      yield !same && (blob !== undefined || parents.length > 0) ? { ...next, from, blob } : undefined
      // Where one parent has the file as it is, the others have nothing to do with it.
      for (const { one } of same ? [same] : parents) {
        if (seen.has(one.oid)) continue
        seen.add(one.oid)
        const at = waiting.findLastIndex((other) => other.commit.committer.timestamp <= one.commit.committer.timestamp)
        waiting.splice(at + 1, 0, from === undefined ? one : { ...one, path: from })
      }
    }
  }

  async #described({ oid, path, commit, from, blob }: Changing): Promise<FileCommit> {
    const [parent] = commit.parent
    const [before, after] = await Promise.all([
      parent === undefined ? undefined : this.bytesAt(parent, from ?? path),
      blob === undefined ? undefined : this.#bytes(blob),
    ])
    const isBinary = [before, after].some((bytes) => bytes?.includes(0))
    const counts = isBinary ? undefined : countLines(before?.toString('utf8') ?? '', after?.toString('utf8') ?? '')
    return {
      commit: oid,
      at: commit.author.timestamp * 1000,
      author: commit.author.name,
      subject: commit.message.split('\n')[0] ?? '',
      path,
      ...(from === undefined ? {} : { from }),
      added: counts?.added,
      removed: counts?.removed,
    }
  }

  async #head(): Promise<string | undefined> {
    try {
      return await git.resolveRef({ ...this.#at, ref: 'HEAD' })
    } catch (error) {
      if (error instanceof git.Errors.NotFoundError) return undefined
      throw error
    }
  }

  /** Undefined for one that is not here, as before the end of a shallow clone. */
  async #read(oid: string, path: string): Promise<Waiting | undefined> {
    try {
      return { oid, path, commit: (await git.readCommit({ ...this.#at, oid })).commit }
    } catch (error) {
      if (error instanceof git.Errors.NotFoundError) return undefined
      throw error
    }
  }

  async #find(tree: string, path: string): Promise<string | undefined> {
    let oid = tree
    const steps = path.split('/')
    for (const [index, step] of steps.entries()) {
      const { tree: entries } = await git.readTree({ ...this.#at, oid })
      const entry = entries.find((one) => one.path === step)
      if (entry?.type !== (index === steps.length - 1 ? 'blob' : 'tree')) return undefined
      oid = entry.oid
    }
    return oid
  }

  /** What had the same bytes before, and is gone. */
  async #movedFrom(before: string, after: string, blob: string): Promise<string | undefined> {
    for await (const path of this.#withBlob(before, blob, ''))
      if ((await this.#find(after, path)) === undefined) return path
    return undefined
  }

  async *#withBlob(tree: string, blob: string, prefix: string): AsyncGenerator<string> {
    const { tree: entries } = await git.readTree({ ...this.#at, oid: tree })
    for (const { path, oid, type } of entries) {
      if (type === 'blob' && oid === blob) yield prefix + path
      else if (type === 'tree') yield* this.#withBlob(oid, blob, `${prefix}${path}/`)
    }
  }

  async #bytes(oid: string): Promise<Buffer> {
    return Buffer.from((await git.readBlob({ ...this.#at, oid })).blob)
  }
}
