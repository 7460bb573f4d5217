/**
 * Moves a file or folder and writes notes as one atomic change. If a step fails, the previous steps are rolled back.
 * After a crash, the next start finishes the change (`recover`). Listeners run after the last step.
 */
import { existsSync } from 'node:fs'
import { lstat, rename, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import { movedPath, type Move } from '#shared/markdown/links/rewrite-links.ts'
import { inBatches, makeFolder, onAppError, toWriteError } from '#platform'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import {
  assertReadable,
  assertUnprotected,
  isWriteProtected,
  moveFile,
  readText,
  fileStamp,
} from '../files/text-files.ts'
import { isNote } from '../files/file-names.ts'
import {
  isInside,
  normalizeMove,
  resolveRoots,
  resolveInside,
  resolveRewritable,
  resolveMovable,
  resolveNewFolder,
  resolveWritable,
  type ResolvedRoots,
  type Roots,
} from '../files/paths.ts'
import { batchKind, createPendingText, type Batch, type PendingText } from './change-journal.ts'
import { recover, type TransactionTools } from './recovery.ts'
import { fileChangedError, readOrNull, replaceText, applyPendingWrite, type TextWrite } from './settle-text.ts'

export interface TransactionOptions {
  /** Called before each group of writes and at the end. @param done notes written so far, of `total` */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** Rolls the change back if it is aborted before the last group of writes. */
  readonly signal?: AbortSignal | undefined
}

/** Concurrent reads or writes; most of the time is spent waiting for the disk. */
const concurrency = 16

/**
 * Runs a change of several files. The caller must hold the lock.
 * @returns folders that were created, innermost first
 * @throws AppError `move_cancelled` if the signal was aborted in time; `file_changed` if a note does not match its
 * `before`; `move_failed` if a note cannot be written (`write_failed` or `file_protected` if the change is not a
 * batch); `disk_full`, `file_not_found`, `file_exists`, `path_invalid`, `write_refused`, `ending_kept`,
 * `folder_in_itself`, `symbolic_link`. Nothing is changed then
 */
export async function runTransaction(
  tools: TransactionTools,
  batch: Batch,
  texts: readonly TextWrite[],
  origin: WriteOrigin,
  { onProgress = () => undefined, signal }: TransactionOptions = {},
): Promise<readonly string[]> {
  const { roots, writer, journal } = tools
  // Another process may have crashed during a change. Its journal must not be overwritten.
  await recover(tools)
  const { tag, replacement } = batch
  const isBatch = batchKind(batch) !== undefined
  const resolvedRoots = await resolveRoots(roots)
  const move = batch.move && normalizeMove(batch.move)
  const isFolder = move !== undefined && (await isFolderAt(roots, move.from))
  if (move && !isFolder) await assertNoLink(roots, move.from)
  await inBatches(texts, concurrency, async ({ path, before }) => {
    const { target, isAllowed } = await resolveRewritable(roots, path, resolvedRoots)
    if ((await readOrNull(target, path, isAllowed)) !== before) throw fileChangedError(path)
    if (!isBatch) return assertUnprotected(target, path)
    const message = `${path} is write-protected; nothing was moved or changed`
    if (await isWriteProtected(target)) throw new AppError('move_failed', message, { path, reason: 'EACCES' })
  })
  for (const { newPath, after } of texts) assertReadable(after, newPath)
  const movedTexts = move
    ? await readMovedTexts(tools, move.from, isFolder, texts, resolvedRoots)
    : new Map<string, string>()
  if (move) await assertTargetFree(roots, move.to, isFolder)
  const createdFolders = move ? await missingFolders(roots, move.to) : []
  const pending = texts.map(({ path, newPath, before, after }) => createPendingText(path, newPath, before, after))
  await journal?.begin({
    format: 1,
    replacement,
    tag,
    ...(createdFolders.length > 0 && { made: createdFolders }),
    move: move ? { ...move, isFolder } : null,
    texts: pending,
    origin,
  })
  let startedCount = 0
  let undoMove: (() => Promise<void>) | undefined
  try {
    if (move) undoMove = isFolder ? await moveFolder(roots, move) : await moveSingle(roots, move)
    while (startedCount < texts.length) {
      if (signal?.aborted) throw new AppError('move_cancelled', 'cancelled; nothing was moved or changed', {})
      onProgress(startedCount, texts.length)
      const textBatch = texts.slice(startedCount, startedCount + concurrency)
      startedCount += textBatch.length
      const results = await Promise.allSettled(
        textBatch.map(({ newPath, before, after }) => replaceText(roots, newPath, before, after, resolvedRoots)),
      )
      for (const result of results) if (result.status === 'rejected') throw result.reason
    }
  } catch (error) {
    await rollback(roots, pending.slice(0, startedCount), resolvedRoots)
    await undoMove?.()
    await removeEmpty(roots, createdFolders)
    await journal?.end()
    if (!isBatch || !(error instanceof AppError) || error.code !== 'write_failed') throw error
    // `write_failed` would mean that an editor has unsaved text.
    const message = `${error.message}; all previous steps were rolled back`
    throw new AppError('move_failed', message, error.data, { cause: error })
  }
  onProgress(texts.length, texts.length)
  await writer.notifyAll([
    ...[...movedTexts].map(([path, text]) => ({
      ...writer.createWrite(move ? movedPath(path, [move]) : path, origin, text, text),
      from: path,
    })),
    ...texts.map(({ newPath, before, after }) => writer.createWrite(newPath, origin, before, after)),
  ])
  await journal?.end()
  return createdFolders
}

async function readMovedTexts(
  { roots, listNotes }: TransactionTools,
  from: string,
  isFolder: boolean,
  texts: readonly TextWrite[],
  resolvedRoots: ResolvedRoots,
): Promise<Map<string, string>> {
  const textsBefore = new Map(texts.map(({ path, before }) => [path, before]))
  const paths = isFolder ? (await listNotes()).filter((path) => path.startsWith(`${from}/`)) : [from].filter(isNote)
  const entries = await inBatches(paths, concurrency, async (path): Promise<(readonly [string, string])[]> => {
    try {
      const text = textsBefore.get(path) ?? (await readText(await resolveInside(roots, path, resolvedRoots), path)).text
      return [[path, text]]
    } catch (error) {
      if (isFolder && error instanceof AppError) return []
      throw error
    }
  })
  return new Map(entries.flat())
}

/**
 * Restores the texts, except in files that another program has changed.
 * @throws any other error; the journal is kept then
 */
async function rollback(roots: Roots, texts: readonly PendingText[], resolvedRoots: ResolvedRoots): Promise<void> {
  const ignoreChanged = onAppError('file_changed', 'file_not_text', 'file_too_large')
  await inBatches(texts, concurrency, (text) =>
    applyPendingWrite(roots, text, false, resolvedRoots).catch(ignoreChanged),
  )
}

/** Returns the missing folders above a path, innermost first. */
async function missingFolders(roots: Roots, path: string): Promise<string[]> {
  const segments = path.split('/').slice(0, -1)
  const parents = segments.map((_, index) => segments.slice(0, index + 1).join('/')).reverse()
  const exists = await Promise.all(parents.map(async (folder) => existsSync(await resolveInside(roots, folder))))
  return parents.filter((_, index) => !exists[index])
}

/** Removes the folders that are empty. @param folders workspace-relative, innermost first */
export async function removeEmpty(roots: Roots, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await rmdir(await resolveInside(roots, folder))
    } catch (error) {
      if (!isSystemError(error) && !(error instanceof AppError)) throw error
    }
  }
}

