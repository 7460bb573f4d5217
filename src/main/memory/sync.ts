/** Brings the index in step with the files (M9, M12): what is new, changed or gone since it last looked. */
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MemoryScope } from '../../shared/contract/index.ts'
import { AppError, isSystemError } from '../../shared/errors.ts'
import {
  askDirectly,
  isBehindLink,
  isInside,
  isMarkdown,
  isMemoryPath,
  maxDepth,
  placeOf,
  readText,
  resolveInside,
  unsearchedFor,
  type Layout,
  walkMarkdown,
  type Place,
  type WalkProblem,
} from '../workspace/index.ts'
import { transcriptDays, transcriptText } from './transcript-text.ts'
import { PrepareAhead } from './prepare-ahead.ts'
import type { FileContent, PreparedFile } from './prepare.ts'
import type { KnownFile, Source } from './known-file.ts'
import type { IndexStore } from './store.ts'

/** A folder whose Markdown is indexed. */
export interface IndexedFolder {
  readonly source: Source
  /** Absolute. */
  readonly folder: string
  /** What its paths begin with in the index: nothing for the workspace, the folder itself for an extra one. */
  readonly prefix: string
  /** Folders inside it that are somebody else's, absolute. */
  readonly forbidden: readonly string[]
  /** Of a workspace: what of it is searched, and what its vault's habits say. */
  readonly scope?: MemoryScope
  readonly layout?: Layout
}

/** What is taken of a folder, by its kind: what its scope says, a memory in the narrow sense, any Markdown, or conversations. */
const contents: Readonly<Record<Source, 'scope' | 'memory' | 'markdown' | 'transcripts'>> = {
  memory: 'scope',
  // That more is searched at home shares no more with others.
  shared: 'memory',
  extra: 'markdown',
  sessions: 'transcripts',
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
  /** Of the thread that prepares many files; without one they are prepared in place. */
  readonly prepareEntry?: URL | undefined
}

/** Most files, and most bytes, of one transaction; between two, other work has its turn. */
const batchFiles = 64
const batchBytes = 240_000

/** From so many on they are prepared in a thread of their own: to start it takes as long as a hundred small files. */
const manyFiles = 200
/** Batches that are read and prepared while one is written. */
const batchesAhead = 3

/** A short rest after each batch: searches share the machine with a large rebuild. */
const breathMs = 6

/** What makes a file none of the folder's: it is gone, is another agent's, or hidden. */
const notHere: ReadonlySet<string> = new Set(['file_not_found', 'path_outside_workspace', 'path_hidden'])

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
    // What may not be read now stays as it was.
    for (const { path, code } of problems)
      if (path !== undefined && code === 'folder_unreadable') gone.delete(keyOf(folder.source, path))
  }
  const changed = [...gone.values()].map((file) => file.path)
  store.transaction(() => {
    for (const file of gone.values()) store.removeFile(file.source, file.path)
  })
  changed.push(...(await index(store, todo, known, problems, options)))
  return { changed, problems }
}

/** Looks at the files of the workspace and the conversations that are named, and at nothing else. */
export async function syncPaths(
  store: IndexStore,
  folders: readonly IndexedFolder[],
  paths: readonly string[],
  options: SyncOptions,
): Promise<SyncReport> {
  const known = new Map<string, KnownFile>()
  const problems: SyncProblem[] = []
  const todo: Candidate[] = []
  const changed: string[] = []
  for (const path of paths) {
    const folder = folderOf(folders, path)
    if (!folder) continue
    const before = store.knownFile(folder.source, path)
    if (before) known.set(keyOf(folder.source, path), before)
    const candidate = await noticed(folder, path.slice(folder.prefix.length))
    if (candidate) todo.push(candidate)
    else if (before) {
      store.transaction(() => store.removeFile(folder.source, path))
      changed.push(path)
    }
  }
  changed.push(...(await index(store, todo, known, problems, options)))
  return { changed, problems }
}

