/**
 * Moves a file or a folder, and writes other notes with it (or writes several notes alone), as one change: all of it is
 * done, or what was done is taken back; after a crash, whoever starts next carries on (`carryOn`). Whoever is told is told
 * when all of it is.
 */
import { existsSync } from 'node:fs'
import { lstat, rename, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import { movedPath, type Move } from '#shared/markdown/links/rewrite-links.ts'
import { inBatches, makeFolder, writeFailure } from '#platform'
import type { Edits, WorkspaceWrite, WriteOrigin } from '../files/workspace-edits.ts'
import { assertReadable, isWriteProtected, moveFile, readText, stateOf, writeText } from '../files/text-files.ts'
import { isNote } from '../files/file-names.ts'
import { pendingText, type ChangeJournal, type PendingChange, type PendingReplacement } from './pending-change.ts'
import {
  isInside,
  normalizeRequest,
  placeOf,
  resolveInside,
  resolveLinking,
  resolveMovable,
  resolveNewFolder,
  resolveWritable,
  type Place,
  type Roots,
} from '../files/paths.ts'

/** A note that is written with a move. */
export interface MovedText {
  /** Where it lies before, and after, the move. */
  readonly path: string
  readonly newPath: string
  /** What it must be before. */
  readonly hash: string
  readonly after: string
}

export interface Relocation {
  readonly roots: Roots
  readonly edits: Edits
  /** Notes of the workspace, as paths. */
  readonly notes: () => Promise<readonly string[]>
  /** Undefined where a crash in between is nobody's to mend. */
  readonly journal: ChangeJournal | undefined
}

type Step = () => Promise<void>

/** How far a move is, and whether somebody wants it taken back. */
export interface RelocationWatch {
  /** @param done of `total` notes that are written */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** What the texts are for, to be told where a crash comes in between. */
  readonly replacement?: PendingReplacement | undefined
  readonly tag?: PendingChange['tag']
}

/** Notes that are read or written at the same time: most of the time of each goes into waiting for the disk. */
const atOnce = 16

/**
 * Only where nobody else writes.
 * @returns folders that were made for it, the innermost first
 * @throws AppError `move_cancelled` when the signal was aborted in time: all of it is taken back then; `file_not_found`,
 *   `file_exists`, `path_invalid`, `write_refused`, `ending_kept`, `folder_in_itself`,
 *   `symbolic_link`; `file_changed` when a text is not what it must be, `move_failed` and `disk_full` when one cannot be written
 */
export async function relocate(
  { roots, edits, notes, journal }: Relocation,
  move: Move | undefined,
  texts: readonly MovedText[],
  origin: WriteOrigin,
  { onProgress = () => undefined, signal, replacement, tag }: RelocationWatch = {},
): Promise<readonly string[]> {
  const place = await placeOf(roots)
  const planned = move && { from: normalizeRequest(move.from), to: normalizeRequest(move.to) }
  const isFolder = planned !== undefined && (await isFolderAt(roots, planned.from))
  if (planned && !isFolder) await assertNoLink(roots, planned.from)
  const before = new Map<string, string>()
  await inBatches(texts, atOnce, async ({ path, hash }) => {
    const { target } = await resolveLinking(roots, path, place)
    const file = await readText(target, path)
    if (file.hash !== hash)
      throw new AppError('file_changed', `${path} was changed by somebody else meanwhile`, { path })
    if (await isWriteProtected(target)) throw writeProtected(path)
    before.set(path, file.text)
  })
  for (const { newPath, after } of texts) assertReadable(after, newPath)
  const moved = !planned
    ? []
    : isFolder
      ? (await notes()).filter((path) => path.startsWith(`${planned.from}/`))
      : [planned.from].filter(isNote)
  await inBatches(moved, atOnce, async (path) => {
    const text = before.get(path) ?? (await textOf(roots, path, isFolder, place))
    if (text !== undefined) before.set(path, text)
  })
  if (planned) await assertFree(roots, planned.to, isFolder)
  const made = planned ? await foldersToMake(roots, planned.to) : []
  await journal?.begin({
    format: 1,
    ...(replacement && { replacement }),
    ...(tag && { tag }),
    ...(made.length > 0 && { made }),
    move: planned ? { ...planned, isFolder } : null,
    texts: texts.map(({ path, newPath, after }) => pendingText(path, newPath, before.get(path) ?? '', after)),
    origin,
  })
  const moveBack: Step[] = []
  const textsBack: Step[] = []
  try {
    if (planned) moveBack.push(isFolder ? await moveFolder(roots, planned) : await moveSingle(roots, planned))
    for (let done = 0; done < texts.length; done += atOnce) {
      if (signal?.aborted) throw cancelled()
      onProgress(done, texts.length)
      const begun = texts
        .slice(done, done + atOnce)
        .map(({ path, newPath, after }) => replaceText(roots, newPath, before.get(path) ?? '', after, place))
      textsBack.push(...(await allEnded(begun)))
    }
  } catch (error) {
    if (error instanceof PartlyDone) textsBack.push(...error.done)
    await stepBack(textsBack)
    await stepBack(moveBack)
    await removeEmpty(roots, made)
    await journal?.end()
    throw takenBack(error instanceof PartlyDone ? error.cause : error)
  }
  const writes: WorkspaceWrite[] = []
  for (const path of moved) {
    const text = before.get(path)
    if (text === undefined) continue
    writes.push({ ...edits.writeOf(planned ? movedPath(path, [planned]) : path, origin, text, text), from: path })
  }
  for (const { path, newPath, after } of texts)
    writes.push(edits.writeOf(newPath, origin, before.get(path) ?? '', after))
  onProgress(texts.length, texts.length)
  await edits.tellAll(writes)
  await journal?.end()
  return made
}

/** Above a path, the innermost first. */
async function foldersToMake(roots: Roots, path: string): Promise<string[]> {
  const steps = path.split('/').slice(0, -1)
  const above = steps.map((_, at) => steps.slice(0, at + 1).join('/')).reverse()
  const isThere = await Promise.all(above.map(async (folder) => existsSync(await resolveInside(roots, folder))))
  return above.filter((_, at) => !isThere[at])
}

/** Takes away those in which nothing lies. @param folders the innermost first */
export async function removeEmpty(roots: Roots, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await rmdir(await resolveInside(roots, folder))
    } catch (error) {
      if (!isSystemError(error) && !(error instanceof AppError)) throw error
    }
  }
}