/** Returns true for a folder, false for a link to one. @throws AppError as `resolveInside` */
export async function isFolderAt(roots: Roots, path: string): Promise<boolean> {
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
 * Checks that nothing exists at the new path.
 * @throws AppError `file_exists`, also if a folder of the path is a file; as `resolveNewFolder` and `resolveMovable`
 */
export async function assertTargetFree(roots: Roots, to: string, isFolder: boolean): Promise<void> {
  const segments = to.split('/')
  for (const folder of segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'))) {
    const info = await stat(await resolveInside(roots, folder)).catch(() => undefined)
    if (!info) break
    if (!info.isDirectory()) throw new AppError('file_exists', `${folder} exists already, as a file`, { path: folder })
  }
  if (isFolder) await resolveNewFolder(roots, to)
  else if ((await fileStamp((await resolveMovable(roots, to)).target)) !== undefined)
    throw new AppError('file_exists', `${to} exists already`, { path: to })
}

async function moveSingle(roots: Roots, { from, to }: Move): Promise<() => Promise<void>> {
  const source = await resolveMovable(roots, from)
  const target = isNote(from) ? await resolveWritable(roots, to) : await resolveMovable(roots, to)
  assertSameKind({ from: source.target, to })
  if (source.target === target.target) throw new AppError('file_exists', `${to} exists already`, { path: to })
  await moveFile(source.target, target.target, to, target.isAllowed)
  return () => moveFile(target.target, source.target, from, source.isAllowed)
}

/** Refuses a new extension that would change the file's type. @throws AppError `ending_kept` */
export function assertSameKind({ from, to }: Move): void {
  const kind = contentKind(from)
  if (kind === undefined || kind === contentKind(to)) return
  const ending = from.slice(from.lastIndexOf('.'))
  throw new AppError('ending_kept', `${to} must keep the extension ${ending}`, { path: to, ending })
}

/** Compares the paths only; `moveFolder` also checks the real paths. @throws AppError `folder_in_itself` */
export function assertNotInItself({ from, to }: Move, isInItself = to.startsWith(`${from}/`)): void {
  const message = `${to} is inside ${from}: a folder cannot be moved into itself`
  if (isInItself) throw new AppError('folder_in_itself', message, { path: to, from })
}

function contentKind(path: string): string | undefined {
  return isNote(path) ? 'note' : isCanvas(path) ? 'canvas' : attachmentType(path)
}

async function moveFolder(roots: Roots, { from, to }: Move): Promise<() => Promise<void>> {
  const source = await resolveInside(roots, from)
  const target = await resolveNewFolder(roots, to)
  assertNotInItself({ from, to }, isInside(source, target))
  // A move would take the folder away from the other agent.
  if (roots.forbidden.some((folder) => isInside(source, folder)))
    throw new AppError('write_refused', `${from} contains a folder of another agent`, { path: from })
  try {
    await makeFolder(dirname(target))
    await rename(source, target)
  } catch (error) {
    throw toWriteError(error, to)
  }
  return () => rename(target, source)
}
