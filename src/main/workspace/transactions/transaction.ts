/**
 * Moves a file or folder and writes or removes notes as one atomic change. If a step fails, the previous steps are
 * rolled back. After a crash, the next start finishes the change (`recover`). Listeners run after the last step.
 */
import { existsSync } from 'node:fs'
import { lstat, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError, onAppError, onSystemError, orUndefined } from '#shared/util/errors.ts'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import { movedPath, type Move } from '#shared/markdown/links/rewrite-links.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { visibilityOf } from '#shared/markdown/visibility.ts'
import { inBatches, makeFolder, toWriteError } from '#platform'
import { trashFolder } from '../files/layout.ts'
import type { NoteWriter, WriteOrigin } from '../files/workspace-writer.ts'
import {
  assertReadable,
  assertUnprotected,
  fileStamp,
  isWriteProtected,
  moveFile,
  type PathCheck,
  readText,
  writeText,
} from '../files/text-files.ts'
import { isNote } from '../files/file-names.ts'
import {
  isInside,
  resolveRoots,
  resolveInside,
  resolveNewFolder,
  resolveTrash,
  resolveWritable,
  type Roots,
} from '../files/paths.ts'
import type { ChangeKind, ChangeLog, FileTransition } from '../changes/change-log.ts'
import { describeBatch, type Batch, type BatchDetail } from './batch.ts'

export interface PrivatePathRules {
  /** Returns true if a rule keeps this workspace-relative path local. */
  covers(path: string): boolean
  /** The rules for the old path stay, for files in the trash. @returns a function that removes the added rules */
  addMoved(move: Move, isFolder: boolean): Promise<() => Promise<void>>
}

export interface TransactionTools {
  readonly roots: Roots
  readonly writer: NoteWriter
  readonly listNotes: () => Promise<readonly string[]>
  /** If undefined, a crash can leave a change incomplete. */
  readonly log: ChangeLog | undefined
  readonly local: PrivatePathRules | undefined
}

export interface TransactionOptions {
  /** Called before each group of writes and at the end. @param done notes written so far, of `total` */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** Rolls the change back if it is aborted before the last group of writes. */
  readonly signal?: AbortSignal | undefined
  /** Kind and detail in the change log, for a change that is not a batch. */
  readonly kind?: ChangeKind | undefined
  readonly detail?: object | undefined
}

const concurrency = 16

/**
 * Runs a change of several files. Notes that a move takes to a path that no privacy rule covers are marked as private
 * in their text. The caller must hold the lock.
 * @throws AppError `move_cancelled` if the signal was aborted in time; `file_changed` if a note does not match its
 * `before`; `move_failed` if a note cannot be written (`write_failed` or `file_protected` if the change is not a
 * batch); `disk_full`, `file_not_found`, `path_invalid`, `write_refused`, and as `checkMove`. Nothing is changed then
 */
export async function runTransaction(
  tools: TransactionTools,
  batch: Batch,
  texts: readonly FileTransition[],
  origin: WriteOrigin,
  options: TransactionOptions = {},
) {
  const { roots, local } = tools
  const checked = batch.move ? await checkMove(roots, batch.move) : { move: undefined, made: [] }
  const removeRules = checked.move && (await local?.addMoved(checked.move, checked.move.isFolder))
  try {
    return await writeFiles(tools, { ...batch, ...checked }, texts, origin, options)
  } catch (error) {
    await removeRules?.()
    throw error
  }
}

