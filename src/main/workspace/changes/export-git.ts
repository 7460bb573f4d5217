/** Writes the change log as an ordinary Git repository, one commit for each change set, through `git fast-import`. */
import Database from 'better-sqlite3'
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Cause, GitExport } from '#shared/contract/history.ts'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import { gitOutput } from '../git/run-git.ts'
import { EarlierPrivacy, type PrivacyMarks } from '../privacy/privacy-rules.ts'
import { changeSetOf, fileChangesOf, type ChangeSet } from './change-rows.ts'
import type { GitImportOptions } from './import-git.ts'
import type { OpenLog } from './log-file.ts'
import { Versions } from './versions.ts'

/** `folder` is empty or does not exist. */
export interface GitExportOptions extends GitImportOptions {
  readonly agentName: string
  readonly includesPrivate: boolean
  readonly marks: PrivacyMarks
  /** Reads a note of the workspace as it is now; undefined if it cannot be read. */
  readonly read: (path: string) => Promise<{ path: string; text: string } | undefined>
}

/** Names in the author field; the others are the agent's or the program's. */
const authorNames: Partial<Record<Cause, string>> = {
  user: 'You',
  capture: 'You (capture)',
  upkeep: 'You (accepted suggestion)',
  import: 'You (import)',
  client: 'Connected program',
  template: 'Commonplace',
  adopted: 'Existing notes',
  outside: 'Another program',
  unrecorded: 'Unknown',
}
const branch = 'refs/heads/main'

/** A failure or `signal` removes the repository. @throws AppError `folder_not_empty`, `git_failed`; SqliteError */
export async function exportToGit(options: GitExportOptions): Promise<GitExport> {
  const { file, folder, signal } = options
  const exists = existsSync(folder)
  const names = exists ? await readdir(folder).catch(onSystemError(['a file'], 'ENOTDIR')) : []
  if (names.length > 0) throw new AppError('folder_not_empty', `${folder} is not an empty folder`, { path: folder })
  const db = new Database(file, { readonly: true, fileMustExist: true })
  const result = { commits: 0, privateVersions: 0, removedVersions: 0 }
  try {
    await gitOutput('.', ['init', '--quiet', '--template=', folder], { signal })
    await gitOutput(folder, ['symbolic-ref', 'HEAD', branch], { signal })
    const input = Readable.from(writeCommits({ db, versions: new Versions(db) }, options, result))
    await gitOutput(folder, ['fast-import', '--quiet', '--done', '--date-format=raw'], { signal, input })
    if (result.commits > 0) await gitOutput(folder, ['reset', '--quiet', '--hard'], { signal })
    return result
  } catch (error) {
    await rm(exists ? join(folder, '.git') : folder, { recursive: true, force: true })
    throw error
  } finally {
    db.close()
  }
}

async function* writeCommits(log: OpenLog, options: GitExportOptions, result: GitExport): AsyncGenerator<string> {
  const { includesPrivate, agentName, onProgress } = options
  const privacy = includesPrivate ? undefined : await readPrivacy(log, options)
  const exported = new Map<number, { readonly path: string; readonly hash: string }>()
  const ids = log.db.prepare<[], number>('SELECT id FROM change_sets ORDER BY id').pluck().all()
  for (const [done, id] of ids.entries()) {
    onProgress?.(done, ids.length)
    const removed = new Set<string>()
    // Git reads the marks of one commit only, so each commit starts with 1 again.
    const written: string[] = []
    for (const { note, path, after, pending } of fileChangesOf(log.db, id)) {
      if (note === null || pending > 0) continue
      const text = after === null ? null : log.versions.text(after)
      const open = typeof text === 'string' && privacy ? privacy.openText(note, { path, text }) : text
      if (text === undefined) result.removedVersions += 1
      else if (open === undefined) result.privateVersions += 1
      const before = exported.get(note)
      // A note whose text is missing here keeps its last exported version; one that became private is removed.
      if (text === undefined && before?.path === path) continue
      if (before && (typeof open !== 'string' || before.path !== path)) removed.add(before.path)
      if (typeof open !== 'string') exported.delete(note)
      else if (before?.path !== path || before.hash !== hash('sha1', open)) {
        exported.set(note, { path, hash: hash('sha1', open) })
        yield `blob\nmark :${written.push(path)}\n`
        yield* dataOf(open)
      }
    }
    const set = changeSetOf(log.db, id)
    const paths = [...new Set([...written, ...removed])]
    if (!set || paths.length === 0) continue
    const author = authorOf(set, agentName)
    yield `commit ${branch}\nauthor ${author}\ncommitter ${author}\n`
    yield* dataOf(commitMessage(set.origin, paths))
    // Git stores no renames: it finds them by comparing the removed and the added files.
    for (const path of removed) yield `D ${quote(path)}\n`
    for (const [index, path] of written.entries()) yield `M 100644 :${index + 1} ${quote(path)}\n`
    yield '\n'
    result.commits += 1
  }
  yield 'done\n'
}

async function readPrivacy({ db, versions }: OpenLog, { marks, read }: GitExportOptions): Promise<EarlierPrivacy> {
  const privacy = new EarlierPrivacy(marks)
  const rows = db
    .prepare<[], { note: number; path: string; after: number }>(
      `SELECT note, path, after FROM file_changes
       WHERE note IS NOT NULL AND after IS NOT NULL AND pending = 0 ORDER BY id DESC`,
    )
    .all()
  for (const [note, changes] of Map.groupBy(rows, (row) => row.note)) {
    const textOf = ({ path, after }: (typeof rows)[number]) => ({ path, text: versions.text(after) ?? '' })
    const [last] = changes
    if (last) privacy.add(note, (await read(last.path)) ?? textOf(last), changes.values().map(textOf))
  }
  return privacy
}

function* dataOf(text: string): Generator<string> {
  yield `data ${Buffer.byteLength(text)}\n`
  yield `${text}\n`
}

/** Returns a subject for users of Git, and trailers that `parseTrailers` reads. */
function commitMessage(origin: WriteOrigin, paths: readonly string[]): string {
  const { cause, session, turn, client, sources = [], undoes } = origin
  const trailers = [
    ['Cause', cause],
    ['Session', session],
    ['Turn', turn],
    ['Client', client],
    ...sources.map((source) => ['Source', source]),
    ['Undo', undoes === undefined ? undefined : 'yes'],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${oneLine(value)}`]))
  const subject = paths.length === 1 ? oneLine(paths.join('')) : `${paths.length} files`
  return [`${cause}: ${subject}`, '', ...trailers, ''].join('\n')
}

/** Returns name, address, seconds since the epoch and time zone. */
function authorOf({ at, origin: { cause, client } }: ChangeSet, agentName: string): string {
  const name = (cause === 'client' ? client : undefined) ?? authorNames[cause] ?? agentName
  const [zone = '+0000'] = /[+-]\d{4}/.exec(new Date(at).toTimeString()) ?? []
  return `${oneLine(name).replaceAll(/[<>]/g, '')} <${cause}@commonplace.invalid> ${Math.floor(at / 1000)} ${zone}`
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\0]+/g, ' ').trim()
}

function quote(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`
}
