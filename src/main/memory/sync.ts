/** Brings the index in step with the files (M9, M12): what is new, changed or gone since it last looked. */
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { isMemoryPath, readText, resolveInside, walkMarkdown } from '../workspace/index.ts'
import { transcriptText } from './transcript-text.ts'
import type { FileContent, IndexStore, KnownFile, Source } from './store.ts'

/** A folder whose Markdown is indexed. */
export interface IndexedFolder {
  readonly source: Source
  /** Absolute. */
  readonly folder: string
  /** What its paths begin with in the index: nothing for the workspace, the folder itself for an extra one. */
  readonly prefix: string
  /** Folders inside it that are somebody else's, absolute. */
  readonly forbidden: readonly string[]
}

export interface SyncProblem {
  readonly code: string
  readonly message: string
  readonly path?: string
}

export interface SyncReport {
  readonly changed: readonly string[]
  readonly problems: readonly SyncProblem[]
}

export interface SyncOptions {
  /** Reads every file anew, whatever its time stamp says. */
  readonly force?: boolean
  readonly onProgress: (done: number, total: number) => void
  readonly signal: AbortSignal
}

/** Most files, and most bytes, of one transaction; between two, other work has its turn. */
const batchFiles = 64
const batchBytes = 80_000

/** A short rest after each batch: searches share the machine with a large rebuild. */
const breathMs = 6

interface Candidate {
  readonly folder: IndexedFolder
  /** As it stands in the index. */
  readonly path: string
  /** Relative to the folder. */
  readonly file: string
  readonly size: number
  readonly mtime: number
}

/** Looks at every file. A folder that cannot be read leaves its part of the index as it is. */
export async function syncAll(
  store: IndexStore,
  folders: readonly IndexedFolder[],
  options: SyncOptions,
): Promise<SyncReport> {
  const known = new Map(store.knownFiles().map((file) => [keyOf(file.source, file.path), file]))
  const problems: SyncProblem[] = []
  const todo: Candidate[] = []
  const gone = new Map(known)
  for (const folder of folders) {
    const found = await findFiles(folder, options.signal, problems)
    if (!found) {
      for (const [key, file] of gone) if (belongsTo(file, folder)) gone.delete(key)
      continue
    }
    for (const candidate of found) {
      const key = keyOf(folder.source, candidate.path)
      const before = known.get(key)
      gone.delete(key)
      if (options.force || before?.mtime !== candidate.mtime || before.size !== candidate.size) todo.push(candidate)
    }
    for (const { path } of problems) if (path !== undefined) gone.delete(keyOf(folder.source, path))
  }
  const changed = [...gone.values()].map((file) => file.path)
  store.transaction(() => {
    for (const file of gone.values()) store.removeFile(file.source, file.path)
  })
  changed.push(...(await index(store, todo, known, problems, options)))
  return { changed, problems }
}

/** Looks at the files of the workspace that are named, and at nothing else. */
export async function syncPaths(
  store: IndexStore,
  folder: IndexedFolder,
  paths: readonly string[],
  options: SyncOptions,
): Promise<SyncReport> {
  const known = new Map(store.knownFiles().map((file) => [keyOf(file.source, file.path), file]))
  const problems: SyncProblem[] = []
  const todo: Candidate[] = []
  const changed: string[] = []
  for (const path of paths) {
    const candidate = await describe(folder, path)
    if (candidate) todo.push(candidate)
    else if (known.has(keyOf(folder.source, folder.prefix + path))) {
      store.transaction(() => store.removeFile(folder.source, folder.prefix + path))
      changed.push(folder.prefix + path)
    }
  }
  changed.push(...(await index(store, todo, known, problems, options)))
  return { changed, problems }
}

