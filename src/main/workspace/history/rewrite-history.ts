import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as git from 'isomorphic-git'
import { countLines, Mutex, makeFolder, readIfExists, writeDurably } from '#platform'
import { parseJson } from '#shared/util/json.ts'
import { atomicFs as fs } from './atomic-fs.ts'
import { writeBlob } from './repository.ts'
import { commitMessage, parseMessage, type FileRecord } from './history-change.ts'
import { repositoryIn } from './journal.ts'

export interface HistoryRewrite {
  /** Returns the new text of a version; `path` is empty for commit messages and sources. */
  readonly text: (path: string, text: string) => string
  /** False removes the file from the history. */
  readonly keepsPath: (path: string) => boolean
}

const branch = 'refs/heads/main'

/** Number of recorded versions of a file with a match; `text` is the first of them, or the path. */
export interface FoundVersions {
  readonly path: string
  readonly versions: number
  readonly text: string
}

/** Searches recorded texts and paths; empty if there is no history. @throws the signal's reason */
export async function findInHistory(
  folder: string,
  isMatch: (text: string) => boolean,
  signal?: AbortSignal,
): Promise<FoundVersions[]> {
  const gitdir = repositoryIn(folder)
  const found = new Map<string, { ids: Set<string>; text: string }>()
  const known = new Map<string, string | undefined>()
  for (const { message } of await readCommits(gitdir)) {
    signal?.throwIfAborted()
    for (const { path, before, after } of parseMessage(message).files)
      for (const id of [before, after]) {
        if (id === null) continue
        if (!known.has(id)) {
          const text = await readBlobText(gitdir, id)
          known.set(id, text !== undefined && isMatch(text) ? text : undefined)
        }
        const text = known.get(id)
        if (text === undefined && !isMatch(path)) continue
        const entry = found.get(path) ?? { ids: new Set<string>(), text: text ?? path }
        entry.ids.add(id)
        found.set(path, entry)
      }
  }
  return [...found].map(([path, { ids, text }]) => ({ path, versions: ids.size, text }))
}

/** Checks that no other process records. @throws AppError `file_busy` */
export async function assertNotRecording(folder: string): Promise<void> {
  const recording = new Mutex(repositoryIn(folder))
  try {
    await recording.run(async () => undefined)
  } finally {
    recording.close()
  }
}

/**
 * Rewrites all commits without the erased parts, and replaces the repository. Also rewrites the journal and the
 * accepted hunks.
 * @returns the number of commits; undefined if there is no history
 * @throws AppError `file_busy` if another process records; the signal's reason
 */
export async function rewriteHistory(
  folder: string,
  workspace: string,
  change: HistoryRewrite,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const gitdir = repositoryIn(folder)
  const [rewritten, obsolete] = [`${gitdir}.new`, `${gitdir}.gone`]
  // A previous run was interrupted: restore the original and start again.
  if (!existsSync(gitdir) && existsSync(obsolete)) await rename(obsolete, gitdir)
  await rm(rewritten, { recursive: true, force: true })
  await rm(obsolete, { recursive: true, force: true })
  if (!existsSync(join(gitdir, 'HEAD'))) return undefined
  const recording = new Mutex(gitdir)
  const journal = new Mutex(join(folder, 'journal.jsonl'))
  try {
    return await recording.run(() =>
      journal.run(async () => {
        const rewriter = new HistoryRewriter(gitdir, rewritten, change)
        const count = await rewriter.run(workspace, signal)
        await rewriteJournal(folder, rewriter, change)
        await rewriteAccepted(folder, rewriter)
        await rename(gitdir, obsolete)
        await rename(rewritten, gitdir)
        await rm(obsolete, { recursive: true, force: true })
        return count
      }),
    )
  } finally {
    recording.close()
    journal.close()
  }
}

class HistoryRewriter {
  readonly #from: string
  readonly #to: string
  readonly #change: HistoryRewrite
  readonly #trees = new Map<string, string | undefined>()
  readonly #blobs = new Map<string, string>()
  readonly commits = new Map<string, string>()

  constructor(from: string, to: string, change: HistoryRewrite) {
    this.#from = from
    this.#to = to
    this.#change = change
  }

