/** Takes the notes of a Git repository into the change log, before the changes that it has. */
import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { causes, type GitImport } from '#shared/contract/history.ts'
import { parseJson } from '#shared/util/json.ts'
import { noteExtensions } from '../files/file-names.ts'
import { maxTextBytes } from '../files/text-files.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import { gitOutput, streamGit } from '../git/run-git.ts'
import { countChangedLines } from './change-log.ts'
import {
  deleteFileChange,
  insertChangeSet,
  insertFileChange,
  nextNoteId,
  type ChangeSet,
  type FileChangeRow,
} from './change-rows.ts'
import { LogFile, type OpenLog } from './log-file.ts'

export interface GitImportOptions {
  readonly file: string
  /** Absolute path of a repository or of a folder in one. Paths of notes are relative to this folder. */
  readonly folder: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (done: number, total: number) => void
}

interface Commit {
  detail: string
  /** Milliseconds since the epoch. */
  at: number
  message: string
  /** Mark of the text by path; null: no file, empty: moved unchanged. */
  readonly files: Map<string, string | null>
  readonly moves: { readonly path: string; readonly from?: string | undefined }[]
  readonly texts: ReadonlyMap<string, Buffer>
}

interface Note {
  path: string
  /** Null after its removal. */
  version: number | null
  /** Set when the note is stored. */
  id?: number
}

type Row = Omit<FileChangeRow, 'id' | 'change_set' | 'note' | 'reviewed'> & { readonly note: Note }

type ImportedSet = Omit<ChangeSet, 'id'> & { readonly rows: readonly Row[] }

/**
 * Imports the first parents of HEAD. The texts are stored one by one, then all changes in one transaction. Notes of
 * which the log begins with the same file continue it.
 * @throws AppError `git_failed`, `git_partial`; SqliteError; the signal's reason
 */
export async function importFromGit(options: GitImportOptions): Promise<GitImport & { readonly paths: string[] }> {
  const { file, folder, signal, onProgress } = options
  // The work tree of an earlier history of the app may not exist any more, which Git refuses.
  const isGitFolder = existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects'))
  const base = [...(isGitFolder ? ['--git-dir=.', '--work-tree=.'] : []), '--no-literal-pathspecs']
  // `fast-export` ignores `--`, so that `HEAD` can also mean the file of that name.
  const revisions = ['--first-parent', 'HEAD^0', '--', ...noteExtensions.map((name) => `:(glob,icase)**/*${name}`)]
  const total = Number(await gitOutput(folder, [...base, 'rev-list', '--count', ...revisions], { signal }))
  const prefix = (await gitOutput(folder, [...base, 'rev-parse', '--show-prefix'], { signal })).trimEnd()
  const exportArgs = ['-c', 'core.quotePath=false', 'fast-export', '--show-original-ids', '--reencode=yes', '-M']
  const log = new LogFile(file, (message) => {
    throw new Error(message)
  })
  try {
    const began = log.run(({ db }) => beginningOf(db)) ?? Infinity
    // The last transaction also writes these texts to the disk.
    log.run(({ db }) => db.pragma('synchronous = NORMAL'))
    const collector = new Collector(log)
    const { sets } = collector
    let done = 0
    for await (const commit of readCommits(streamGit(folder, [...base, ...exportArgs, ...revisions], signal), prefix)) {
      if (sets.length === 0 && log.run(({ db }) => isImported(db, commit.detail)))
        return { changes: 0, paths: [], notes: 0, skipped: 0, later: 0, isKnown: true }
      if (commit.at >= began) break
      onProgress?.(done, total)
      done += 1
      collector.add(commit)
      signal?.throwIfAborted()
    }
    log.run(({ db }) => db.pragma('synchronous = FULL'))
    log.write((open) => storeSets(open, collector))
    const paths = [...new Set(sets.flatMap(({ rows }) => rows.map(({ path }) => path)))]
    const { skipped } = collector
    return { changes: sets.length, paths, notes: paths.length, skipped, later: total - done, isKnown: false }
  } catch (error) {
    log.write(({ versions }) => versions.removeUnused())
    signal?.throwIfAborted()
    throw error
  } finally {
    log.close()
  }
}

const pathPattern = String.raw`("(?:[^"\\]|\\.)*"|\S+)`
const changePattern = new RegExp(String.raw`^(?:D|R|M (\d+) (\S+)) ${pathPattern}(?: ${pathPattern})?$`)

