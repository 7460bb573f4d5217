import { lstat, unlink } from 'node:fs/promises'
import { AppError } from '#shared/util/errors.ts'
import { movedPath } from '#shared/markdown/links/rewrite-links.ts'
import { inBatches } from '#platform'
import type { WorkspaceWriter, WorkspaceWrite } from '../files/workspace-writer.ts'
import { resolveRoots, resolveInside, resolveMovable, type ResolvedRoots, type Roots } from '../files/paths.ts'
import type { Batch, ChangeJournal, PendingChange, PendingText } from './change-journal.ts'
import { applyPendingWrite, readTextOrNull, type TextWrite } from './settle-text.ts'

export interface TransactionTools {
  readonly roots: Roots
  readonly edits: WorkspaceWriter
  /** Lists the workspace-relative paths of all notes. */
  readonly notes: () => Promise<readonly string[]>
  /** Without a journal, a crash can leave the change half done. */
  readonly journal: ChangeJournal | undefined
}

export interface RecoveryResult {
  readonly batch: Batch
  /** False if the crash came before the move: nothing is changed then. */
  readonly isDone: boolean
  /** Folders that the change created, innermost first. */
  readonly made: readonly string[]
  readonly texts: readonly TextWrite[]
  /** Number of notes that the recovery wrote; the crash came after the others. */
  readonly written: number
  /** Notes that were edited since the crash and are left unchanged. */
  readonly skipped: readonly string[]
}

const atOnce = 16

/** Finishes an interrupted change. The caller must hold the lock. @returns undefined if no change is pending */
export async function recover({ roots, edits, notes, journal }: TransactionTools): Promise<RecoveryResult | undefined> {
  const pending = await journal?.read()
  if (!journal || !pending) {
    await journal?.end()
    return undefined
  }
  const { move, tag, replacement, made = [], origin } = pending
  const common = { batch: { move: move ?? undefined, tag, replacement }, made }
  if (move && !(await hasMoved(roots, move))) {
    await journal.end()
    return { ...common, isDone: false, texts: [], written: 0, skipped: [] }
  }
  const resolvedRoots = await resolveRoots(roots)
  const settled = await inBatches(pending.texts, atOnce, (text) => settleOrSkip(roots, text, resolvedRoots))
  const texts = settled.flatMap(({ text }) => text ?? [])
  const skipped = settled.flatMap(({ text, newPath }) => (text ? [] : [newPath]))
  const before = new Map(texts.map((text) => [text.newPath, text.before]))
  const moved = move ? await movedNotes(move, notes) : []
  const writes = await inBatches(moved, atOnce, async (path): Promise<WorkspaceWrite[]> => {
    const to = move ? movedPath(path, [move]) : path
    const text = before.get(to) ?? (await textIfReadable(roots, to, resolvedRoots))
    return text === null ? [] : [{ ...edits.createWrite(to, origin, text, text), from: path }]
  })
  for (const text of texts) writes.push([edits.createWrite(text.newPath, origin, text.before, text.after)])
  await edits.notifyAll(writes.flat())
  await journal.end()
  return { ...common, isDone: true, texts, written: texts.filter(({ isWritten }) => isWritten).length, skipped }
}

async function settleOrSkip(roots: Roots, pending: PendingText, resolvedRoots: ResolvedRoots) {
  const { newPath } = pending
  try {
    return { newPath, text: await applyPendingWrite(roots, pending, true, resolvedRoots) }
  } catch (error) {
    if (error instanceof AppError) return { newPath, text: undefined }
    throw error
  }
}

/**
 * Returns true if the move took place. A single file is linked to the new name before the old name is removed, so both
 * can exist.
 */
async function hasMoved(roots: Roots, { from, to, isFolder }: NonNullable<PendingChange['move']>): Promise<boolean> {
  const [source, target] = [await stateAt(roots, from), await stateAt(roots, to)]
  if (!target) return false
  if (!isFolder && source && source.ino === target.ino && source.dev === target.dev)
    await unlink((await resolveMovable(roots, from)).target)
  return true
}

async function stateAt(roots: Roots, path: string) {
  try {
    return await lstat(await resolveInside(roots, path), { bigint: true })
  } catch {
    return undefined
  }
}

async function textIfReadable(roots: Roots, path: string, resolvedRoots: ResolvedRoots): Promise<string | null> {
  return readTextOrNull(roots, path, resolvedRoots).catch(() => null)
}

async function movedNotes(
  { from, to, isFolder }: NonNullable<PendingChange['move']>,
  notes: TransactionTools['notes'],
): Promise<string[]> {
  if (!isFolder) return [from]
  return (await notes()).filter((path) => path.startsWith(`${to}/`)).map((path) => from + path.slice(to.length))
}
