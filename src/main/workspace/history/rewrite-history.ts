import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as git from 'isomorphic-git'
import { countLines, readIfExists, runExclusively, writeDurably } from '#platform'
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

/**
 * Searches recorded texts and paths; empty if there is no history.
 * @returns `versions`: number of recorded versions of a file that match; `text`: the first matching text, or the path
 * @throws the signal's reason
 */
export async function findInHistory(
  folder: string,
  isMatch: (text: string) => boolean,
  signal?: AbortSignal,
): Promise<{ path: string; versions: number; text: string }[]> {
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
  const replaceRepository = async () => {
    const rewriter = createRewriter(gitdir, newGitdir, rewrite)
    const count = await rewriter.run(workspace, signal)
    await rewriteJournal(folder, rewriter, rewrite)
    await rewriteAccepted(folder, rewriter)
    await rename(gitdir, oldGitdir)
    await rename(newGitdir, gitdir)
    await rm(oldGitdir, { recursive: true, force: true })
    return count
  }
  return runExclusively(gitdir, () => runExclusively(join(folder, 'journal.jsonl'), replaceRepository))
}

type HistoryRewriter = ReturnType<typeof createRewriter>

/** @param fromGitdir repository to read @param toGitdir repository to write */
function createRewriter(fromGitdir: string, toGitdir: string, { rewriteText, keepsPath }: HistoryRewrite) {
  /** New id by path and old id; undefined for a tree that becomes empty. */
  const newTrees = new Map<string, string | undefined>()
  const newBlobs = new Map<string, string>()
  const newCommits = new Map<string, string>()

  async function run(workspace: string, signal: AbortSignal | undefined): Promise<number> {
    await initRepository(toGitdir, workspace)
    const commits = await Array.fromAsync(readCommits(fromGitdir, await headOf(fromGitdir)))
    let parent: string | undefined
    let count = 0
    for (const { oid, commit } of commits.reverse()) {
      signal?.throwIfAborted()
      const { message, tree, author } = commit
      const { journal, files, sources = [], ...otherFields } = parseMessage(message)
      const remainingSources = sources.filter((source) => rewriteText('', source) === source)
      const origin = { ...otherFields, ...(remainingSources.length > 0 ? { sources: remainingSources } : {}) }
      const keptFiles: FileRecord[] = []
      for (const file of files) {
        const rewritten = await rewriteRecord(file)
        if (rewritten) keptFiles.push(rewritten)
      }
      const treeId = await rewriteTree(tree, '')
      // Drop commits that changed only erased content. Commits of other programs list no files and stay.
      if (keptFiles.length === 0 && files.length > 0 && parent !== undefined && journal === undefined) {
        newCommits.set(oid, parent)
        continue
      }
      parent = await git.commit({
        fs,
        gitdir: toGitdir,
        tree: treeId ?? (await git.writeTree({ fs, gitdir: toGitdir, tree: [] })),
        parent: parent === undefined ? [] : [parent],
        ref: branch,
        message:
          files.length > 0 || journal !== undefined
            ? commitMessage(origin, keptFiles, journal)
            : rewriteText('', message),
        author,
        committer: author,
      })
      newCommits.set(oid, parent)
      count += 1
    }
    return count
  }

  /** Returns the new id of a blob; null if its file is removed from the history, undefined if the blob is missing. */
  async function rewriteBlob(path: string, id: string): Promise<string | null | undefined> {
    if (!keepsPath(path)) return null
    const key = `${path}\n${id}`
    const knownId = newBlobs.get(key)
    if (knownId !== undefined) return knownId
    const text = await textIfExists(fromGitdir, id)
    if (text === undefined) return undefined
    const newId = await writeBlob(toGitdir, rewriteText(path, text))
    newBlobs.set(key, newId)
    return newId
  }

  /** Returns the new blob ids of a change; null for a blob that is missing or removed from the history. */
  async function rewriteIds({ path, from = path, before, after }: Omit<FileRecord, 'added' | 'removed'>) {
    const newId = async (id: string | null, blobPath: string) =>
      id === null ? null : ((await rewriteBlob(blobPath, id)) ?? null)
    return { before: await newId(before, from), after: await newId(after, path) }
  }

  async function rewriteRecord(file: FileRecord): Promise<FileRecord | undefined> {
    const { path, from } = file
    if (!keepsPath(path)) return undefined
    const isFromKept = from === undefined || keepsPath(from)
    const { before, after } = await rewriteIds(file)
    if (before === after && from === undefined) return undefined
    const readText = async (id: string | null) => (id === null ? '' : ((await textIfExists(toGitdir, id)) ?? ''))
    const { added, removed } = countLines(await readText(before), await readText(after))
    return { path, ...(isFromKept && from !== undefined ? { from } : {}), added, removed, before, after }
  }

  async function rewriteTree(oid: string, prefix: string): Promise<string | undefined> {
    const key = `${prefix}\n${oid}`
    if (newTrees.has(key)) return newTrees.get(key)
    const entries = []
    for (const entry of (await git.readTree({ fs, gitdir: fromGitdir, oid })).tree) {
      const path = prefix + entry.path
      const newId =
        entry.type === 'tree' ? await rewriteTree(entry.oid, `${path}/`) : await rewriteBlob(path, entry.oid)
      if (newId !== undefined && newId !== null) entries.push({ ...entry, oid: newId })
    }
    const newTreeId =
      entries.length > 0 || prefix === '' ? await git.writeTree({ fs, gitdir: toGitdir, tree: entries }) : undefined
    newTrees.set(key, newTreeId)
    return newTreeId
  }

  return { run, rewriteIds, newCommits }
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

async function rewriteAccepted(folder: string, { newCommits }: HistoryRewriter): Promise<void> {
  const file = join(folder, 'accepted.json')
  const text = await readIfExists(file)
  const list = text === undefined ? undefined : parseJson(text)
  if (!Array.isArray(list)) return
  const rewritten = (list as { commit?: string }[]).map((hunk) => ({
    ...hunk,
    commit: newCommits.get(hunk.commit ?? '') ?? hunk.commit,
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