async function writeFiles(
  tools: TransactionTools,
  batch: BatchDetail,
  requestedTexts: readonly FileTransition[],
  origin: WriteOrigin,
  { onProgress = () => undefined, signal, kind, detail }: TransactionOptions,
) {
  const { writer, log } = tools
  const { move, made } = batch
  const batchName = describeBatch(batch)?.kind
  const isBatch = batchName !== undefined
  const roots = await resolveRoots(tools.roots)
  const writes = await planWrites({ ...tools, roots }, move, requestedTexts)
  const texts = writes.filter(({ before, after }) => before !== after)
  await inBatches(texts, concurrency, async ({ path: newPath, from: path = newPath, before, after }) => {
    const { target, isAllowed } = await resolveWritable(roots, path, 'rewrite')
    if ((await readOrNull(target, path, isAllowed)) !== before) throw fileChangedError(path)
    if (after === null) return
    if (!isBatch) return assertUnprotected(target, path)
    const message = `${path} is write-protected; nothing was moved or changed`
    if (await isWriteProtected(target)) throw new AppError('move_failed', message, { path, reason: 'EACCES' })
  })
  for (const { path, after } of texts) assertReadable(after ?? '', path)
  const files = writes.map((write) => (isNote(write.path) ? write : { ...write, from: undefined }))
  const about = { origin, at: writer.now(), kind: kind ?? batchName, detail: isBatch ? batch : detail }
  const change = await log?.begin({ ...about, files })
  let startedCount = 0
  let undoMove: (() => Promise<void>) | undefined
  const trashedPaths = new Map<string, string>()
  try {
    if (move) undoMove = move.isFolder ? await moveFolder(roots, move) : await moveSingle(roots, move)
    while (startedCount < texts.length) {
      if (signal?.aborted) throw new AppError('move_cancelled', 'cancelled; nothing was moved or changed', {})
      onProgress(startedCount, texts.length)
      const textBatch = texts.slice(startedCount, startedCount + concurrency)
      startedCount += textBatch.length
      const results = await Promise.allSettled(
        textBatch.map(async ({ path, before, after }) => {
          if (after !== null) return replaceText(roots, path, before, after)
          trashedPaths.set(path, await moveTextToTrash(tools, path, before))
        }),
      )
      for (const result of results) if (result.status === 'rejected') throw result.reason
    }
  } catch (error) {
    await rollback(roots, texts.slice(0, startedCount), trashedPaths)
    await undoMove?.()
    await removeEmpty(roots, made)
    log?.cancel(change)
    if (!isBatch || !(error instanceof AppError) || error.code !== 'write_failed') throw error
    // `write_failed` would mean that an editor has unsaved text.
    const message = `${error.message}; all previous steps were rolled back`
    throw new AppError('move_failed', message, error.data, { cause: error })
  }
  onProgress(texts.length, texts.length)
  log?.done(change, await stampsOf(roots, files))
  await writer.notify(files, origin, change)
  return { change, trashed: [...trashedPaths.values()].at(-1) }
}

/** Returns a write for each file that is written or moves; the texts of a note that only moves are equal. */
async function planWrites(tools: TransactionTools, move: BatchDetail['move'], texts: readonly FileTransition[]) {
  const { roots, local } = tools
  const newPathOf = (path: string) => (move ? movedPath(path, [move]) : path)
  const requested = new Map(texts.map((write) => [write.path, write]))
  const movedNotes = move ? (await pathsBelow(tools, move.from, move.isFolder)).filter(isNote) : []
  const moved = await inBatches(movedNotes, concurrency, async (path): Promise<FileTransition[]> => {
    const read = async () => (await readText(await resolveInside(roots, path), path)).text
    const before = requested.get(path)?.before ?? (move?.isFolder ? await orUndefined(read()) : await read())
    if (before === undefined) return []
    const newPath = newPathOf(path)
    const { after } = requested.get(path) ?? { after: before }
    const losesRule = local?.covers(path) === true && !local.covers(newPath)
    const needsMark = losesRule && after !== null && !visibilityOf(after).isFullyPrivate
    return [{ path: newPath, from: path, before, after: needsMark ? withVisibility(after, true) : after }]
  })
  for (const path of movedNotes) requested.delete(path)
  const others = [...requested.values()].map(({ path: from, before, after }): FileTransition => {
    const path = newPathOf(from)
    return { path, from: path === from ? undefined : from, before, after }
  })
  return [...moved.flat(), ...others]
}

