import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as git from 'isomorphic-git'
import { countLines, Mutex, readIfExists, writeDurably } from '#platform'
import { parseJson } from '#shared/util/json.ts'
import { atomicFs as fs } from './atomic-fs.ts'
import { branch, initRepository, readBlobText, readCommits, writeBlob } from './repository.ts'
import { commitMessage, parseMessage, type FileRecord } from './history-change.ts'
import { repositoryPath } from './journal.ts'

export interface HistoryRewrite {
  /** Returns the new text of a version; `path` is empty for commit messages and sources. */
  readonly rewriteText: (path: string, text: string) => string
  readonly keepsPath: (path: string) => boolean
}

/** Number of recorded versions of a file that match; `text` is the first matching text, or the path. */
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
  const gitdir = repositoryPath(folder)
  const versionsByPath = new Map<string, { ids: Set<string>; text: string }>()
  const matchingTexts = new Map<string, string | undefined>()
  for await (const { commit } of readCommits(gitdir, await headOf(gitdir))) {
    signal?.throwIfAborted()
    for (const { path, before, after } of parseMessage(commit.message).files)
      for (const id of [before, after]) {
        if (id === null) continue
        if (!matchingTexts.has(id)) {
          const text = await textIfExists(gitdir, id)
          matchingTexts.set(id, text !== undefined && isMatch(text) ? text : undefined)
        }
        const text = matchingTexts.get(id)
        if (text === undefined && !isMatch(path)) continue
        const entry = versionsByPath.get(path) ?? { ids: new Set<string>(), text: text ?? path }
        entry.ids.add(id)
        versionsByPath.set(path, entry)
      }
  }
  return [...versionsByPath].map(([path, { ids, text }]) => ({ path, versions: ids.size, text }))
}

