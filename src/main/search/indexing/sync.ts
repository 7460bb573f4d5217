import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import { isInside, resolveRoots, resolveInside, readText } from '#workspace'
import {
  belongsTo,
  contentBySource,
  findFiles,
  indexedFolderOf,
  isInScope,
  candidateAt,
  type FileCandidate,
  type IndexedFolder,
  type SyncProblem,
} from './indexed-folder.ts'
import { indexedTranscriptText } from './indexed-transcript.ts'
import { transcriptDays } from './transcript-text.ts'
import { prepareUnits, type PlainUnitSettings } from '../units/prepare-units.ts'
import type { UnitStore } from '../units/unit-store.ts'
import type { FileContent, ResultSource } from './indexed-file.ts'
import { WorkerHost } from '#platform'
import type { PreparationJobs, PreparationTask } from './prepare.worker.ts'

type ResolvedFolder = Awaited<ReturnType<typeof resolveRoots>>

export interface SyncReport {
  readonly changed: readonly string[]
  readonly problems: readonly SyncProblem[]
}

export interface SyncOptions {
  readonly force?: boolean
  readonly onProgress: (done: number, total: number) => void
  readonly signal: AbortSignal
  readonly worker?: { readonly entry: URL; readonly settings: PlainUnitSettings } | undefined
}

/** Maximum of files and bytes per transaction. Between transactions, other tasks can run. */
const batchFiles = 64
const batchBytes = 240_000

/** Minimum number of files for the worker: starting it takes as long as preparing a hundred small files. */
const manyFiles = 200
const batchesAhead = 3

/** Young generation size in MB; small, because prepared files are sent at once. */
const preparationYoungMb = 8

/** Pause after each batch, so that searches stay fast during a rebuild. */
const batchPauseMs = 6

/** Errors after which a file is removed from the index: it is gone, belongs to another agent, or is hidden. */
const removalErrors: ReadonlySet<string> = new Set(['file_not_found', 'path_outside_workspace', 'path_hidden'])

/** Syncs the index with all files on disk. The entries of an unreadable folder stay unchanged. */
export async function syncAll(
  store: UnitStore,
  folders: readonly IndexedFolder[],
  options: SyncOptions,
): Promise<SyncReport> {
  const known = new Map(store.knownFiles().map((file) => [keyOf(file.source, file.path), file]))
  const problems: SyncProblem[] = []
  const todo: FileCandidate[] = []
  const missing = new Map(known)
  for (const folder of folders) {
    const found = await findFiles(folder, options.signal, problems)
    if (!found) {
      for (const [key, file] of missing) if (belongsTo(file, folder)) missing.delete(key)
      continue
    }
    for (const candidate of found) {
      const key = keyOf(folder.source, candidate.path)
      const previous = known.get(key)
      missing.delete(key)
      const isUnchanged = previous?.mtime === candidate.mtime && previous.size === candidate.size
      if (options.force || !isUnchanged || store.hasOtherRule(previous)) todo.push(candidate)
    }
    // A file that can't be examined keeps its entry.
    for (const { path, code } of problems)
      if (path !== undefined && code === 'folder_unreadable') missing.delete(keyOf(folder.source, path))
  }
  const changed = [...missing.values()].map((file) => file.path)
  store.removeFiles([...missing.values()])
  changed.push(...(await indexCandidates(store, todo, problems, options)))
  return { changed, problems }
}

export async function syncPaths(
  store: UnitStore,
  folders: readonly IndexedFolder[],
  paths: readonly string[],
  options: SyncOptions,
): Promise<SyncReport> {
  const problems: SyncProblem[] = []
  const todo: FileCandidate[] = []
  const changed: string[] = []
  for (const path of paths) {
    const folder = indexedFolderOf(folders, path)
    if (!folder) continue
    const candidate = await candidateAt(folder, path.slice(folder.prefix.length))
    if (candidate) todo.push(candidate)
    else if (store.removeFile(folder.source, path)) changed.push(path)
  }
  changed.push(...(await indexCandidates(store, todo, problems, options)))
  return { changed, problems }
}

/**
 * Removes files that now belong to another agent, are out of scope, or have become private by a rule: until the next
 * sync, their units would be found as open ones. Checks paths only, not the disk.
 */
export function removeForbidden(store: UnitStore, folders: readonly IndexedFolder[]): void {
  const removed = store.knownFiles().filter((file) => {
    if (file.privateByRule === 0 && store.isPrivateByRule(file.path)) return true
    const folder = folders.find((known) => belongsTo(file, known))
    if (!folder) return false
    if (!isInScope(folder, file.path.slice(folder.prefix.length))) return true
    const path = join(folder.folder, file.path.slice(folder.prefix.length))
    return folder.forbidden.some((other) => isInside(other, path) && !isInside(other, folder.folder))
  })
  store.removeFiles(removed)
}