/**
 * Lets go of what became somebody else's, or is no longer searched, by its path alone; the next look at the files finds
 * the rest.
 */
export function dropForeign(store: IndexStore, folders: readonly IndexedFolder[]): void {
  const foreign = store.knownFiles().filter((file) => {
    const folder = folders.find((known) => belongsTo(file, known))
    if (!folder) return false
    if (!isTaken(folder, file.path.slice(folder.prefix.length))) return true
    const path = join(folder.folder, file.path.slice(folder.prefix.length))
    return folder.forbidden.some((other) => isInside(other, path) && !isInside(other, folder.folder))
  })
  if (foreign.length === 0) return
  store.transaction(() => {
    for (const { source, path } of foreign) store.removeFile(source, path)
  })
}

/** What one transaction takes in. */
interface Batch {
  readonly files: number
  readonly prepared: readonly PreparedFile[]
  /** Their content is what the index has. */
  readonly touched: readonly FileContent[]
  readonly gone: readonly Pick<KnownFile, 'source' | 'path'>[]
}

async function index(
  store: IndexStore,
  todo: readonly Candidate[],
  known: ReadonlyMap<string, KnownFile>,
  problems: SyncProblem[],
  { onProgress, signal, prepareEntry }: SyncOptions,
): Promise<string[]> {
  const changed: string[] = []
  const places = new Map<IndexedFolder, Place>()
  for (const { folder } of todo)
    if (!places.has(folder))
      places.set(folder, await placeOf({ workspace: folder.folder, forbidden: folder.forbidden }))
  const ahead = prepareEntry && todo.length >= manyFiles ? new PrepareAhead(prepareEntry, store.preparing) : undefined
  const take = async (batch: readonly Candidate[]): Promise<Batch> => {
    const read = await Promise.all(batch.map((file) => readCandidate(file, places.get(file.folder), problems)))
    const found = read.filter((file) => file !== undefined)
    const texts = found.filter((file) => 'text' in file)
    const isNew = (file: FileContent) => known.get(keyOf(file.source, file.path))?.hash !== file.hash
    const fresh = texts.filter(isNew)
    return {
      files: batch.length,
      prepared: await (ahead?.prepare(fresh) ?? fresh.map((file) => store.prepare(file))),
      touched: texts.filter((file) => !isNew(file)),
      gone: found.filter((file) => !('text' in file)),
    }
  }
  const batches = batchesOf(todo, ahead ? 2 : 1)
  const coming: Promise<Batch>[] = []
  const takeNext = () => {
    const { value: batch } = batches.next()
    if (!batch) return
    const taken = take(batch)
    // Told when it is its turn.
    taken.catch(() => undefined)
    coming.push(taken)
  }
  store.writeMuch(ahead !== undefined)
  try {
    let done = 0
    for (let at = 0; at < (ahead ? batchesAhead : 1); at += 1) takeNext()
    while (coming.length > 0) {
      signal.throwIfAborted()
      const batch = await coming.shift()
      if (!batch) break
      signal.throwIfAborted()
      if (ahead) takeNext()
      store.transaction(() => {
        for (const file of batch.prepared) store.putFile(file)
        for (const file of batch.touched) store.touchFile(file)
        for (const { source, path } of batch.gone) store.removeFile(source, path)
      })
      changed.push(...batch.prepared.map(({ path }) => path))
      changed.push(...batch.gone.flatMap(({ source, path }) => (known.has(keyOf(source, path)) ? [path] : [])))
      done += batch.files
      onProgress(done, todo.length)
      await sleep(breathMs)
      if (!ahead) takeNext()
    }
  } catch (error) {
    // Not all that was prepared is in the index.
    store.prepareAnew()
    throw error
  } finally {
    if (store.db.open) store.writeMuch(false)
    await ahead?.close()
  }
  return changed
}

