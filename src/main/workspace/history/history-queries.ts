import { AppError } from '#shared/util/errors.ts'
import { compareLines, describeChange } from '#platform'
import type { WriteOrigin as Origin } from '../files/workspace-edits.ts'
import type { CommitRecord, FileRecord } from './history-change.ts'
import type { Repository } from './repository.ts'

/** Larger texts have no lines worth telling apart. */
const maxBlamed = 2_000_000

export interface BlamedLine extends Origin {
  readonly commit: string
  readonly at: number
}

export interface TimelineRequest {
  readonly path?: string | undefined
  /** Only what is older than this commit. */
  readonly before?: string | undefined
  /** Only this commit and what is older. */
  readonly from?: string | undefined
  readonly since?: number | undefined
  readonly causes?: readonly string[] | undefined
  readonly limit: number
  /** What was there before the history is told in one, not file by file; asked of one file, it is told anyway. */
  readonly isBrief?: boolean | undefined
}

/** A commit with the one file of it that is meant. */
export type FileChangeRecord = Omit<CommitRecord, 'files'> & {
  readonly file: FileRecord
  /** What the file is called now. */
  readonly now: string
  /** So many are meant, this being one of them. */
  readonly files?: number
}

/** Changes, newest first; of a commit all or none. @throws AppError `input_invalid` where `from` is not known */
export async function timelineOf(
  repository: Repository,
  { path, before, from, since, causes, limit, isBrief = false }: TimelineRequest,
): Promise<FileChangeRecord[]> {
  const found: FileChangeRecord[] = []
  const names = new LaterNames()
  let name = path
  const log = await repository.log()
  if (from !== undefined && !log.some(({ commit }) => commit === from)) {
    const reason = `the history has no change ${from}, or not any more`
    throw new AppError('input_invalid', reason, { reason })
  }
  let isPast = before === undefined && from === undefined
  for (const record of log) {
    if (found.length >= limit || (since !== undefined && record.at < since)) break
    isPast ||= record.commit === from
    const wasPast = isPast
    isPast ||= record.commit === before
    const later = record.files.map((file) => names.of(file.path))
    names.passed(record.files)
    // Not the files: with each of thousands, all of them would be told.
    const { files, ...rest } = record
    if (isBrief && name === undefined && record.cause === 'adopted') {
      const [file] = files
      if (file && wasPast && (causes === undefined || causes.includes(record.cause)))
        found.push({ ...rest, file, now: later[0] ?? file.path, files: files.length })
      continue
    }
    for (const [place, file] of files.entries()) {
      const now = later[place] ?? file.path
      if (name !== undefined && file.path !== name) continue
      if (wasPast && (causes === undefined || causes.includes(record.cause))) found.push({ ...rest, file, now })
      if (name !== undefined && file.from !== undefined) name = file.from
    }
  }
  return found
}

/**
 * What a file is called now, that had this name after a commit; without one, the name it has lost last. The name itself
 * where it was not moved since.
 */
export async function nameNow(repository: Repository, path: string, commit?: string): Promise<string> {
  const names = new LaterNames()
  for (const record of await repository.log()) {
    if (record.commit === commit) break
    const moved = record.files.find(({ from }) => from === path)
    if (commit === undefined && moved) return names.of(moved.path)
    names.passed(record.files)
  }
  return names.of(path)
}

/** Where a file went that is gone, whoever moved it; undefined when it was deleted. */
export async function movedTo(repository: Repository, path: string): Promise<string | undefined> {
  const now = await nameNow(repository, path)
  return now === path ? renamedTo(await repository.log(), path) : now
}

/** What another program renames is seen as one file that goes and one that comes, within this, ms. */
const sameMomentMs = 5000

/**
 * Where another program has renamed a file to that went: a new one that came in the same moment with the same text. Where
 * several did, the one of the same name in another folder. Undefined when it was deleted, or nobody can say.
 * @param log newest first
 */
