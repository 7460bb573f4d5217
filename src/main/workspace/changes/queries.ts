import { z } from 'zod'
import type { BlamedLine, HistoryEntry } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { compareLines, describeChange, hunkStatuses } from '#platform'
import {
  currentPath,
  fileChangesOf,
  latestChangeAt,
  latestMoveFrom,
  parseOrigin,
  type FileChangeRow,
} from './change-rows.ts'
import type { OpenLog } from './log-file.ts'
import type { LogDb } from './schema.ts'

/** Maximum length of a text for `blameFile`, UTF-16 code units. */
const maxBlameLength = 2_000_000

export interface TimelineRequest {
  /** Only changes of the note that is at this path now, or was deleted there; under its earlier paths too. */
  readonly path?: string | undefined
  readonly before?: number | undefined
  /** Only changes at this time or later, milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly causes?: readonly string[] | undefined
  readonly session?: string | undefined
  readonly limit: number
  /** True: the files that existed before the history form one entry. Ignored if `path` is set. */
  readonly groupAdopted?: boolean | undefined
}

const keysSchema = z.array(z.string()).catch([])

type TimelineRow = FileChangeRow & { readonly at: number; readonly origin: string; readonly now: string }

export function queryTimeline(db: LogDb, request: TimelineRequest): HistoryEntry[] {
  const { path, before, since, causes, session, limit, groupAdopted = false } = request
  const note = path === undefined ? undefined : latestChangeAt(db, path)?.note
  if (path !== undefined && (note === undefined || note === null)) return []
  const isGrouped = groupAdopted && path === undefined
  const conditions = [
    note === undefined ? 'c.note IS NOT NULL' : 'c.note = @note',
    'c.pending = 0',
    ...(before === undefined ? [] : ['c.id < @before']),
    ...(since === undefined ? [] : ['c.change_set >= (SELECT min(id) FROM change_sets WHERE at >= @since)']),
    ...(causes ? ['s.cause IN (SELECT value FROM json_each(@causes))'] : []),
    ...(session === undefined ? [] : ['s.session = @session']),
    ...(isGrouped ? ["s.cause <> 'adopted'"] : []),
  ]
  const statement = db.prepare<[object], TimelineRow>(`
    SELECT s.at, s.origin, c.*, ${currentPath} AS now
    FROM file_changes c CROSS JOIN change_sets s ON s.id = c.change_set
    WHERE ${conditions.join(' AND ')} ORDER BY c.id DESC LIMIT @limit`)
  const rows = statement.all({ note, before, since, session, limit, causes: JSON.stringify(causes ?? []) })
  const entries = rows.map(toEntry)
  const canGroup = isGrouped && entries.length < limit && session === undefined
  return canGroup && (causes?.includes('adopted') ?? true) ? [...entries, ...adoptedEntry(db, before, since)] : entries
}

function toEntry(row: TimelineRow): HistoryEntry {
  const { undoes, ...origin } = parseOrigin(row.origin)
  return {
    ...origin,
    id: row.id,
    change: row.change_set,
    path: row.path,
    now: row.now,
    ...(row.old_path === null ? {} : { from: row.old_path }),
    at: row.at,
    added: row.added,
    removed: row.removed,
    exists: row.after !== null,
    isUndo: undoes !== undefined,
    ...(row.reviewed === null ? {} : { reviewed: keysSchema.parse(parseJson(row.reviewed)) }),
  }
}

/** All files that existed before the history; none if they are not in the range. */
function adoptedEntry(db: LogDb, before = Infinity, since = 0): HistoryEntry[] {
  const row = db
    .prepare<[], TimelineRow & { files: number }>(
      `SELECT s.at, s.origin, c.*, min(c.id), count(*) AS files, c.path AS now
       FROM change_sets s JOIN file_changes c ON c.change_set = s.id
       WHERE s.kind = 'adoption'`,
    )
    .get()
  if (!row || row.files === 0 || row.id >= before || row.at < since) return []
  return [{ ...toEntry(row), files: row.files }]
}

/** Returns the current path of a file; the path then if the log does not know it. */
export function currentPathOf(db: LogDb, changeSet: number, path: string): string {
  const query = db.prepare<[number, string], string | null>(
    `SELECT ${currentPath} FROM file_changes c WHERE c.change_set = ? AND c.path = ?`,
  )
  return query.pluck().get(changeSet, path) ?? path
}