async function indexCandidates(
  store: UnitStore,
  todo: readonly FileCandidate[],
  problems: SyncProblem[],
  { onProgress, signal, worker: source }: SyncOptions,
): Promise<string[]> {
  const changed: string[] = []
  const roots = new Map<IndexedFolder, ResolvedFolder>()
  for (const { folder } of todo)
    if (!roots.has(folder))
      roots.set(folder, await resolveRoots({ workspace: folder.folder, forbidden: folder.forbidden }))
  const isNew = ({ source, path, hash }: FileContent) => {
    const previous = store.knownFile(source, path)
    return previous?.hash !== hash || store.hasOtherRule(previous)
  }
  const worker =
    source && todo.length >= manyFiles
      ? new WorkerHost<PreparationJobs>({
          entry: source.entry,
          youngGenerationMb: preparationYoungMb,
          onStart: (client) => client.open(source.settings),
        })
      : undefined
  let isWorkerUsable = worker !== undefined
  const prepareTasks = async (tasks: readonly PreparationTask[]) => {
    try {
      if (worker && isWorkerUsable) return await worker.run((client) => client.prepare(tasks))
    } catch {
      isWorkerUsable = false
    }
    signal.throwIfAborted()
    return tasks.map(({ file, known }) => prepareUnits(file, store.settings, known))
  }
  const prepare = async (files: readonly FileCandidate[]) => {
    const read = await Promise.all(files.map((file) => readCandidate(file, roots.get(file.folder), problems)))
    const found = read.filter((file) => file !== undefined)
    const texts = found.filter((file) => 'text' in file)
    const touched = texts.filter((file) => !isNew(file))
    const removed = found.filter((file) => !('text' in file))
    const tasks = texts.filter(isNew).map((file) => ({ file, known: store.knownUnits(file.source, file.path) }))
    const prepared = await prepareTasks(tasks)
    return { files: files.length, prepared, touched, removed }
  }
  const batches = batchesOf(todo, worker ? 2 : 1)
  const pending: ReturnType<typeof prepare>[] = []
  const takeNext = () => {
    const { value: files } = batches.next()
    if (!files) return
    const batch = prepare(files)
    // Avoids an unhandled rejection; the error is thrown when the batch is awaited.
    batch.catch(() => undefined)
    pending.push(batch)
  }
  store.setBulkMode(worker !== undefined)
  try {
    let done = 0
    for (let at = 0; at < (worker ? batchesAhead : 1); at += 1) takeNext()
    for (let next = pending.shift(); next; next = pending.shift()) {
      const { files, prepared, touched, removed } = await next
      signal.throwIfAborted()
      if (worker) takeNext()
      store.transaction(() => {
        for (const file of prepared) store.replaceFile(file)
        for (const file of touched) store.touchFile(file)
        for (const { source, path } of removed) if (store.removeFile(source, path)) changed.push(path)
      })
      changed.push(...prepared.map(({ path }) => path))
      done += files
      onProgress(done, todo.length)
      await sleep(batchPauseMs)
      signal.throwIfAborted()
      if (!worker) takeNext()
    }
  } finally {
    if (store.db.open) store.setBulkMode(false)
    await worker?.close()
  }
  return changed
}

function* batchesOf(todo: readonly FileCandidate[], times: number): Generator<readonly FileCandidate[], undefined> {
  for (let from = 0; from < todo.length;) {
    const batch: FileCandidate[] = []
    let bytes = 0
    for (const candidate of todo.slice(from, from + times * batchFiles)) {
      bytes += candidate.size
      if (batch.length > 0 && bytes > times * batchBytes) break
      batch.push(candidate)
    }
    yield batch
    from += batch.length
  }
}

/** Returns `{source, path}` alone if the file can't be indexed, or undefined if its entry should stay unchanged. */
async function readCandidate(
  { folder, file, path, mtime, size }: FileCandidate,
  roots: ResolvedFolder | undefined,
  problems: SyncProblem[],
): Promise<FileContent | Pick<FileContent, 'source' | 'path'> | undefined> {
  try {
    const real = await resolveInside(roots ?? { workspace: folder.folder, forbidden: folder.forbidden }, file)
    const { text, hash } = await readText(real, path, roots?.isAllowed)
    return {
      path,
      source: folder.source,
      hash,
      mtime,
      size,
      ...(contentBySource[folder.source] === 'transcripts'
        ? { text: indexedTranscriptText(text), lineDays: transcriptDays(text) }
        : { text }),
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (removalErrors.has(error.code)) return { source: folder.source, path }
    problems.push({ code: error.code, message: error.message, path })
    return error.code === 'folder_unreadable' ? undefined : { source: folder.source, path }
  }
}

function keyOf(source: ResultSource, path: string): string {
  return `${source}\0${path}`
}