/** What goes into one transaction each; at least one file. @param times as much as usual */
function* batchesOf(todo: readonly Candidate[], times: number): Generator<readonly Candidate[], undefined> {
  for (let from = 0; from < todo.length;) {
    const batch: Candidate[] = []
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

/** The file's text; `{source, path}` alone when it is no text to index; undefined when it should be left as it is. */
async function readCandidate(
  { folder, file, path, mtime, size }: Candidate,
  place: Place | undefined,
  problems: SyncProblem[],
): Promise<FileContent | Pick<FileContent, 'source' | 'path'> | undefined> {
  try {
    const real = await resolveInside({ workspace: folder.folder, forbidden: folder.forbidden }, file, place)
    const { text, hash } = await readText(real, path, place?.isAllowed)
    return {
      path,
      source: folder.source,
      hash,
      mtime,
      size,
      ...(contents[folder.source] === 'transcripts'
        ? { text: transcriptText(text), lineDays: transcriptDays(text) }
        : { text }),
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (notHere.has(error.code)) return { source: folder.source, path }
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
    const content = contents[folder.source]
    if (content === 'transcripts') return await findTranscripts(folder)
    const { files, problems: met } = await walkMarkdown(folder.folder, signal, folder.forbidden, askDirectly())
    problems.push(...met.map((problem) => describeProblem(folder, problem)))
    return files
      .filter(({ path }) => isTaken(folder, path))
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

const reasons: Record<WalkProblem['code'], string> = {
  folder_unreadable: 'may not be read',
  folder_too_deep: `lies below more than ${maxDepth} folders and is not searched`,
  name_unusable: 'has a name that cannot be asked for, and is not searched',
}

function describeProblem(folder: IndexedFolder, { path, code }: WalkProblem): SyncProblem {
  const shown = path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path
  return { code, message: `${shown} ${reasons[code]}`, path: folder.prefix + path }
}

/** The files of one folder; there is none before the first conversation. */
async function findTranscripts(folder: IndexedFolder): Promise<Candidate[]> {
  if (!existsSync(folder.folder)) return []
  const names = (await readdir(folder.folder)).filter(isTranscript)
  const found = await Promise.all(names.map((name) => describe(folder, name)))
  return found.filter((candidate) => candidate !== undefined)
}

/** A file as a look at all of them would find it. */
async function noticed(folder: IndexedFolder, file: string): Promise<Candidate | undefined> {
  const found = await describe(folder, file)
  if (!found || contents[folder.source] === 'transcripts') return found
  // What vanished meanwhile is told by the next look.
  const isLinked = await isBehindLink(folder.folder, file).catch(() => true)
  return isLinked ? undefined : found
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

/** Whether a file is one that is searched, by its path in the folder alone. */
function isTaken({ source, scope = 'memory', layout }: IndexedFolder, file: string): boolean {
  switch (contents[source]) {
    case 'scope':
      return unsearchedFor(file, scope, layout) === undefined
    case 'memory':
      return isMemoryPath(file, layout)
    case 'markdown':
      return isMarkdown(file)
    case 'transcripts':
      return isTranscript(file)
  }
}

function isTranscript(path: string): boolean {
  return path.endsWith('.jsonl')
}

/**
 * Where a file that was noticed belongs, if it is searched: the conversations or the workspace, which is the first of the
 * folders and may have a folder of the same name.
 */
export function folderOf(folders: readonly IndexedFolder[], path: string): IndexedFolder | undefined {
  if (isTranscript(path)) return folders.find(({ source, prefix }) => source === 'sessions' && path.startsWith(prefix))
  const [workspace] = folders
  return workspace && isTaken(workspace, path) ? workspace : undefined
}

function belongsTo(file: KnownFile, folder: IndexedFolder): boolean {
  return file.source === folder.source && file.path.startsWith(folder.prefix)
}

function keyOf(source: Source, path: string): string {
  return `${source}\0${path}`
}