/** Returns the path of the last file that moved away from `path`; `path` itself if none did. */
export function movedPathOf(db: LogDb, path: string): string {
  const move = latestChangeAt(db, path) ? undefined : latestMoveFrom(db, path)
  return move ? currentPathOf(db, move.change_set, move.path) : path
}

/**
 * Returns the texts of a change; null if there was no file. @param path after the change
 * @throws AppError `file_not_found` if the change set has no such file; `change_removed` if a text was removed
 */
export function textsOf({ db, versions }: OpenLog, changeSet: number, path: string) {
  const row = fileChangesOf(db, changeSet).find((file) => file.path === path)
  if (!row) throw new AppError('file_not_found', `${path} has no change ${changeSet}`, { path })
  const [before, after] = [row.before, row.after].map((id) => (id === null ? null : versions.text(id)))
  if (before !== undefined && after !== undefined) return { before, after }
  throw new AppError('change_removed', `the text of this change of ${path} is no longer stored`, { path })
}

/** Returns a change as a unified diff, and its texts. @throws AppError as `textsOf` */
export function diffOf(log: OpenLog, changeSet: number, path: string) {
  const { before, after } = textsOf(log, changeSet, path)
  return { patch: describeChange(path, before ?? '', after ?? '').patch, before, after }
}

/** Each hunk is still in the text, was undone, or was edited. @param text current @throws AppError as `textsOf` */
export function revertStatusOf(log: OpenLog, changeSet: number, path: string, text: string) {
  const { before, after } = textsOf(log, changeSet, path)
  const statuses = hunkStatuses(before ?? '', after ?? '', text)
  if (!statuses.includes('changed')) return statuses
  const note = fileChangesOf(log.db, changeSet).find((file) => file.path === path)?.note
  const undoIds = log.db.prepare<[number], number>('SELECT id FROM change_sets WHERE undoes = ?').pluck().all(changeSet)
  for (const id of undoIds)
    for (const undo of fileChangesOf(log.db, id)) {
      if (undo.note !== note) continue
      const [mine, restored] = [undo.before, undo.after].map((version) =>
        version === null ? '' : log.versions.text(version),
      )
      if (mine === undefined || restored === undefined) continue
      const [earlier, later] = [mine, restored].map((version) => hunkStatuses(before ?? '', after ?? '', version))
      for (const [index, status] of statuses.entries())
        if (status === 'changed' && earlier?.[index] === 'there' && later?.[index] !== 'there')
          statuses[index] = 'undone'
    }
  return statuses
}

/** Returns the text of a note at a time; undefined if it did not exist then, or its text was removed. */
export function versionAt({ db, versions }: OpenLog, path: string, at: number): string | undefined {
  const note = latestChangeAt(db, path)?.note
  if (typeof note !== 'number') return undefined
  const version = db
    .prepare<[number, number], number | null>(
      `SELECT c.after FROM file_changes c CROSS JOIN change_sets s ON s.id = c.change_set
       WHERE c.note = ? AND c.pending = 0 AND s.at <= ? ORDER BY c.id DESC LIMIT 1`,
    )
    .pluck()
    .get(note, at)
  return typeof version === 'number' ? versions.text(version) : undefined
}

/** Returns the change of each line; none if a version is longer than `maxBlameLength` or its text was removed. */
export function blameFile({ db, versions }: OpenLog, path: string): BlamedLine[] {
  const note = latestChangeAt(db, path)?.note
  if (typeof note !== 'number') return []
  const rows = db.prepare<[number], { change: number; after: number | null; at: number; origin: string }>(
    `SELECT s.id AS change, c.after, s.at, s.origin FROM file_changes c JOIN change_sets s ON s.id = c.change_set
     WHERE c.note = ? AND c.pending = 0 ORDER BY c.id`,
  )
  const texts: { id: BlamedLine; text: string }[] = []
  for (const { change, after, at, origin } of rows.all(note)) {
    const text = after === null ? '' : versions.text(after)
    if (text === undefined || text.length > maxBlameLength) return []
    texts.push({ id: { ...parseOrigin(origin), change, at }, text })
  }
  return blame(texts)
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
