import { join } from 'node:path'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import { serveWorker, clockWithOffset, streamProgress } from '#platform'
import { resolveRealPath } from '../files/paths.ts'
import { readText } from '../files/text-files.ts'
import { marksBy, type NotesFolder } from '../privacy/privacy-rules.ts'
import { exportToGit, type GitExportOptions } from './export-git.ts'
import { importFromGit, type GitImportOptions } from './import-git.ts'
import { LogFile } from './log-file.ts'
import { blameFile, diffOf, originsOf, revertStatusOf } from './queries.ts'
import { Scanner } from './scanner.ts'

export interface GitExportRequest extends Pick<GitExportOptions, 'folder' | 'agentName' | 'includesPrivate'> {
  /** Folders that the agent can read, with their rules for private notes. */
  readonly notes: readonly NotesFolder[]
  readonly forbidden: readonly string[]
}

function createJobs() {
  const ending = new AbortController()
  let opened: { readonly log: LogFile; readonly scanner: Scanner; readonly workspace: string } | undefined
  /** Scans run one after the other. */
  let lastScan: Promise<unknown> = Promise.resolve()
  /** Exports and imports run beside scans and each other. */
  let exchanges: Promise<unknown> = Promise.resolve()

  function open() {
    if (!opened) throw new Error('the history is not open')
    return opened
  }

  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = lastScan.then(work).catch((error: unknown) => throwUnavailable(error, ending.signal))
    lastScan = done.catch(() => undefined)
    return done
  }

  /** Yields the progress of an export or import, then its result. */
  async function* exchange<T>(
    work: (options: Pick<GitImportOptions, 'file' | 'signal' | 'onProgress'>) => Promise<T>,
    requestSignal: AbortSignal | undefined,
  ) {
    const { file } = open().log
    const signal = AbortSignal.any([ending.signal, ...(requestSignal ? [requestSignal] : [])])
    yield yield* streamProgress((onProgress) => {
      const done = work({ file, signal, onProgress }).catch((error: unknown) => throwUnavailable(error, signal))
      exchanges = Promise.allSettled([exchanges, done])
      return done
    })
  }

  /** @throws AppError `history_unavailable` for errors of SQLite and the system; other errors unchanged */
  function throwUnavailable(error: unknown, signal: AbortSignal): never {
    if (error instanceof AppError || signal.aborted) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('history_unavailable', reason, { reason }, { cause: error })
  }

  return {
    open({ file, workspace, clockAheadMs }: { file: string; workspace: string; clockAheadMs: number }) {
      const log = new LogFile(file)
      opened = { log, workspace, scanner: new Scanner({ log, workspace, now: clockWithOffset(clockAheadMs) }) }
    },
    /** Returns the first fault of the file; `ok` if there is none. */
    check: () => enqueue(async () => open().log.run(({ db }) => String(db.pragma('quick_check(1)', { simple: true })))),
    recordAll: (forbidden: readonly string[]) => enqueue(() => open().scanner.recordAll(forbidden, ending.signal)),
    recordFiles: ({ paths, forbidden }: { paths: readonly string[]; forbidden: readonly string[] }) =>
      enqueue(() => open().scanner.record(paths, forbidden)),
    diff: ({ change, path }: { change: number; path: string }) => open().log.run((log) => diffOf(log, change, path)),
    revertStatus: ({ change, path, text }: { change: number; path: string; text: string }) =>
      open().log.run((log) => revertStatusOf(log, change, path, text)),
    blame: (path: string) => open().log.run((log) => blameFile(log, path)),
    origins: ({ path, lines }: { path: string; lines: readonly string[] }) =>
      open().log.run((log) => originsOf(log, path, lines)),
    /** @throws AppError as `exportToGit`, `history_unavailable` */
    exportGit({ notes, forbidden, ...request }: GitExportRequest, signal: AbortSignal | undefined) {
      const { workspace } = open()
      const read = async (requested: string) => {
        const path = await resolveRealPath({ workspace, forbidden }, requested, [])
        return { path, text: (await readText(join(workspace, path), path)).text }
      }
      const marks = marksBy(notes)
      return exchange(
        (options) => exportToGit({ ...request, ...options, marks, read: (path) => orUndefined(read(path)) }),
        signal,
      )
    },
    /** @param folder absolute @throws AppError as `importFromGit`, `history_unavailable` */
    importGit: (folder: string, signal: AbortSignal | undefined) =>
      exchange((options) => importFromGit({ ...options, folder }), signal),
    /** @param before milliseconds since the epoch */
    removeOldTexts: (before: number) => open().log.write(({ versions }) => versions.removeOld(before)),
    checkpoint: () => void open().log.run(({ db }) => db.pragma('wal_checkpoint(TRUNCATE)')),
    settle: () => lastScan.then(() => undefined),
    async close() {
      ending.abort()
      await Promise.all([lastScan, exchanges])
      opened?.scanner.close()
      opened?.log.close()
    },
  }
}

export type ChangesJobs = ReturnType<typeof createJobs>

serveWorker(createJobs, true)
