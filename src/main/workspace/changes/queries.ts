import { z } from 'zod'
import type { BlamedLine, HistoryEntry } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { linesIn } from '#shared/util/file-lines.ts'
import { parseJson } from '#shared/util/json.ts'
import { comparableLine } from '#shared/markdown/visibility.ts'
import { cached } from '#shared/util/lazy.ts'
import { countCjk, plainWords } from '#shared/util/tokens.ts'
import { compareLines, describeChange, hunkStatuses } from '#platform'
import {
  currentPath,
  fileChangesOf,
  latestChangeAt,
  latestMoveFrom,
  parseOrigin,
  type FileChangeRow,
} from './change-rows.ts'
import { localDate } from '../files/layout.ts'
import type { OpenLog } from './log-file.ts'
import type { LogDb } from './schema.ts'

/** Maximum length of a text for `originsOf`, UTF-16 code units. */
const maxBlameLength = 2_000_000
/** A line that is missing in one note and new in another within this time was moved, ms. */
const moveMs = 600_000
/** Changes that are searched for a moved line. */
const maxRemovals = 200
/** Replaced lines whose words are compared with those of a line. */
const maxReplaced = 100
/** An edited line shares at least this part of its words with the line before, or of that line’s, if it has fewer. */
const minShare = 0.25
type Edit = ReturnType<typeof compareLines>[number]
const noEdit: Edit = { from: 0, to: 0, newFrom: 0, newTo: 0 }

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

/** A line of a note: its texts, newest first, and the changes that wrote it, newest first. */
export interface LineOrigin {
  readonly texts: string[]
  readonly changes: BlamedLine[]
}

type ChangeRow = FileChangeRow & { readonly at: number; readonly origin: string }
type Origins = ReadonlySet<LineOrigin>

/**
 * Returns the origins of lines. Follows a line back through edits, splits and merges, and to notes that lost it at the
 * time at which it was added. A line that was joined from several has the texts and changes of all. Stops
 * at a version that is longer than `maxBlameLength` or was removed.
 * @param wanted lines of the newest version, possibly with other marks; by default all, with their newest change only
 */
export function originsOf({ db, versions }: OpenLog, path: string, wanted?: readonly string[]): LineOrigin[] {
  const ofNote = db.prepare<[number, number], ChangeRow>(
    `SELECT c.*, s.at, s.origin FROM file_changes c JOIN change_sets s ON s.id = c.change_set
     WHERE c.note = ? AND c.id <= ? AND c.pending = 0 ORDER BY c.id DESC`,
  )
  const removals = db.prepare<[number, number, number], ChangeRow>(
    `SELECT c.*, s.at, s.origin FROM change_sets s CROSS JOIN file_changes c ON c.change_set = s.id
     WHERE s.at BETWEEN ? AND ? AND c.note IS NOT NULL AND c.pending = 0
       AND c.before IS NOT NULL AND (c.removed > 0 OR c.after IS NULL) LIMIT ?`,
  )
  const followed = new Set<string>()
  const plain = cached(comparableLine)
  const words = cached(tellingWords)

  function textOf(version: number | null): string[] | undefined {
    const text = version === null ? '' : versions.text(version)
    return text === undefined || text.length > maxBlameLength ? undefined : linesIn(text)
  }

  /** @param traced the origins of lines of the version after the change `through`, by their 0-based numbers */
  function follow(note: number, through: number, traced: ReadonlyMap<number, Origins>): void {
    let current = traced
    for (const row of ofNote.all(note, through)) {
      const [before, after] = [textOf(row.before), textOf(row.after)]
      if (!before || !after || current.size === 0) return
      const earlier = new Map<number, Origins>()
      const added = new Map<string, Origins>()
      const edits = compareLines(before, after)
      const origin = parseOrigin(row.origin)
      for (const [line, origins] of current) {
        const text = after[line] ?? ''
        const edit = edits.findLast(({ newFrom }) => newFrom <= line) ?? noEdit
        const isWritten = line < edit.newTo
        const parents = isWritten ? parentsOf(before, text, edits, edit) : [line + edit.to - edit.newTo]
        for (const { texts, changes } of isWritten ? origins : []) {
          changes.push({ ...origin, change: row.change_set, at: row.at })
          texts.push(...parents.map((parent) => before[parent] ?? ''))
        }
        if (isWritten && !wanted) continue
        if (parents.length === 0) added.set(plain(text), origins)
        for (const parent of parents) earlier.set(parent, origins.union(earlier.get(parent) ?? new Set()))
      }
      if (added.size > 0 && origin.cause !== 'adopted') followMoved(row, added)
      current = earlier
    }
  }

  /** Follows lines of notes that lost them at about the time at which a change added them, by their words. */
  function followMoved({ at }: ChangeRow, added: ReadonlyMap<string, Origins>): void {
    for (const { id, note, before, after } of removals.all(at - moveMs, at + moveMs, maxRemovals)) {
      const kept = new Set(textOf(after)?.map(plain))
      const lost = [...added].filter(([text]) => !kept.has(text) && !followed.has(`${id} ${text}`))
      for (const [text] of lost) followed.add(`${id} ${text}`)
      const found = new Map(lost)
      const lines = (textOf(before) ?? []).flatMap((line, number): [number, Origins][] => {
        const origins = found.get(plain(line))
        return origins ? [[number, origins]] : []
      })
      if (note !== null && lines.length > 0) follow(note, id - 1, new Map(lines))
    }
  }

  /** Returns removed lines with the same words, anywhere in the note, else replaced lines that share words with it. */
  function parentsOf(before: readonly string[], text: string, edits: readonly Edit[], edit: Edit): number[] {
    const linesOfEdit = ({ from, to }: Edit) => Array.from({ length: to - from }, (_, at) => from + at)
    const equal = edits.flatMap(linesOfEdit).filter((at) => plain(before[at] ?? '') === plain(text))
    const isRelated = (at: number) => {
      const [own, others] = [words(text), words(before[at] ?? '')]
      const shared = own.intersection(others).size
      return shared > 0 && shared >= minShare * Math.min(own.size, others.size)
    }
    return equal.length > 0 ? equal : linesOfEdit(edit).slice(0, maxReplaced).filter(isRelated)
  }

  const latest = latestChangeAt(db, path)
  const newest = textOf(latest?.after ?? null) ?? []
  const found = (wanted ?? newest).map((text): LineOrigin => ({ texts: [text], changes: [] }))
  const byText = Map.groupBy(found, ({ texts: [text = ''] }) => plain(text))
  const start = newest.flatMap((line, at): [number, Origins][] => {
    const origins = wanted ? byText.get(plain(line)) : found.slice(at, at + 1)
    return origins ? [[at, new Set(origins)]] : []
  })
  if (typeof latest?.note === 'number') follow(latest.note, latest.id, new Map(start))
  return found
}