async function index(
  store: IndexStore,
  todo: readonly Candidate[],
  known: ReadonlyMap<string, KnownFile>,
  problems: SyncProblem[],
  { onProgress, signal }: SyncOptions,
): Promise<string[]> {
  const changed: string[] = []
  let done = 0
  while (done < todo.length) {
    signal.throwIfAborted()
    const batch = nextBatch(todo, done)
    done += batch.length
    const contents = (await Promise.all(batch.map((candidate) => readCandidate(candidate, problems)))).filter(
      (file) => file !== undefined,
    )
    store.transaction(() => {
      for (const file of contents) {
        if ('text' in file && known.get(keyOf(file.source, file.path))?.hash !== file.hash) {
          store.replaceFile(file)
          changed.push(file.path)
        } else if ('text' in file) store.touchFile(file)
        else {
          store.removeFile(file.source, file.path)
          if (known.has(keyOf(file.source, file.path))) changed.push(file.path)
        }
      }
    })
    onProgress(done, todo.length)
    await sleep(breathMs)
  }
  return changed
}

/** Files from `from` on that go into one transaction; at least one. */
function nextBatch(todo: readonly Candidate[], from: number): Candidate[] {
  const batch: Candidate[] = []
  let bytes = 0
  for (const candidate of todo.slice(from, from + batchFiles)) {
    bytes += candidate.size
    if (batch.length > 0 && bytes > batchBytes) break
    batch.push(candidate)
  }
  return batch
}

/** The file's text; `{source, path}` alone when it is no text to index; undefined when it should be left as it is. */
async function readCandidate(
  { folder, file, path, mtime, size }: Candidate,
  problems: SyncProblem[],
): Promise<FileContent | Pick<FileContent, 'source' | 'path'> | undefined> {
  try {
    const real = await resolveInside({ workspace: folder.folder, forbidden: [] }, file)
    const { text, hash } = await readText(real, path)
    return {
      path,
      source: folder.source,
      hash,
      mtime,
      size,
      text: folder.source === 'sessions' ? transcriptText(text) : text,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'file_not_found') return { source: folder.source, path }
    problems.push({ code: error.code, message: error.message, path })
    return error.code === 'folder_unreadable' ? undefined : { source: folder.source, path }
  }
}

async function findFiles(
  folder: IndexedFolder,
  signal: AbortSignal,
  problems: SyncProblem[],
): Promise<Candidate[] | undefined> {
  try {
    if (folder.source === 'sessions') return await findTranscripts(folder)
    const { files, unreadable } = await walkMarkdown(folder.folder, signal, folder.forbidden)
    for (const path of unreadable) {
      problems.push({ code: 'folder_unreadable', message: `${path} may not be read`, path: folder.prefix + path })
    }
    return files
      .filter(({ path }) => folder.source === 'extra' || isMemoryPath(path))
      .map(({ path, size, modifiedAt }) => ({
        folder,
        file: path,
        path: folder.prefix + path,
        size,
        mtime: modifiedAt,
      }))
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR')) throw error
    problems.push({
      code: 'folder_unreadable',
      message: `${folder.folder} cannot be read (${error.code})`,
      path: folder.folder,
    })
    return undefined
  }
}

/** The files of one folder; there is none before the first conversation. */
async function findTranscripts(folder: IndexedFolder): Promise<Candidate[]> {
  if (!existsSync(folder.folder)) return []
  const names = (await readdir(folder.folder)).filter((name) => name.endsWith('.jsonl'))
  const found = await Promise.all(names.map((name) => describe(folder, name)))
  return found.filter((candidate) => candidate !== undefined)
}

async function describe(folder: IndexedFolder, path: string): Promise<Candidate | undefined> {
  try {
    const info = await stat(join(folder.folder, path))
    if (!info.isFile()) return undefined
    return { folder, file: path, path: folder.prefix + path, size: info.size, mtime: info.mtimeMs }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return undefined
    throw error
  }
}

function belongsTo(file: KnownFile, folder: IndexedFolder): boolean {
  return file.source === folder.source && file.path.startsWith(folder.prefix)
}

function keyOf(source: Source, path: string): string {
  return `${source}\0${path}`
}