/** Checks that no other process records. @throws AppError `file_busy` */
export async function assertNotRecording(folder: string): Promise<void> {
  const recordingLock = new Mutex(repositoryPath(folder))
  try {
    await recordingLock.run(async () => undefined)
  } finally {
    recordingLock.close()
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
  rewrite: HistoryRewrite,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const gitdir = repositoryPath(folder)
  const [newGitdir, oldGitdir] = [`${gitdir}.new`, `${gitdir}.gone`]
  // A previous run was interrupted: restore the original and start again.
  if (!existsSync(gitdir) && existsSync(oldGitdir)) await rename(oldGitdir, gitdir)
  await rm(newGitdir, { recursive: true, force: true })
  await rm(oldGitdir, { recursive: true, force: true })
  if (!existsSync(join(gitdir, 'HEAD'))) return undefined
  const recordingLock = new Mutex(gitdir)
  const journalLock = new Mutex(join(folder, 'journal.jsonl'))
  try {
    return await recordingLock.run(() =>
      journalLock.run(async () => {
        const rewriter = new HistoryRewriter(gitdir, newGitdir, rewrite)
        const count = await rewriter.run(workspace, signal)
        await rewriteJournal(folder, rewriter, rewrite)
        await rewriteAccepted(folder, rewriter)
        await rename(gitdir, oldGitdir)
        await rename(newGitdir, gitdir)
        await rm(oldGitdir, { recursive: true, force: true })
        return count
      }),
    )
  } finally {
    recordingLock.close()
    journalLock.close()
  }
}

class HistoryRewriter {
  readonly #from: string
  readonly #to: string
  readonly #rewrite: HistoryRewrite
  /** New id by path and old id; undefined for a tree that becomes empty. */
  readonly #trees = new Map<string, string | undefined>()
  readonly #blobs = new Map<string, string>()
  readonly commits = new Map<string, string>()

  constructor(from: string, to: string, rewrite: HistoryRewrite) {
    this.#from = from
    this.#to = to
    this.#rewrite = rewrite
  }

  async run(workspace: string, signal: AbortSignal | undefined): Promise<number> {
    await initRepository(this.#to, workspace)
    const commits = await Array.fromAsync(readCommits(this.#from, await headOf(this.#from)))
    let parent: string | undefined
    let count = 0
    for (const { oid, commit } of commits.reverse()) {
      signal?.throwIfAborted()
      const { message, tree, author } = commit
      const { journal, files, sources = [], ...otherFields } = parseMessage(message)
      const remainingSources = sources.filter((source) => this.#rewrite.rewriteText('', source) === source)
      const origin = { ...otherFields, ...(remainingSources.length > 0 ? { sources: remainingSources } : {}) }
      const keptFiles: FileRecord[] = []
      for (const file of files) {
        const rewritten = await this.#rewriteRecord(file)
        if (rewritten) keptFiles.push(rewritten)
      }
      const treeId = await this.#rewriteTree(tree, '')
      // Drop commits that changed only erased content. Commits of other programs list no files and stay.
      if (keptFiles.length === 0 && files.length > 0 && parent !== undefined && journal === undefined) {
        this.commits.set(oid, parent)
        continue
      }
      parent = await git.commit({
        fs,
        gitdir: this.#to,
        tree: treeId ?? (await git.writeTree({ fs, gitdir: this.#to, tree: [] })),
        parent: parent === undefined ? [] : [parent],
        ref: branch,
        message:
          files.length > 0 || journal !== undefined
            ? commitMessage(origin, keptFiles, journal)
            : this.#rewrite.rewriteText('', message),
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
    if (!this.#rewrite.keepsPath(path)) return null
    const key = `${path}\n${id}`
    const knownId = this.#blobs.get(key)
    if (knownId !== undefined) return knownId
    const text = await textIfExists(this.#from, id)
    if (text === undefined) return undefined
    const newId = await writeBlob(this.#to, this.#rewrite.rewriteText(path, text))
    this.#blobs.set(key, newId)
    return newId
  }

  /** Returns the new blob ids of a change; null for a blob that is missing or removed from the history. */
  async rewriteIds({ path, from = path, before, after }: Omit<FileRecord, 'added' | 'removed'>) {
    const newId = async (id: string | null, blobPath: string) =>
      id === null ? null : ((await this.rewriteBlob(blobPath, id)) ?? null)
    return { before: await newId(before, from), after: await newId(after, path) }
  }

  async #rewriteRecord(file: FileRecord): Promise<FileRecord | undefined> {
    const { path, from } = file
    if (!this.#rewrite.keepsPath(path)) return undefined
    const isFromKept = from === undefined || this.#rewrite.keepsPath(from)
    const { before, after } = await this.rewriteIds(file)
    if (before === after && from === undefined) return undefined
    const readText = async (id: string | null) => (id === null ? '' : ((await textIfExists(this.#to, id)) ?? ''))
    const { added, removed } = countLines(await readText(before), await readText(after))
    return { path, ...(isFromKept && from !== undefined ? { from } : {}), added, removed, before, after }
  }

  async #rewriteTree(oid: string, prefix: string): Promise<string | undefined> {
    const key = `${prefix}\n${oid}`
    if (this.#trees.has(key)) return this.#trees.get(key)
    const entries = []
    for (const entry of (await git.readTree({ fs, gitdir: this.#from, oid })).tree) {
      const path = prefix + entry.path
      const newId =
        entry.type === 'tree' ? await this.#rewriteTree(entry.oid, `${path}/`) : await this.rewriteBlob(path, entry.oid)
      if (newId !== undefined && newId !== null) entries.push({ ...entry, oid: newId })
    }
    const newTreeId =
      entries.length > 0 || prefix === '' ? await git.writeTree({ fs, gitdir: this.#to, tree: entries }) : undefined
    this.#trees.set(key, newTreeId)
    return newTreeId
  }
}

async function rewriteJournal(folder: string, rewriter: HistoryRewriter, rewrite: HistoryRewrite): Promise<void> {
  const file = join(folder, 'journal.jsonl')
  const text = await readIfExists(file)
  if (text === undefined || text === '') return
  const rewrittenLines: string[] = []
  for (const json of text.split('\n')) {
    const line = parseJson(json) as Omit<FileRecord, 'added' | 'removed'> | undefined
    if (!line || !rewrite.keepsPath(line.path)) continue
    const { from, ...otherFields } = line
    const isFromKept = from !== undefined && rewrite.keepsPath(from)
    const ids = await rewriter.rewriteIds(line)
    rewrittenLines.push(JSON.stringify({ ...otherFields, ...(isFromKept ? { from } : {}), ...ids }))
  }
  await writeDurably(file, rewrittenLines.map((json) => `${json}\n`).join(''))
}

async function rewriteAccepted(folder: string, { commits }: HistoryRewriter): Promise<void> {
  const file = join(folder, 'accepted.json')
  const text = await readIfExists(file)
  const list = text === undefined ? undefined : parseJson(text)
  if (!Array.isArray(list)) return
  const rewritten = (list as { commit?: string }[]).map((hunk) => ({
    ...hunk,
    commit: commits.get(hunk.commit ?? '') ?? hunk.commit,
  }))
  await writeDurably(file, JSON.stringify(rewritten))
}

/** Returns the id of the newest commit; undefined if there is none or it cannot be read. */
async function headOf(gitdir: string): Promise<string | undefined> {
  return git.resolveRef({ fs, gitdir, ref: branch }).catch(() => undefined)
}

async function textIfExists(gitdir: string, id: string): Promise<string | undefined> {
  return readBlobText(gitdir, id).catch(() => undefined)
}