/** Returns false without rules. @param from path before the move */
export async function movesPrivateNotes(tools: TransactionTools, from: string): Promise<boolean> {
  const { roots, local } = tools
  if (!local) return false
  return (await pathsBelow(tools, from, await isFolderAt(roots, from))).some((path) => local.covers(path))
}

async function pathsBelow({ listNotes }: TransactionTools, path: string, isFolder: boolean): Promise<string[]> {
  return isFolder ? (await listNotes()).filter((note) => note.startsWith(`${path}/`)) : [path]
}

export async function stampsOf(roots: Roots, files: readonly FileTransition[]): Promise<Map<string, string>> {
  const stamps = await inBatches(files, concurrency, async ({ path }) => {
    const target = await orUndefined(resolveInside(roots, path))
    return [path, target === undefined ? undefined : await fileStamp(target)] as const
  })
  return new Map(stamps.flatMap(([path, stamp]) => (stamp === undefined ? [] : [[path, stamp]])))
}

/** Moves a note with the text `expected` to the trash. @returns its path there @throws AppError `file_changed` */
export async function moveTextToTrash({ roots, writer }: TransactionTools, path: string, expected: string | null) {
  const { target, isAllowed } = await resolveWritable(roots, path, 'rewrite')
  if ((await readOrNull(target, path, isAllowed)) !== expected) throw fileChangedError(path)
  return moveToTrash(roots, path, target, writer.now())
}

/** @param now milliseconds @returns `.trash/<now>/<path>` @throws AppError as `resolveTrash` and `moveFile` */
export async function moveToTrash(roots: Roots, path: string, target: string, now: number): Promise<string> {
  for (let timestamp = now; ; timestamp += 1) {
    const trashed = `${trashFolder}/${timestamp}/${path}`
    const trash = await resolveTrash(roots, trashed)
    if (existsSync(trash.target)) continue
    await moveFile(target, trash.target, trashed, trash.isAllowed)
    return trashed
  }
}

/** Skips files that another program has changed. @throws any other error; the change stays pending then */
async function rollback(roots: Roots, texts: readonly FileTransition[], trashedPaths: ReadonlyMap<string, string>) {
  const ignoreChanged = onAppError('file_changed', 'file_not_text', 'file_too_large', 'file_exists')
  await inBatches(texts, concurrency, async ({ path, before, after }) => {
    const trashed = trashedPaths.get(path)
    if (trashed !== undefined) {
      const { target: source } = await resolveTrash(roots, trashed)
      const { target, isAllowed } = await resolveWritable(roots, path, 'move')
      return moveFile(source, target, path, isAllowed).catch(ignoreChanged)
    }
    if (after === null) return undefined
    const { target, isAllowed } = await resolveWritable(roots, path, 'rewrite')
    if (before !== null) return replaceText(roots, path, after, before).catch(ignoreChanged)
    return (await readOrNull(target, path, isAllowed)) === after ? rm(target, { force: true }) : undefined
  })
}

/** @param folders workspace-relative, innermost first */
export async function removeEmpty(roots: Roots, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const path = await orUndefined(resolveInside(roots, folder))
    if (path !== undefined) await rmdir(path).catch(onSystemError(undefined))
  }
}

/** Returns true for a folder, false for a link to one. @throws AppError as `resolveInside` */
async function isFolderAt(roots: Roots, path: string): Promise<boolean> {
  await resolveInside(roots, path)
  const info = await lstat(join(roots.workspace, path)).catch(() => undefined)
  return info?.isDirectory() ?? false
}

/** Refuses a symbolic link: its target has another path. @throws AppError `symbolic_link` */
export async function assertNoLink(roots: Roots, path: string): Promise<void> {
  const info = await lstat(join(roots.workspace, path)).catch(() => undefined)
  if (!info?.isSymbolicLink()) return
  throw new AppError('symbolic_link', `${path} is a symbolic link; use the path of the file it points to`, { path })
}

