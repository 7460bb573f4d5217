/**
 * Moves a file or a folder, and writes other notes with it, as one change: all of it is done, or what was done is taken
 * back. Whoever is told is told when all of it is.
 */
import { lstat, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { movedPath, type Move } from '../../shared/links/index.ts'
import { makeFolder, writeFailure } from '../files/index.ts'
import type { Edits, WorkspaceWrite, WriteOrigin } from './edits.ts'
import { assertReadable, moveFile, readText, stateOf, writeText } from './files.ts'
import { isInside, normalizeRequest, resolveNewFolder, resolveInside, resolveWritable, type Roots } from './paths.ts'

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
}

type Step = () => Promise<void>

/**
 * Only where nobody else writes.
 * @throws AppError `file_not_found`, `file_exists`, `path_invalid`, `write_refused`; `file_changed` when a text is not
 * what it must be
 */
export async function relocate(
  { roots, edits, notes }: Relocation,
  move: Move,
  texts: readonly MovedText[],
  origin: WriteOrigin,
): Promise<void> {
  const planned: Move = { from: normalizeRequest(move.from), to: normalizeRequest(move.to) }
  const isFolder = await isFolderAt(roots, planned.from)
  const before = new Map<string, string>()
  for (const { path, hash } of texts) {
    const { target } = await resolveWritable(roots, path)
    const file = await readText(target, path)
    if (file.hash !== hash)
      throw new AppError('file_changed', `${path} was changed by somebody else meanwhile`, { path })
    before.set(path, file.text)
  }
  for (const { newPath, after } of texts) assertReadable(after, newPath)
  const moved = isFolder ? (await notes()).filter((path) => path.startsWith(`${planned.from}/`)) : [planned.from]
  for (const path of moved) {
    const text = before.get(path) ?? (await textOf(roots, path, isFolder))
    if (text !== undefined) before.set(path, text)
  }
  const back: Step[] = []
  try {
    back.push(isFolder ? await moveFolder(roots, planned) : await moveNote(roots, planned))
    for (const { path, newPath, after } of texts)
      back.push(await replace(roots, newPath, before.get(path) ?? '', after))
  } catch (error) {
    for (const step of back.reverse()) await step()
    throw error
  }
  const writes: WorkspaceWrite[] = []
  for (const path of moved) {
    const text = before.get(path)
    if (text === undefined) continue
    writes.push({ ...edits.writeOf(movedPath(path, [planned]), origin, text, text), from: path })
  }
  for (const { path, newPath, after } of texts)
    writes.push(edits.writeOf(newPath, origin, before.get(path) ?? '', after))
  for (const write of writes) await edits.tell(write)
}

/** Within a folder, what is no text moves along, and the history never knew it. */
async function textOf(roots: Roots, path: string, isInFolder: boolean): Promise<string | undefined> {
  try {
    return (await readText(await resolveInside(roots, path), path)).text
  } catch (error) {
    if (isInFolder && error instanceof AppError) return undefined
    throw error
  }
}

async function isFolderAt(roots: Roots, path: string): Promise<boolean> {
  await resolveInside(roots, path)
  const info = await lstat(join(roots.workspace, path)).catch(() => undefined)
  return info?.isDirectory() ?? false
}

async function moveNote(roots: Roots, { from, to }: Move): Promise<Step> {
  const source = await resolveWritable(roots, from)
  const target = await resolveWritable(roots, to)
  if (source.target === target.target) throw new AppError('file_exists', `${to} exists already`, { path: to })
  await moveFile(source.target, target.target, to, target.isAllowed)
  return () => moveFile(target.target, source.target, from, source.isAllowed)
}

async function moveFolder(roots: Roots, { from, to }: Move): Promise<Step> {
  const source = await resolveInside(roots, from)
  const target = await resolveNewFolder(roots, to)
  if (isInside(source, target)) throw new AppError('path_invalid', `${to} lies in ${from}`, { path: to })
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

async function replace(roots: Roots, path: string, text: string, by: string): Promise<Step> {
  const { target, isAllowed } = await resolveWritable(roots, path)
  const known = await stateOf(target)
  if ((await readText(target, path)).text !== text)
    throw new AppError('file_changed', `${path} was changed by somebody else meanwhile`, { path })
  await writeText(target, by, path, isAllowed, known)
  return async () => writeText(target, text, path, isAllowed, await stateOf(target))
}