export function renamedTo(log: readonly CommitRecord[], path: string): string | undefined {
  const lost = log.find(({ files }) => files.some((file) => file.path === path || file.from === path))
  const file = lost?.files.find((one) => one.path === path)
  if (lost?.cause !== 'outside' || file?.after !== null || file.before === null || file.removed === 0) return undefined
  const came = log
    .filter(({ cause, at }) => cause === 'outside' && Math.abs(at - lost.at) <= sameMomentMs)
    .flatMap(({ files }) => files)
    .filter((one) => one.before === null && one.after === file.before && one.path !== path)
  const nameOf = (of: string) => of.slice(of.lastIndexOf('/') + 1)
  const sameName = came.filter((one) => nameOf(one.path) === nameOf(path))
  const [only, ...others] = came.length > 1 ? sameName : came
  return others.length === 0 ? only?.path : undefined
}

/** From the newest change backwards: what a name of that time has become. */
class LaterNames {
  readonly #later = new Map<string, string>()

  of(path: string): string {
    return this.#later.get(path) ?? path
  }

  passed(files: readonly FileRecord[]): void {
    const moves = files.flatMap(({ path, from }) => (from === undefined ? [] : [{ path, from, now: this.of(path) }]))
    // Before its move, another file had a file's name, or none.
    for (const { path } of moves) this.#later.delete(path)
    for (const { from, now } of moves) this.#later.set(from, now)
  }
}

/** A change as a unified diff, and the file's text before and after it. @throws AppError `file_not_found` */
export async function diffOf(
  repository: Repository,
  commit: string,
  path: string,
): Promise<{ patch: string; before: string | null; after: string | null }> {
  const file = (await repository.log())
    .find((record) => record.commit === commit)
    ?.files.find((known) => known.path === path)
  if (!file) throw new AppError('file_not_found', `${path} has no change ${commit}`, { path })
  const before = file.before === null ? null : await repository.text(file.before)
  const after = file.after === null ? null : await repository.text(file.after)
  const { patch } = describeChange(path, before ?? '', after ?? '', { isKept: true })
  return { patch, before, after }
}

/** A recorded text by its id; undefined when there is none, or it was forgotten. */
export async function textOf(repository: Repository, id: string): Promise<string | undefined> {
  try {
    return await repository.text(id)
  } catch (error) {
    if (error instanceof Error && error.name === 'NotFoundError') return undefined
    throw error
  }
}

/** For each line of the newest recorded text, the change that brought it. */
export async function blameOf(repository: Repository, path: string): Promise<BlamedLine[]> {
  const changes = await timelineOf(repository, { path, limit: Number.MAX_SAFE_INTEGER })
  const versions: { id: BlamedLine; text: string }[] = []
  for (const { commit, at, cause, session, turn, client, sources, file } of changes.reverse()) {
    const text = file.after === null ? '' : await repository.text(file.after)
    if (text.length > maxBlamed) return []
    versions.push({
      id: { commit, at, cause, session, turn, client, ...(sources ? { sources } : {}) },
      text,
    })
  }
  return blame(versions)
}

interface Version<Id> {
  readonly id: Id
  readonly text: string
}

/** Which change wrote each line of a text. @param versions oldest first @returns for each line of the last one the id of the version that brought it */
export function blame<Id>(versions: readonly Version<Id>[]): Id[] {
  let lines: string[] = []
  let owners: Id[] = []
  for (const { id, text } of versions) {
    const next = linesOf(text)
    const nextOwners: Id[] = []
    let at = 0
    for (const { from, to, newFrom, newTo } of compareLines(lines, next)) {
      for (; at < from; at += 1) nextOwners.push(owners[at] ?? id)
      for (let line = newFrom; line < newTo; line += 1) nextOwners.push(id)
      at = to
    }
    for (; at < owners.length; at += 1) nextOwners.push(owners[at] ?? id)
    lines = next
    owners = nextOwners
  }
  return owners
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
