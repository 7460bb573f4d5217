import { AppError } from '#shared/util/errors.ts'
import { serveWorker, clockWithOffset, lowerThreadPriority } from '#platform'
import { LogFile } from './log-file.ts'
import { blameFile, diffOf, revertStatusOf } from './queries.ts'
import { removeOldTexts } from './remove-texts.ts'
import { Scanner } from './scanner.ts'

export interface ChangesWorkerSettings {
  /** Absolute path of the SQLite file. */
  readonly file: string
  /** Absolute path. */
  readonly workspace: string
  /** Offset of the app's clock from the system's, ms. */
  readonly clockAheadMs: number
}

interface ChangePlace {
  readonly change: number
  readonly path: string
}

const stopScan = new AbortController()
let opened: { readonly log: LogFile; readonly scanner: Scanner } | undefined
/** Scans run one after the other. */
let lastScan: Promise<unknown> = Promise.resolve()

function open() {
  if (!opened) throw new Error('the history is not open')
  return opened
}

function enqueue<T>(work: () => Promise<T>): Promise<T> {
  const done = lastScan.then(work).catch((error: unknown) => {
    if (error instanceof AppError || stopScan.signal.aborted) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('history_unavailable', reason, { reason }, { cause: error })
  })
  lastScan = done.catch(() => undefined)
  return done
}

const jobs = {
  open({ file, workspace, clockAheadMs }: ChangesWorkerSettings) {
    const log = new LogFile(file)
    opened = { log, scanner: new Scanner({ log, workspace, now: clockWithOffset(clockAheadMs) }) }
  },
  /** Returns the first fault of the file; `ok` if there is none. */
  check: () => enqueue(async () => open().log.run(({ db }) => String(db.pragma('quick_check(1)', { simple: true })))),
  /** Records all files that differ from the log. @returns their paths */
  recordAll: (forbidden: readonly string[]) => enqueue(() => open().scanner.recordAll(forbidden, stopScan.signal)),
  recordFiles: ({ paths, forbidden }: { paths: readonly string[]; forbidden: readonly string[] }) =>
    enqueue(() => open().scanner.recordFiles(paths, forbidden)),
  diff: ({ change, path }: ChangePlace) => open().log.run((log) => diffOf(log, change, path)),
  revertStatus: ({ change, path, text }: ChangePlace & { text: string }) =>
    open().log.run((log) => revertStatusOf(log, change, path, text)),
  blame: (path: string) => open().log.run((log) => blameFile(log, path)),
  /** @param before milliseconds since the epoch */
  removeOldTexts: (before: number) => open().log.write((log) => removeOldTexts(log, before)),
  /** Writes the WAL into the file and empties it. */
  checkpoint: () => void open().log.run(({ db }) => db.pragma('wal_checkpoint(TRUNCATE)')),
  settle: () => lastScan.then(() => undefined),
  async close() {
    stopScan.abort()
    await lastScan
    opened?.scanner.close()
    opened?.log.close()
  },
}

export type ChangesJobs = typeof jobs

// Searches and the interface have priority.
lowerThreadPriority()
serveWorker(jobs)
