import { movedPath, type Move } from '#shared/markdown/links/rewrite-links.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { visibilityOf } from '#shared/markdown/visibility.ts'
import { orUndefined } from '#shared/util/errors.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import { normalizeMove, resolveRoots, type Roots } from '../files/paths.ts'
import type { Batch } from './change-journal.ts'
import type { TransactionTools } from './recovery.ts'
import { readTextOrNull, type TextWrite } from './settle-text.ts'
import { isFolderAt, runTransaction, type TransactionOptions } from './transaction.ts'

export interface PrivatePathRules {
  /** Returns true if a rule keeps this workspace-relative path local. */
  covers(path: string): boolean
  /**
   * Adds rules that cover the new path. The rules for the old path stay: the trash may have files of it.
   * @returns a function that removes the added rules
   */
  addMoved(move: Move, isFolder: boolean): Promise<() => Promise<void>>
}

/**
 * Runs a transaction. Marks notes as private in their text if a move takes them to a path that no rule
 * covers. The caller must hold the lock.
 * @param local if undefined, no path is private by rule
 * @returns the texts that were written, and folders that were created, innermost first
 * @throws AppError as `runTransaction`
 */
export async function runPreservingPrivacy(
  tools: TransactionTools,
  local: PrivatePathRules | undefined,
  batch: Batch,
  texts: readonly TextWrite[],
  origin: WriteOrigin,
  options?: TransactionOptions,
): Promise<{ readonly texts: readonly TextWrite[]; readonly made: readonly string[] }> {
  if (!batch.move || !local) return { texts, made: await runTransaction(tools, batch, texts, origin, options) }
  const { move, isFolder, paths } = await findMovedNotes(tools, batch.move)
  const removeRules = await local.addMoved(move, isFolder)
  try {
    const isUncovered = (path: string) => local.covers(path) && !local.covers(movedPath(path, [move]))
    const markedTexts = await withPrivateMarks(tools.roots, move, paths.filter(isUncovered), texts)
    return { texts: markedTexts, made: await runTransaction(tools, batch, markedTexts, origin, options) }
  } catch (error) {
    await removeRules()
    throw error
  }
}

/** Returns true if a rule covers any note that moves; false without rules. */
export async function movesPrivateNotes(tools: TransactionTools, local: PrivatePathRules | undefined, move: Move) {
  return local !== undefined && (await findMovedNotes(tools, move)).paths.some((path) => local.covers(path))
}

/** Returns the notes that move, by their paths before the move. */
async function findMovedNotes({ roots, listNotes }: TransactionTools, requestedMove: Move) {
  const move = normalizeMove(requestedMove)
  const isFolder = await isFolderAt(roots, move.from)
  const paths = isFolder ? (await listNotes()).filter((path) => path.startsWith(`${move.from}/`)) : [move.from]
  return { move, isFolder, paths }
}

async function withPrivateMarks(roots: Roots, move: Move, paths: readonly string[], texts: readonly TextWrite[]) {
  const resolvedRoots = await resolveRoots(roots)
  const writesByPath = new Map(texts.map((write) => [write.path, write]))
  for (const path of paths) {
    const text = await orUndefined(readTextOrNull(roots, path, resolvedRoots))
    if (text === undefined || text === null) continue
    const { before, after } = writesByPath.get(path) ?? { before: text, after: text }
    if (visibilityOf(after).isFullyPrivate) continue
    writesByPath.set(path, { path, newPath: movedPath(path, [move]), before, after: withVisibility(after, true) })
  }
  return [...writesByPath.values()]
}
