/** Looking back: what was recorded, asked of a repository. Nothing here changes anything. */
import { AppError } from '../../shared/errors.ts'
import { describeChange } from '../diff/index.ts'
import type { WriteOrigin as Origin } from '../workspace/index.ts'
import { blame } from './blame.ts'
import type { CommitRecord, FileRecord } from './change.ts'
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
  readonly since?: number | undefined
  readonly causes?: readonly string[] | undefined
  readonly limit: number
}

/** Changes, newest first, each with the one file of it that is meant. */
export async function timelineOf(
  repository: Repository,
  { path, before, since, causes, limit }: TimelineRequest,
): Promise<(CommitRecord & { file: FileRecord })[]> {
  const found: (CommitRecord & { file: FileRecord })[] = []
  let name = path
  let isPast = before === undefined
  for (const record of await repository.log()) {
    if (found.length >= limit || (since !== undefined && record.at < since)) break
    const wasPast = isPast
    isPast ||= record.commit === before
    for (const file of record.files) {
      if (name !== undefined && file.path !== name) continue
      if (wasPast && (causes === undefined || causes.includes(record.cause))) found.push({ ...record, file })
      if (name !== undefined && file.from !== undefined) name = file.from
    }
  }
  return found
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
  for (const { commit, at, cause, session, turn, file } of changes.reverse()) {
    const text = file.after === null ? '' : await repository.text(file.after)
    if (text.length > maxBlamed) return []
    versions.push({ id: { commit, at, cause, session, turn }, text })
  }
  return blame(versions)
}
