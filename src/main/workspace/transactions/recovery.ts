import { lstat, unlink } from 'node:fs/promises'
import { orUndefined } from '#shared/util/errors.ts'
import { movedPath } from '#shared/markdown/links/rewrite-links.ts'
import { inBatches } from '#platform'
import type { WorkspaceWriter, WorkspaceWrite } from '../files/workspace-writer.ts'
import { resolveRoots, resolveInside, resolveMovable, type Roots } from '../files/paths.ts'
import type { Batch, ChangeJournal, PendingChange } from './change-journal.ts'
import { applyPendingWrite, readTextOrNull, type TextWrite } from './settle-text.ts'

export interface TransactionTools {
  readonly roots: Roots
  readonly writer: WorkspaceWriter
  readonly listNotes: () => Promise<readonly string[]>
  /** If undefined, a crash can leave a change incomplete. */
  readonly journal: ChangeJournal | undefined
}

export interface RecoveryResult {
  readonly batch: Batch
  /** False if the crash happened before the move, so that nothing was changed. */
  readonly isDone: boolean
  /** Folders that the change created, innermost first. */
  readonly made: readonly string[]
  readonly texts: readonly TextWrite[]
  /** Number of notes that the recovery wrote. The others were already written before the crash. */
  readonly written: number
  /** Notes that were edited since the crash and are left unchanged. */
  readonly skipped: readonly string[]
}

const concurrency = 16

/** Finishes an interrupted change. The caller must hold the lock. @returns undefined if no change is pending */
export async function recover(tools: TransactionTools): Promise<RecoveryResult | undefined> {
  const { roots, writer, listNotes, journal } = tools
  const pending = await journal?.read()
  if (!journal || !pending) {
    await journal?.end()
    return undefined
  }
  const { move, tag, replacement, made = [], origin } = pending
  const commonResult = { batch: { move: move ?? undefined, tag, replacement }, made }
  if (move && !(await hasMoved(roots, move))) {
    await journal.end()
    return { ...commonResult, isDone: false, texts: [], written: 0, skipped: [] }
  }
  const resolvedRoots = await resolveRoots(roots)
  const outcomes = await inBatches(pending.texts, concurrency, async (text) => ({
    newPath: text.newPath,
    text: await orUndefined(applyPendingWrite(roots, text, true, resolvedRoots)),
  }))
  const texts = outcomes.flatMap(({ text }) => text ?? [])
  const skipped = outcomes.flatMap(({ text, newPath }) => (text ? [] : [newPath]))
  const textsBefore = new Map(texts.map((text) => [text.newPath, text.before]))
  const movedPaths = move ? await oldPathsOfMovedNotes(move, listNotes) : []
  const writes = await inBatches(movedPaths, concurrency, async (path): Promise<WorkspaceWrite[]> => {
    const newPath = move ? movedPath(path, [move]) : path
    const text = textsBefore.get(newPath) ?? (await readTextOrNull(roots, newPath, resolvedRoots).catch(() => null))
    return text === null ? [] : [{ ...writer.createWrite(newPath, origin, text, text), from: path }]
  })
  for (const text of texts) writes.push([writer.createWrite(text.newPath, origin, text.before, text.after)])
  await writer.notifyAll(writes.flat())
  await journal.end()
  return { ...commonResult, isDone: true, texts, written: texts.filter(({ isWritten }) => isWritten).length, skipped }
}

/**
 * Returns true if the move took place. A single file is linked to the new name before the old name is removed, so both
 * can exist.
 */
async function hasMoved(roots: Roots, { from, to, isFolder }: NonNullable<PendingChange['move']>): Promise<boolean> {
  const statIfExists = (path: string) =>
    resolveInside(roots, path)
      .then((file) => lstat(file, { bigint: true }))
      .catch(() => undefined)
  const [source, target] = [await statIfExists(from), await statIfExists(to)]
  if (!target) return false
  if (!isFolder && source && source.ino === target.ino && source.dev === target.dev)
    await unlink((await resolveMovable(roots, from)).target)
  return true
}

async function oldPathsOfMovedNotes(
  { from, to, isFolder }: NonNullable<PendingChange['move']>,
  listNotes: TransactionTools['listNotes'],
): Promise<string[]> {
  if (!isFolder) return [from]
  return (await listNotes()).filter((path) => path.startsWith(`${to}/`)).map((path) => from + path.slice(to.length))
}