/** Reads commits from the output of `git fast-export`. @param prefix of paths in the imported folder */
async function* readCommits(output: AsyncIterable<Buffer>, prefix: string): AsyncGenerator<Commit> {
  let commit: Commit | undefined
  let texts = new Map<string, Buffer>()
  let mark = ''
  for await (const token of readTokens(output)) {
    if (typeof token !== 'string') {
      if (commit) commit.message = token.toString('utf8')
      else if (token.length <= maxTextBytes && isUtf8(token) && !token.includes(0)) texts.set(mark, token)
      continue
    }
    const [name = '', value = ''] = token.split(' ')
    if (commit && (name === 'blob' || name === 'commit')) {
      yield commit
      commit = undefined
      texts = new Map()
    }
    if (name === 'commit') commit = { detail: '', at: 0, message: '', files: new Map(), moves: [], texts }
    else if (name === 'mark') mark = value
    if (!commit) continue
    if (name === 'original-oid') commit.detail = JSON.stringify({ commit: value })
    else if (name === 'committer') commit.at = Number(token.split(' ').at(-2)) * 1000
    const [, mode, content = null, ...names] = changePattern.exec(token) ?? []
    const [path, renamed] = names.map((quoted) => quoted && unquote(quoted).slice(prefix.length))
    if (path === undefined) continue
    // Mode 100: a file, not a link or a submodule.
    commit.files.set(path, mode?.startsWith('100') ? content : null)
    if (renamed === undefined) continue
    commit.files.set(renamed, '')
    commit.moves.push({ path: renamed, from: path })
  }
  if (commit) yield commit
}

/** Yields lines as texts, and the data after a line `data <length>` as bytes. */
async function* readTokens(output: AsyncIterable<Buffer>): AsyncGenerator<string | Buffer> {
  let chunks: Buffer[] = []
  /** Length of the data that follows; undefined for a line. */
  let size: number | undefined
  for await (const chunk of output) {
    chunks.push(chunk)
    if (size !== undefined && chunks.reduce((sum, { length }) => sum + length, 0) < size) continue
    let rest = Buffer.concat(chunks)
    for (let end = size ?? rest.indexOf('\n'); end >= 0 && end <= rest.length; end = size ?? rest.indexOf('\n')) {
      const token = rest.subarray(0, end)
      const line = size === undefined ? token.toString('utf8') : undefined
      yield line ?? token
      rest = rest.subarray(line === undefined ? end : end + 1)
      size = line?.startsWith('data ') ? Number(line.slice(5)) : undefined
    }
    chunks = [rest]
  }
}

/** Reverses Git's quoting of a path. Escapes of control characters stay. */
function unquote(path: string): string {
  return path.startsWith('"') ? path.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : path
}

const trailerPattern = /^(Cause|Session|Turn|Client|Source|Undo|File): (.+)$/gm
const movedFileSchema = z.object({ path: z.string(), from: z.string().optional() })

/** Commits by other programs have the cause `outside`. @returns `files`: those listed, with their previous paths */
function parseTrailers(message: string): { origin: WriteOrigin; files: z.infer<typeof movedFileSchema>[] } {
  const trailers = Map.groupBy(message.matchAll(trailerPattern), ([, name]) => name)
  const valuesOf = (name: string) => (trailers.get(name) ?? []).map(([, , value = '']) => value)
  const sources = valuesOf('Source')
  const origin = {
    cause: causes.find((cause) => cause === valuesOf('Cause')[0]) ?? 'outside',
    session: valuesOf('Session')[0],
    turn: valuesOf('Turn')[0],
    client: valuesOf('Client')[0],
    ...(sources.length === 0 ? {} : { sources }),
    undoes: trailers.has('Undo') ? 0 : undefined,
  }
  return { origin, files: valuesOf('File').flatMap((value) => movedFileSchema.safeParse(parseJson(value)).data ?? []) }
}

class Collector {
  readonly sets: ImportedSet[] = []
  readonly notes = new Map<string, Note>()
  readonly versions = new Map<string, { readonly id: number; readonly hash: string | undefined }>()
  skipped = 0
  readonly #log: LogFile

  constructor(log: LogFile) {
    this.#log = log
  }

