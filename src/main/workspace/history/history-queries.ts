import { AppError } from '#shared/util/errors.ts'
import { compareLines, describeChange } from '#platform'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import type { CommitRecord, FileRecord } from './history-change.ts'
import type { Repository } from './repository.ts'

/** Maximum length of a text for `blameFile`, UTF-16 code units. */
const maxBlameLength = 2_000_000

export interface BlamedLine extends WriteOrigin {
  readonly commit: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface TimelineRequest {
  /** Only changes of the file that has this path in the newest commit, under its earlier paths too. */
  readonly path?: string | undefined
  /** Commit id: only changes older than this commit. */
  readonly before?: string | undefined
  /** Commit id: only this commit and older ones. */
  readonly from?: string | undefined
  /** Only changes at this time or later, milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly causes?: readonly string[] | undefined
  readonly limit: number
  /** True: the files that existed before the history form one row. Ignored if `path` is set. */
  readonly groupAdopted?: boolean | undefined
}

export type FileChangeRecord = Omit<CommitRecord, 'files'> & {
  readonly file: FileRecord
  readonly now: string
  readonly files?: number
}

/**
 * Returns changes, newest first. All matching files of a commit are returned, even beyond `limit`.
 * @throws AppError `input_invalid` if the commit `from` is unknown
 */
export async function queryTimeline(
  repository: Repository,
  { path, before, from, since, causes, limit, groupAdopted = false }: TimelineRequest,
): Promise<FileChangeRecord[]> {
  const changes: FileChangeRecord[] = []
  const currentPaths = new CurrentPaths()
  let followedPath = path
  const log = await repository.log()
  if (from !== undefined && !log.some(({ commit }) => commit === from)) {
    const reason = `the history has no change ${from} (it may be too old)`
    throw new AppError('input_invalid', reason, { reason })
  }
  let isInRange = before === undefined && from === undefined
  for (const record of log) {
    if (changes.length >= limit || (since !== undefined && record.at < since)) break
    isInRange ||= record.commit === from
    const isIncluded = isInRange
    isInRange ||= record.commit === before
    const pathsNow = record.files.map((file) => currentPaths.of(file.path))
    currentPaths.addMoves(record.files)
    // Drop `files`: repeating all files of a commit in each of its rows takes too much memory.
    const { files, ...commit } = record
    if (groupAdopted && followedPath === undefined && record.cause === 'adopted') {
      const [file] = files
      if (file && isIncluded && (causes === undefined || causes.includes(record.cause)))
        changes.push({ ...commit, file, now: pathsNow[0] ?? file.path, files: files.length })
      continue
    }
    for (const [index, file] of files.entries()) {
      const now = pathsNow[index] ?? file.path
      if (followedPath !== undefined && file.path !== followedPath) continue
      if (isIncluded && (causes === undefined || causes.includes(record.cause))) changes.push({ ...commit, file, now })
      if (followedPath !== undefined && file.from !== undefined) followedPath = file.from
    }
  }
  return changes
}

/**
 * Returns the current path of the file that had the path `path` after `commit`. Without `commit`, follows the newest
 * move away from `path`. Returns `path` itself if the file was not moved.
 */
export async function currentPath(repository: Repository, path: string, commit?: string): Promise<string> {
  const currentPaths = new CurrentPaths()
  for (const record of await repository.log()) {
    if (record.commit === commit) break
    const movedFile = record.files.find(({ from }) => from === path)
    if (commit === undefined && movedFile) return currentPaths.of(movedFile.path)
    currentPaths.addMoves(record.files)
  }
  return currentPaths.of(path)
}

/** Returns the current path of a file that no longer exists at `path`; undefined if it was deleted. */
export async function findMovedFile(repository: Repository, path: string): Promise<string | undefined> {
  const newPath = await currentPath(repository, path)
  return newPath === path ? detectRename(await repository.log(), path) : newPath
}

/** Maximum time between the removal and the addition of a file that another program renamed, ms. */
const maxRenameGapMs = 5000

/**
 * Detects a rename by another program: a new file with the same text appeared at the same time. If there are several,
 * returns the one with the same file name.
 * @param log newest first
 * @returns undefined if the file was deleted, or the target is ambiguous
 */
export function detectRename(log: readonly CommitRecord[], path: string): string | undefined {
  const removal = log.find(({ files }) => files.some((file) => file.path === path || file.from === path))
  const file = removal?.files.find((removed) => removed.path === path)
  if (removal?.cause !== 'outside' || file?.after !== null || file.before === null || file.removed === 0)
    return undefined
  const candidates = log
    .filter(({ cause, at }) => cause === 'outside' && Math.abs(at - removal.at) <= maxRenameGapMs)
    .flatMap(({ files }) => files)
    .filter((added) => added.before === null && added.after === file.before && added.path !== path)
  const fileName = (filePath: string) => filePath.slice(filePath.lastIndexOf('/') + 1)
  const sameNameCandidates = candidates.filter((candidate) => fileName(candidate.path) === fileName(path))
  const [renamedFile, ...others] = candidates.length > 1 ? sameNameCandidates : candidates
  return others.length === 0 ? renamedFile?.path : undefined
}

class CurrentPaths {
  readonly #currentByPath = new Map<string, string>()