/**
 * @returns `made`: missing folders of the new path, innermost first
 * @throws AppError `ending_kept` for a new extension that would change the file's type, `folder_in_itself`,
 * `symbolic_link`, `file_exists` (also if a folder of the new path is a file), `write_refused`, and as `resolveInside`
 */
export async function checkMove(roots: Roots, { from, to }: Move) {
  const isFolder = await isFolderAt(roots, from)
  if (!isFolder) await assertNoLink(roots, from)
  const kind = isFolder ? undefined : contentKind(from)
  const ending = from.slice(from.lastIndexOf('.'))
  if (kind !== undefined && kind !== contentKind(to))
    throw new AppError('ending_kept', `${to} must keep the extension ${ending}`, { path: to, ending })
  // Refuses a path that is too deep before its folders are checked.
  const target = isFolder ? await resolveNewFolder(roots, to) : (await resolveWritable(roots, to, 'move')).target
  const segments = to.split('/')
  const made: string[] = []
  for (const folder of segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'))) {
    const info = await stat(await resolveInside(roots, folder)).catch(() => undefined)
    if (!info) made.unshift(folder)
    else if (!info.isDirectory())
      throw new AppError('file_exists', `${folder} exists already, as a file`, { path: folder })
  }
  if (isFolder) {
    const source = await resolveInside(roots, from)
    const message = `${to} is inside ${from}: a folder cannot be moved into itself`
    if (isInside(source, target)) throw new AppError('folder_in_itself', message, { path: to, from })
    // A move would take the folder away from the other agent.
    if (roots.forbidden.some((folder) => isInside(source, folder)))
      throw new AppError('write_refused', `${from} contains a folder of another agent`, { path: from })
  } else if ((await fileStamp(target)) !== undefined)
    throw new AppError('file_exists', `${to} exists already`, { path: to })
  return { move: { from, to, isFolder }, made }
}

async function moveSingle(roots: Roots, { from, to }: Move): Promise<() => Promise<void>> {
  const source = await resolveWritable(roots, from, 'move')
  const target = await resolveWritable(roots, to, 'move')
  await moveFile(source.target, target.target, to, target.isAllowed)
  return () => moveFile(target.target, source.target, from, source.isAllowed)
}

function contentKind(path: string): string | undefined {
  return isNote(path) ? 'note' : isCanvas(path) ? 'canvas' : attachmentType(path)
}

async function moveFolder(roots: Roots, { from, to }: Move): Promise<() => Promise<void>> {
  const source = await resolveInside(roots, from)
  const target = await resolveNewFolder(roots, to)
  try {
    await makeFolder(dirname(target))
    await rename(source, target)
  } catch (error) {
    throw toWriteError(error, to)
  }
  return () => rename(target, source)
}

/** Reads a workspace-relative path; null if there is no file. @throws AppError as `resolveInside` and `readText` */
export async function readTextOrNull(roots: Roots, path: string): Promise<string | null> {
  return readOrNull(await resolveInside(roots, path), path)
}

/** Reads a file by its real path; null if there is none. @throws AppError as `readText` */
async function readOrNull(target: string, path: string, isAllowed?: PathCheck): Promise<string | null> {
  return (await fileStamp(target)) === undefined ? null : (await readText(target, path, isAllowed)).text
}

/** @param expected null: the file must not exist @throws AppError `file_changed`; as `resolveWritable`, `writeText` */
export async function replaceText(roots: Roots, path: string, expected: string | null, replacement: string) {
  const { target, isAllowed } = await resolveWritable(roots, path, 'rewrite')
  const stamp = await fileStamp(target)
  if ((await readOrNull(target, path, isAllowed)) !== expected) throw fileChangedError(path)
  await writeText(target, replacement, path, isAllowed, stamp)
}

function fileChangedError(path: string): AppError {
  return new AppError('file_changed', `${path} was changed in the meantime`, { path })
}
