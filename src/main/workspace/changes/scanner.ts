/** A file whose size and time are those of the newest recorded version is not read. */
import { existsSync } from 'node:fs'
import { hash as hashOf } from 'node:crypto'
import { AppError } from '#shared/util/errors.ts'
import type { Cause } from '#shared/contract/index.ts'
import { inBatches, Mutex, type Clock } from '#platform'
import { resolveRoots, resolveInside, type ResolvedRoots } from '../files/paths.ts'
import { fileStamp, readText } from '../files/text-files.ts'
import { walkNames } from '../files/walk.ts'
import { settlePendingAt, storeFileChange } from './change-log.ts'
import {
  deleteFileChange,
  deleteSetIfEmpty,
  insertChangeSet,
  latestChangeAt,
  openAdoption,
  type FileChangeRow,
} from './change-rows.ts'
import type { LogFile } from './log-file.ts'
import type { LogDb } from './schema.ts'

const scanBatchSize = 64
const absentCodes: ReadonlySet<string> = new Set(['file_not_found', 'path_outside_workspace', 'path_hidden'])
const maxRenameGapMs = 5000

interface ScannerOptions {
  readonly log: LogFile
  readonly workspace: string
  readonly now: Clock
}

interface FoundChange {
  readonly path: string
  readonly recorded: FileChangeRow | undefined
  readonly text: string | null
  readonly stamp: string | null
}

export class Scanner {
  readonly #options: ScannerOptions
  readonly #mutex: Mutex
  /** Absolute paths. Files in these folders count as removed. */
  #forbidden: readonly string[] = []

  constructor(options: ScannerOptions) {
    this.#options = options
    this.#mutex = new Mutex(options.workspace)
  }

  /** A new log records the files as `adopted`. @returns the paths of changed files @throws the signal's reason */
  async recordAll(forbidden: readonly string[], signal?: AbortSignal): Promise<string[]> {
    const { log, workspace } = this.#options
    this.#forbidden = forbidden
    const isPaused = log.isPaused
    const { files } = await walkNames(workspace, signal, forbidden)
    const recordedPaths = log.run(({ db }) =>
      db.prepare<[], string>('SELECT DISTINCT path FROM file_changes WHERE note IS NOT NULL').pluck().all(),
    )
    const paths = [...new Set([...files.map(({ path }) => path), ...recordedPaths])]
    const changed = await this.#record(paths, signal)
    log.write(({ db }) => db.prepare("UPDATE change_sets SET detail = '{}' WHERE kind = 'adoption'").run())
    if (isPaused) log.isPaused = false
    return changed
  }

  /** @param paths workspace-relative @returns the paths of changed files */
  async recordFiles(paths: readonly string[], forbidden: readonly string[]): Promise<string[]> {
    this.#forbidden = forbidden
    return this.#record(paths)
  }

  close(): void {
    this.#mutex.close()
  }