  of(path: string): string {
    return this.#currentByPath.get(path) ?? path
  }

  addMoves(files: readonly FileRecord[]): void {
    const moves = files.flatMap(({ path, from }) => (from === undefined ? [] : [{ path, from, now: this.of(path) }]))
    // Before this move, the path belonged to another file or to none.
    for (const { path } of moves) this.#currentByPath.delete(path)
    for (const { from, now } of moves) this.#currentByPath.set(from, now)
  }
}

/**
 * Returns a change as a unified diff, and the texts before and after it.
 * @throws AppError `file_not_found` if the commit did not change the file
 */
export async function diffOf(
  repository: Repository,
  commit: string,
  path: string,
): Promise<{ patch: string; before: string | null; after: string | null }> {
  const file = (await repository.log())
    .find((record) => record.commit === commit)
    ?.files.find((changedFile) => changedFile.path === path)
  if (!file) throw new AppError('file_not_found', `${path} has no change ${commit}`, { path })
  const before = file.before === null ? null : await repository.text(file.before)
  const after = file.after === null ? null : await repository.text(file.after)
  const { patch } = describeChange(path, before ?? '', after ?? '', { isInHistory: true })
  return { patch, before, after }
}

/** Returns a recorded text by its blob id; undefined if the repository does not contain it. */
export async function textIfExists(repository: Repository, id: string): Promise<string | undefined> {
  try {
    return await repository.text(id)
  } catch (error) {
    if (error instanceof Error && error.name === 'NotFoundError') return undefined
    throw error
  }
}

/**
 * Returns for each line of the newest recorded text the change that wrote it; empty if a version is longer than
 * `maxBlameLength`.
 */
export async function blameFile(repository: Repository, path: string): Promise<BlamedLine[]> {
  const changes = await queryTimeline(repository, { path, limit: Number.MAX_SAFE_INTEGER })
  const versions: { id: BlamedLine; text: string }[] = []
  for (const { commit, at, cause, session, turn, client, sources, file } of changes.reverse()) {
    const text = file.after === null ? '' : await repository.text(file.after)
    if (text.length > maxBlameLength) return []
    versions.push({ id: { commit, at, cause, session, turn, client, ...(sources ? { sources } : {}) }, text })
  }
  return blame(versions)
}

/** @param versions oldest first @returns for each line of the last version the id of the version that wrote it */
export function blame<Id>(versions: readonly { readonly id: Id; readonly text: string }[]): Id[] {
  let lines: string[] = []
  let lineIds: Id[] = []
  for (const { id, text } of versions) {
    const next = linesOf(text)
    let line = 0
    const parts = compareLines(lines, next).map(({ from, to, newFrom, newTo }) => {
      const unchanged = lineIds.slice(line, from)
      line = to
      return [...unchanged, ...Array<Id>(newTo - newFrom).fill(id)]
    })
    lineIds = [...parts, lineIds.slice(line)].flat()
    lines = next
  }
  return lineIds
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
