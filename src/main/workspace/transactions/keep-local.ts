import { movedPath, type Move } from '#shared/markdown/links/rewrite-links.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { visibilityOf } from '#shared/markdown/visibility.ts'
import { AppError } from '#shared/util/errors.ts'
import type { WriteOrigin } from '../files/workspace-edits.ts'
import { normalizeRequest, placeOf, type Place, type Roots } from '../files/paths.ts'
import type { Batch } from './change-journal.ts'
import type { TransactionTools } from './recovery.ts'
import { textAt, type TextWrite } from './settle-text.ts'
import { isFolderAt, runTransaction, type TransactionWatch } from './transaction.ts'

/** What the settings keep here, by paths. */
export interface LocalRules {
  covers(path: string): boolean
  /** Whether they will, once it is moved and they have followed. */
  coversMoved(move: Move, isFolder: boolean, path: string): boolean
  /** Has them name both places. @returns what leaves only the one where it lies then */
  follow(move: Move, isFolder: boolean): Promise<(isMoved: boolean) => Promise<void>>
}

interface Moved {
  readonly move: Move
  readonly isFolder: boolean
  /** Of what moves. */
  readonly paths: readonly string[]
}

/**
 * Only while nobody else writes.
 * @param local nothing is kept on this machine when left out
 * @returns what was written, and folders that were made for it, the innermost first
 * @throws as `runTransaction`
 */
export async function runKeepingLocal(
  tools: TransactionTools,
  local: LocalRules | undefined,
  batch: Batch,
  texts: readonly TextWrite[],
  origin: WriteOrigin,
  watch?: TransactionWatch,
): Promise<{ readonly texts: readonly TextWrite[]; readonly made: readonly string[] }> {
  if (!batch.move || !local) return { texts, made: await runTransaction(tools, batch, texts, origin, watch) }
  const moved = await movedBy(tools, batch.move)
  const marked = await markedLocal(tools.roots, local, moved, texts)
  const settle = await local.follow(moved.move, moved.isFolder)
  const made = await runTransaction(tools, batch, marked, origin, watch).catch(async (error: unknown) => {
    await settle(false)
    throw error
  })
  await settle(true)
  return { texts: marked, made }
}

/** Whether anything that moves stays on this machine since the settings name its place. */
export async function isKeptLocal(tools: TransactionTools, local: LocalRules | undefined, move: Move) {
  return local !== undefined && (await movedBy(tools, move)).paths.some((path) => local.covers(path))
}

async function movedBy({ roots, notes }: TransactionTools, asked: Move): Promise<Moved> {
  const move = { from: normalizeRequest(asked.from), to: normalizeRequest(asked.to) }
  const isFolder = await isFolderAt(roots, move.from)
  const paths = isFolder ? (await notes()).filter((path) => path.startsWith(`${move.from}/`)) : [move.from]
  return { move, isFolder, paths }
}

/** @returns the texts, and notes that have to say by themselves that they stay here */
async function markedLocal(
  roots: Roots,
  rules: LocalRules,
  { move, isFolder, paths }: Moved,
  texts: readonly TextWrite[],
): Promise<readonly TextWrite[]> {
  const place = await placeOf(roots)
  const written = new Map(texts.map((one) => [one.path, one]))
  for (const path of paths) {
    const newPath = movedPath(path, [move])
    if (!rules.covers(path) || rules.coversMoved(move, isFolder, newPath)) continue
    const before = await textIfReadable(roots, path, place)
    if (before === null) continue
    const known = written.get(path) ?? { before, after: before }
    if (visibilityOf(known.after).isWhole) continue
    written.set(path, { path, newPath, before: known.before, after: withVisibility(known.after, true) })
  }
  return [...written.values()]
}

async function textIfReadable(roots: Roots, path: string, place: Place): Promise<string | null> {
  try {
    return await textAt(roots, path, place)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