  get #now(): number {
    return this.#options.now().getTime()
  }

  async #record(paths: readonly string[], signal?: AbortSignal): Promise<string[]> {
    const { workspace } = this.#options
    if (!existsSync(workspace)) return []
    const changed: string[] = []
    const roots = await resolveRoots({ workspace, forbidden: this.#forbidden })
    const findChanged = async (path: string) => ((await this.#isUnchanged(path, roots)) ? [] : [path])
    const candidates = (await inBatches(paths, scanBatchSize, findChanged, signal)).flat()
    for (let from = 0; from < candidates.length; from += scanBatchSize) {
      signal?.throwIfAborted()
      const batch = candidates.slice(from, from + scanBatchSize)
      // The app's own writes are in the log before they release the lock.
      await this.#mutex.run(async () => {
        const found = await Promise.all(batch.map((path) => this.#read(path, roots)))
        const changes = found.filter((change) => change !== undefined)
        this.#store(changes)
        changed.push(...changes.map(({ path }) => path))
      })
    }
    return changed
  }

  async #isUnchanged(path: string, roots: ResolvedRoots): Promise<boolean> {
    const recorded = this.#options.log.run(({ db }) => latestChangeAt(db, path))
    if (!recorded?.stamp || recorded.after === null) return false
    try {
      return (await fileStamp(await resolveInside(roots, path))) === recorded.stamp
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  /** Returns the file if it differs from the log; undefined also for a file that is no text or too large. */
  async #read(path: string, roots: ResolvedRoots): Promise<FoundChange | undefined> {
    const { log } = this.#options
    let text: string | null = null
    let stamp: string | null = null
    try {
      const target = await resolveInside(roots, path)
      stamp = (await fileStamp(target)) ?? null
      text = (await readText(target, path, roots.isAllowed)).text
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (!absentCodes.has(error.code)) return undefined
    }
    return log.run(({ db, versions }) => {
      settlePendingAt(db, versions, path, text)
      const recorded = latestChangeAt(db, path)
      const version = recorded?.after ?? null
      const recordedHash = version === null ? null : versions.hash(version)
      if ((text === null ? null : hashOf('sha256', text)) !== recordedHash) return { path, recorded, text, stamp }
      if (recorded && recorded.stamp !== stamp)
        db.prepare('UPDATE file_changes SET stamp = ? WHERE id = ?').run(stamp, recorded.id)
      return undefined
    })
  }

  #store(found: readonly FoundChange[]): void {
    const { log } = this.#options
    if (found.length === 0) return
    // Removals first, so that a renamed file is found with its old path.
    const changes = found.toSorted((one, other) => Number(one.text !== null) - Number(other.text !== null))
    const cause: Cause = log.isPaused ? 'unrecorded' : 'outside'
    log.write(({ db, versions }) => {
      const adoption = openAdoption(db, this.#now)
      const outside = insertChangeSet(db, { at: this.#now, origin: { cause } })
      const recent = recentChanges(db, this.#now - maxRenameGapMs)
      for (const { path, recorded, text, stamp } of changes) {
        const before = recorded?.after ?? null
        const after = text === null ? null : versions.put(text, before)
        const recordedText = before === null ? null : (versions.text(before) ?? '')
        const isAdopted = adoption !== undefined && !recorded && text !== null
        const changeSet = isAdopted ? adoption : outside
        const rename = isAdopted ? undefined : findRename(recent, { path, before, after })
        if (rename) {
          const renamed = rename.after === null ? { path, from: rename.path } : { path: rename.path, from: path }
          const [version, movedText] = after === null ? [before, recordedText] : [after, text]
          const file = { ...renamed, before: movedText, after: movedText }
          storeFileChange(db, { changeSet, file, before: version, after: version, stamp })
          // The first half was recorded as a separate change.
          deleteFileChange(db, rename)
          continue
        }
        storeFileChange(db, { changeSet, file: { path, before: recordedText, after: text }, before, after, stamp })
        const stored = latestChangeAt(db, path)
        if (stored && !isAdopted) recent.push(stored)
      }
      deleteSetIfEmpty(db, outside)
    })
  }
}

function recentChanges(db: LogDb, since: number): FileChangeRow[] {
  return db
    .prepare<[number], FileChangeRow>(
      `SELECT c.* FROM change_sets s JOIN file_changes c ON c.change_set = s.id
       WHERE s.at >= ? AND s.cause = 'outside' AND (c.before IS NULL OR c.after IS NULL)`,
    )
    .all(since)
}

/** Finds the other half of a rename: a removal with the text of an addition. Of several, the one with the same name. */
function findRename(
  recent: readonly FileChangeRow[],
  { path, before, after }: Pick<FileChangeRow, 'path' | 'before' | 'after'>,
): FileChangeRow | undefined {
  if (before !== null && after !== null) return undefined
  const isOtherHalf = (other: FileChangeRow) => other.before === after && other.after === before && other.path !== path
  const candidates = recent.filter(isOtherHalf)
  const fileName = (filePath: string) => filePath.slice(filePath.lastIndexOf('/') + 1)
  const sameName = candidates.filter((candidate) => fileName(candidate.path) === fileName(path))
  const [renamed, ...others] = candidates.length > 1 ? sameName : candidates
  return others.length === 0 ? renamed : undefined
}