/** Some of what was begun at the same time failed; `done` are the ways back of the rest. */
class PartlyDone extends Error {
  readonly done: readonly Step[]

  constructor(done: readonly Step[], cause: unknown) {
    super('not all of it could be done', { cause })
    this.done = done
  }
}

/** Waits until all have ended, however. @returns the ways back @throws PartlyDone when one of them failed */
async function allEnded(begun: readonly Promise<Step>[]): Promise<Step[]> {
  const ended = await Promise.allSettled(begun)
  const done = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = ended.find((one) => one.status === 'rejected')
  if (failed) throw new PartlyDone(done, failed.reason)
  return done
}

/** @throws what one of them does; what was begun stays to be ended by the next start then */
async function stepBack(steps: readonly Step[]): Promise<void> {
  for (let at = 0; at < steps.length; at += atOnce) {
    const ended = await Promise.allSettled(steps.slice(at, at + atOnce).map((step) => step()))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }
}

function cancelled(): AppError {
  return new AppError('move_cancelled', 'it was cancelled; nothing was moved or changed', {})
}

/** Whoever forbade it did so for every program. */
function writeProtected(path: string): AppError {
  const message = `${path} may not be written (its permissions say so); nothing was moved or changed`
  return new AppError('move_failed', message, { path, reason: 'EACCES' })
}

/** What could not be written is no text that somebody has typed: nothing of it waits to be saved. */
function takenBack(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'write_failed') return error
  const message = `${error.message}; what was done before that was taken back, and nothing was moved or changed`
  return new AppError('move_failed', message, error.data, { cause: error })
}

/** Within a folder, what is no text moves along, and the history never knew it. */
async function textOf(roots: Roots, path: string, isInFolder: boolean, place: Place): Promise<string | undefined> {
  try {
    return (await readText(await resolveInside(roots, path, place), path)).text
  } catch (error) {
    if (isInFolder && error instanceof AppError) return undefined
    throw error
  }
}