  add(commit: Commit): void {
    const { at, detail, message, files, moves, texts } = commit
    const { origin, files: listed } = parseTrailers(message)
    const unchanged = new Map(moves.map(({ path, from = '' }) => [path, this.notes.get(from)?.version ?? undefined]))
    const moved = new Map<string, Note>()
    for (const { path, from = path } of listed.length > 0 ? listed : moves) {
      const note = this.notes.get(from)
      if (from !== path && typeof note?.version === 'number' && typeof files.get(path) === 'string')
        moved.set(path, note)
    }
    for (const { path } of moved.values()) this.notes.delete(path)
    const rows: Row[] = []
    for (const [path, mark] of files) {
      const note = moved.get(path) ?? this.notes.get(path) ?? { path, version: null }
      const stored = mark ? this.#store(mark, texts.get(mark), note.version) : unchanged.get(path)
      const after = mark === null ? null : stored
      if (after === undefined) this.skipped += 1
      else if (after !== note.version || note.path !== path)
        rows.push(this.#log.run((log) => changeNote(log, note, path, after)))
      this.notes.set(path, note)
    }
    if (rows.length > 0) this.sets.push({ at, origin, kind: null, detail, rows })
  }

  /** @returns the version; undefined if the file is no text or is too large */
  #store(mark: string, bytes: Buffer | undefined, base: number | null): number | undefined {
    if (bytes)
      this.#log.write(({ versions }) => {
        const id = versions.put(bytes.toString('utf8'), base)
        this.versions.set(mark, { id, hash: versions.hash(id) })
      })
    return this.versions.get(mark)?.id
  }
}

function changeNote({ versions }: OpenLog, note: Note, path: string, after: number | null): Row {
  const { version: before, path: from } = note
  const textOf = (id: number | null) => (id === null ? '' : (versions.text(id) ?? ''))
  const counts = countChangedLines(textOf(before), textOf(after))
  Object.assign(note, { path, version: after })
  return { note, path, old_path: from === path ? null : from, before, after, ...counts, pending: 0, stamp: null }
}

function beginningOf(db: OpenLog['db']): number | undefined {
  return db.prepare<[], number>('SELECT at FROM change_sets ORDER BY id LIMIT 1').pluck().get()
}

function isImported(db: OpenLog['db'], detail: string | null): boolean {
  return db.prepare('SELECT 1 FROM change_sets WHERE kind IS NULL AND detail = ?').get(detail) !== undefined
}

/** Stores changes before those of the log. The caller must have begun a transaction. */
function storeSets(log: OpenLog, { sets, notes, versions }: Collector): void {
  const { db } = log
  const [first] = sets
  if (!first || isImported(db, first.detail)) return
  for (const { id, hash } of versions.values())
    if (log.versions.hash(id) !== hash)
      throw new Error('the history was changed meanwhile; import the repository again')
  const began = beginningOf(db)
  const rows = [...notes].flatMap(([path, note]) => joinNote(log, path, note))
  if (began !== undefined && rows.length > 0)
    sets.push({ at: began, origin: { cause: 'outside' }, kind: null, detail: null, rows })
  // Older changes have lower ids.
  const lowestOf = (table: string) =>
    Number(db.prepare(`SELECT min(1, coalesce(min(id), 1)) FROM ${table}`).pluck().get())
  let changeSet = lowestOf('change_sets')
  let id = lowestOf('file_changes')
  for (const { rows: changes, ...set } of sets.toReversed()) {
    changeSet -= 1
    insertChangeSet(db, set, changeSet)
    for (const { note, ...row } of changes.toReversed()) {
      id -= 1
      note.id ??= nextNoteId(db)
      insertFileChange(db, { ...row, change_set: changeSet, note: note.id }, id)
    }
  }
}

/** @returns the change between the note and the first text of the log at its path; none if they are equal */
function joinNote(log: OpenLog, path: string, note: Note): Row[] {
  const { db } = log
  const first = db
    .prepare<[string], FileChangeRow & { readonly isFound: number }>(
      `SELECT c.*, s.cause IN ('adopted', 'outside', 'unrecorded') AS isFound
       FROM file_changes c JOIN change_sets s ON s.id = c.change_set
       WHERE c.path = ? AND c.pending = 0 ORDER BY c.id LIMIT 1`,
    )
    .get(path)
  const isSameNote = typeof first?.note === 'number' && first.old_path === null
  if (isSameNote) note.id = first.note
  if (note.version === null) return []
  if (isSameNote && first.isFound) {
    deleteFileChange(db, first)
    return first.after === note.version ? [] : [changeNote(log, note, path, first.after)]
  }
  // The scan of the folder records notes that it has not found yet.
  const isScanned = db.prepare("SELECT 1 FROM change_sets WHERE kind = 'adoption' AND detail IS NOT NULL").get()
  return first || isScanned ? [changeNote(log, note, path, null)] : []
}