  async run(workspace: string, signal: AbortSignal | undefined): Promise<number> {
    await makeFolder(this.#to)
    await git.init({ fs, gitdir: this.#to, dir: workspace, defaultBranch: 'main' })
    await git.setConfig({ fs, gitdir: this.#to, path: 'core.worktree', value: workspace })
    let parent: string | undefined
    let count = 0
    for (const { oid, message, tree, author } of (await readCommits(this.#from)).reverse()) {
      signal?.throwIfAborted()
      const { journal, files, sources = [], ...rest } = parseMessage(message)
      const named = sources.filter((source) => this.#change.text('', source) === source)
      const origin = { ...rest, ...(named.length > 0 ? { sources: named } : {}) }
      const keptFiles: FileRecord[] = []
      for (const file of files) {
        const changed = await this.#rewriteRecord(file)
        if (changed) keptFiles.push(changed)
      }
      const newTree = await this.#rewriteTree(tree, '')
      // Drop commits that changed only erased content. Commits of other programs list no files and stay.
      if (keptFiles.length === 0 && files.length > 0 && parent !== undefined && journal === undefined) {
        this.commits.set(oid, parent)
        continue
      }
      parent = await git.commit({
        fs,
        gitdir: this.#to,
        tree: newTree ?? (await git.writeTree({ fs, gitdir: this.#to, tree: [] })),
        parent: parent === undefined ? [] : [parent],
        ref: branch,
        message:
          files.length > 0 || journal !== undefined
            ? commitMessage(origin, keptFiles, journal)
            : this.#rewriteMessage(message),
        author,
        committer: author,
      })
      this.commits.set(oid, parent)
      count += 1
    }
    return count
  }

  /** Returns the new id of a blob; null if its file is removed from the history, undefined if the blob is missing. */
  async rewriteBlob(path: string, id: string): Promise<string | null | undefined> {
    if (!this.#change.keepsPath(path)) return null
    const key = `${path}\n${id}`
    const known = this.#blobs.get(key)
    if (known !== undefined) return known
    const text = await readBlobText(this.#from, id)
    if (text === undefined) return undefined
    const rewritten = await writeBlob(this.#to, this.#change.text(path, text))
    this.#blobs.set(key, rewritten)
    return rewritten
  }

  #rewriteMessage(message: string): string {
    return this.#change.text('', message)
  }

  async #rewriteRecord(file: FileRecord): Promise<FileRecord | undefined> {
    const { path, from } = file
    if (!this.#change.keepsPath(path)) return undefined
    const isFromKept = from === undefined || this.#change.keepsPath(from)
    const newBlobId = async (id: string | null, at: string) =>
      id === null ? null : ((await this.rewriteBlob(at, id)) ?? null)
    const [before, after] = [await newBlobId(file.before, from ?? path), await newBlobId(file.after, path)]
    if (before === after && from === undefined) return undefined
    const text = async (id: string | null) => (id === null ? '' : ((await readBlobText(this.#to, id)) ?? ''))
    const { added, removed } = countLines(await text(before), await text(after))
    return { path, ...(isFromKept && from !== undefined ? { from } : {}), added, removed, before, after }
  }

  async #rewriteTree(oid: string, prefix: string): Promise<string | undefined> {
    const key = `${prefix}\n${oid}`
    if (this.#trees.has(key)) return this.#trees.get(key)
    const entries = []
    for (const entry of (await git.readTree({ fs, gitdir: this.#from, oid })).tree) {
      const path = prefix + entry.path
      const rewritten =
        entry.type === 'tree' ? await this.#rewriteTree(entry.oid, `${path}/`) : await this.rewriteBlob(path, entry.oid)
      if (rewritten !== undefined && rewritten !== null) entries.push({ ...entry, oid: rewritten })
    }
    const rewritten =
      entries.length > 0 || prefix === '' ? await git.writeTree({ fs, gitdir: this.#to, tree: entries }) : undefined
    this.#trees.set(key, rewritten)
    return rewritten
  }
}

/** Journal lines refer to blobs as well. */
async function rewriteJournal(folder: string, rewriter: HistoryRewriter, change: HistoryRewrite): Promise<void> {
  const file = join(folder, 'journal.jsonl')
  const text = await readIfExists(file)
  if (text === undefined || text === '') return
  const rows: string[] = []
  for (const row of text.split('\n')) {
    const line = parseJson(row) as
      | { path: string; from?: string; before: string | null; after: string | null }
      | undefined
    if (!line || !change.keepsPath(line.path)) continue
    const { from, ...rest } = line
    const isFromKept = from !== undefined && change.keepsPath(from)
    const newBlobId = async (id: string | null, path: string) =>
      id === null ? null : ((await rewriter.rewriteBlob(path, id)) ?? null)
    const [before, after] = [await newBlobId(line.before, from ?? line.path), await newBlobId(line.after, line.path)]
    rows.push(JSON.stringify({ ...rest, ...(isFromKept ? { from } : {}), before, after }))
  }
  await writeDurably(file, rows.map((row) => `${row}\n`).join(''))
}

/** Accepted hunks refer to commits. */
async function rewriteAccepted(folder: string, { commits }: HistoryRewriter): Promise<void> {
  const file = join(folder, 'accepted.json')
  const text = await readIfExists(file)
  const list = text === undefined ? undefined : parseJson(text)
  if (!Array.isArray(list)) return
  const mapped = (list as { commit?: string }[]).map((one) => ({
    ...one,
    commit: commits.get(one.commit ?? '') ?? one.commit,
  }))
  await writeDurably(file, JSON.stringify(mapped))
}

interface Commit {
  readonly oid: string
  readonly message: string
  readonly tree: string
  readonly author: git.CommitObject['author']
}

/** Returns commits, newest first, up to the first that cannot be read. */
async function readCommits(gitdir: string): Promise<Commit[]> {
  const found: Commit[] = []
  const shallow = (await readIfExists(join(gitdir, 'shallow')))?.trim()
  let oid: string | undefined = await git.resolveRef({ fs, gitdir, ref: branch }).catch(() => undefined)
  while (oid !== undefined) {
    const commit: git.CommitObject | undefined = await git.readCommit({ fs, gitdir, oid }).then(
      (read) => read.commit,
      () => undefined,
    )
    if (!commit) break
    found.push({ oid, message: commit.message, tree: commit.tree, author: commit.author })
    oid = oid === shallow ? undefined : commit.parent[0]
  }
  return found
}

async function readBlobText(gitdir: string, id: string): Promise<string | undefined> {
  return git.readBlob({ fs, gitdir, oid: id }).then(
    ({ blob }) => Buffer.from(blob).toString('utf8'),
    () => undefined,
  )
}