export async function isFolderAt(roots: Roots, path: string): Promise<boolean> {
  await resolveInside(roots, path)
  const info = await lstat(join(roots.workspace, path)).catch(() => undefined)
  return info?.isDirectory() ?? false
}

/** What a link leads to has a name and a place of its own. @throws AppError `symbolic_link` */
export async function assertNoLink(roots: Roots, path: string): Promise<void> {
  const info = await lstat(join(roots.workspace, path)).catch(() => undefined)
  if (!info?.isSymbolicLink()) return
  throw new AppError('symbolic_link', `${path} is a symbolic link to another file, which is not moved by it`, { path })
}

/**
 * What stands at the new place is never taken for what was moved there.
 * @throws AppError `file_exists`, also for a file that stands where a folder would have to, and what the name is refused for
 */
export async function assertFree(roots: Roots, to: string, isFolder: boolean): Promise<void> {
  const steps = to.split('/')
  for (const folder of steps.slice(1).map((_, at) => steps.slice(0, at + 1).join('/'))) {
    const info = await stat(await resolveInside(roots, folder)).catch(() => undefined)
    if (!info) break
    if (!info.isDirectory()) throw new AppError('file_exists', `${folder} exists already, as a file`, { path: folder })
  }
  if (isFolder) await resolveNewFolder(roots, to)
  else if ((await stateOf((await resolveMovable(roots, to)).target)) !== undefined)
    throw new AppError('file_exists', `${to} exists already`, { path: to })
}

async function moveSingle(roots: Roots, { from, to }: Move): Promise<Step> {
  const source = await resolveMovable(roots, from)
  const target = isNote(from) ? await resolveWritable(roots, to) : await resolveMovable(roots, to)
  assertSameKind({ from: source.target, to })
  if (source.target === target.target) throw new AppError('file_exists', `${to} exists already`, { path: to })
  await moveFile(source.target, target.target, to, target.isAllowed)
  return () => moveFile(target.target, source.target, from, source.isAllowed)
}

/** What a file is taken for stays. @throws AppError `ending_kept` */
export function assertSameKind({ from, to }: Move): void {
  const kind = kindOf(from)
  if (kind === undefined || kind === kindOf(to)) return
  const ending = from.slice(from.lastIndexOf('.'))
  throw new AppError('ending_kept', `${to}: what ends in ${ending} goes on ending so`, { path: to, ending })
}

/** By the names alone: what links and other spellings make of them shows when it is moved. @throws AppError `folder_in_itself` */
export function assertNotInItself({ from, to }: Move): void {
  if (to.startsWith(`${from}/`)) throw inItself({ from, to })
}

function inItself({ from, to }: Move): AppError {
  return new AppError('folder_in_itself', `${to} lies in ${from}: no folder is moved into itself`, { path: to, from })
}

/** By its ending. */
function kindOf(path: string): string | undefined {
  return isNote(path) ? 'note' : isCanvas(path) ? 'canvas' : attachmentType(path)
}

async function moveFolder(roots: Roots, { from, to }: Move): Promise<Step> {
  const source = await resolveInside(roots, from)
  const target = await resolveNewFolder(roots, to)
  if (isInside(source, target)) throw inItself({ from, to })
  // Another agent's folder would be gone for that agent.
  if (roots.forbidden.some((folder) => isInside(source, folder)))
    throw new AppError('write_refused', `${from} holds what belongs to somebody else`, { path: from })
  try {
    await makeFolder(dirname(target))
    await rename(source, target)
  } catch (error) {
    throw writeFailure(error, to)
  }
  return () => rename(target, source)
}

export async function replaceText(roots: Roots, path: string, text: string, by: string, place?: Place): Promise<Step> {
  const { target, isAllowed } = await resolveLinking(roots, path, place)
  const known = await stateOf(target)
  if ((await readText(target, path)).text !== text)
    throw new AppError('file_changed', `${path} was changed by somebody else meanwhile`, { path })
  await writeText(target, by, path, isAllowed, known)
  return async () => writeText(target, text, path, isAllowed, await stateOf(target))
}