/** Returns the change of each line; none if a version is too long or its text was removed. */
export function blameFile(log: OpenLog, path: string): BlamedLine[] {
  const lines = originsOf(log, path).map(({ changes }) => changes[0])
  return lines.every((line) => line !== undefined) ? lines : []
}

/** Causes of changes that do not tell when a line was written. */
const foundCauses: ReadonlySet<string> = new Set(['adopted', 'import', 'unrecorded'])

/**
 * Returns the day on which the log first saw a line of a note, `YYYY-MM-DD`, and whether the line was written on that day:
 * false if it was there before the log or came with a whole file. Reads few versions: a line that was removed and written
 * again can get either day.
 * @param line 1-based @returns undefined if the newest version is not the note with this hash
 */
export function writtenDay({ db, versions }: OpenLog, path: string, hash: string, line: number) {
  const latest = latestChangeAt(db, path)
  if (typeof latest?.note !== 'number' || typeof latest.after !== 'number') return undefined
  if (versions.hash(latest.after) !== hash) return undefined
  const text = linesIn(versions.text(latest.after) ?? '')[line - 1] ?? ''
  const rows = db
    .prepare<
      [number, number],
      Pick<FileChangeRow, 'before' | 'after'> & { readonly at: number; readonly cause: string }
    >(
      `SELECT c.before, c.after, s.at, s.cause FROM file_changes c JOIN change_sets s ON s.id = c.change_set
       WHERE c.note = ? AND c.id <= ? AND c.pending = 0 ORDER BY c.id`,
    )
    .all(latest.note, latest.id)
  const hasLine = ({ after }: (typeof rows)[number]) =>
    after !== null && linesIn(versions.text(after) ?? '').some((other) => other === text)
  let [from, to] = [0, rows.length - 1]
  if (rows[0] && hasLine(rows[0])) to = 0
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const row = rows[middle]
    if (row && hasLine(row)) to = middle
    else from = middle + 1
  }
  const row = rows[to]
  if (!row) return undefined
  const isFound = foundCauses.has(row.cause) || (row.cause === 'outside' && row.before === null)
  return { day: localDate(new Date(row.at)), isWritten: !isFound }
}

/** Returns CJK characters, and words of at least four letters or with a digit. */
function tellingWords(line: string): ReadonlySet<string> {
  const words = plainWords(comparableLine(line))
  return new Set(words.filter((word) => word.length >= 4 || countCjk(word) > 0 || /\d/.test(word)))
}
