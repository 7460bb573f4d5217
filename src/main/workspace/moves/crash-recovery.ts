/**
 * Ends a change of several files that was interrupted (M67): a move comes first and is one step of the file system, so
 * that either nothing was done, or what is left are texts, and they are written now. Nobody's later work is overwritten.
 */
import { lstat, unlink } from 'node:fs/promises'
import { AppError } from '#shared/util/errors.ts'
import { movedPath } from '#shared/markdown/links/rewrite-links.ts'
import { inBatches } from '#platform'
import type { WorkspaceWrite } from '../files/workspace-edits.ts'
import { hashText, readText } from '../files/text-files.ts'
import { placeOf, resolveInside, resolveMovable, type Place, type Roots } from '../files/paths.ts'
import {
  kindOf,
  otherText,
  type ChangeKind,
  type PendingChange,
  type PendingReplacement,
  type PendingText,
} from './pending-change.ts'
import { replaceText, type Relocation } from './multi-file-transaction.ts'

/** What became of a change that was interrupted. */
export interface CarriedOn {
  /** False where nothing had been done yet, and nothing is. */
  readonly isDone: boolean
  readonly kind: ChangeKind
  readonly move: { readonly from: string; readonly to: string } | undefined
  readonly replacement: PendingReplacement | undefined
  readonly tag: PendingChange['tag']
  /** Folders that were made for it, the innermost first. */
  readonly made: readonly string[]
  /** The notes as they were, and are; `path` is what each was called before. */
  readonly texts: readonly EndedText[]
  /** Notes that were written now. */
  readonly written: number
  /** Notes that somebody has changed since: they are as they are. */
  readonly left: readonly string[]
}

export interface EndedText {
  readonly path: string
  readonly newPath: string
  readonly before: string
  readonly after: string
}

/** Notes that are ended at the same time. */
const atOnce = 16

/** Only where nobody else writes. */
export async function carryOn({ roots, edits, notes, journal }: Relocation): Promise<CarriedOn | undefined> {
  const pending = await journal?.read()
  if (!journal || !pending) {
    await journal?.end()
    return undefined
  }
  const move = pending.move ?? undefined
  const about = {
    kind: kindOf(pending),
    move,
    replacement: pending.replacement,
    tag: pending.tag,
    made: pending.made ?? [],
  }
  if (move && !(await hasMoved(roots, move))) {
    await journal.end()
    return { ...about, isDone: false, texts: [], written: 0, left: [] }
  }
  const before = new Map<string, string>()
  const after = new Map<string, string>()
  const left: string[] = []
  let written = 0
  const place = await placeOf(roots)
  const all = await inBatches(pending.texts, atOnce, async (text) => ({
    text,
    ended: await endText(roots, text, place),
  }))
  for (const { text, ended } of all) {
    if (!ended) {
      left.push(text.newPath)
      continue
    }
    before.set(text.newPath, ended.before)
    after.set(text.newPath, ended.after)
    if (ended.isWritten) written += 1
  }
  const { origin } = pending
  const moved = move ? await movedNotes(move, notes) : []
  const writes: WorkspaceWrite[] = []
  const under = await inBatches(moved, atOnce, async (path) => {
    const to = move ? movedPath(path, [move]) : path
    return { path, to, text: before.get(to) ?? (await textAt(roots, to, place)) }
  })
  for (const { path, to, text } of under)
    if (text !== undefined) writes.push({ ...edits.writeOf(to, origin, text, text), from: path })
  for (const [path, text] of after) writes.push(edits.writeOf(path, origin, before.get(path) ?? '', text))
  await edits.tellAll(writes)
  await journal.end()
  const oldPaths = new Map(pending.texts.map(({ path, newPath }) => [newPath, path]))
  const texts = [...after].map(([newPath, text]) => ({
    path: oldPaths.get(newPath) ?? newPath,
    newPath,
    before: before.get(newPath) ?? '',
    after: text,
  }))
  return { ...about, isDone: true, texts, written, left }
}

/** A single file is first given its new name and then loses the old one: it may have both. */
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

/** @returns undefined where the text is neither what it was nor what it shall be */
async function endText(
  roots: Roots,
  text: PendingText,
  place: Place,
): Promise<{ before: string; after: string; isWritten: boolean } | undefined> {
  const now = await textAt(roots, text.newPath, place)
  if (now === undefined) return undefined
  const hash = hashText(now)
  if (hash === text.after) return { before: otherText(now, text, true), after: now, isWritten: false }
  const after = otherText(now, text, false)
  if (hash !== text.before || hashText(after) !== text.after) return undefined
  try {
    await replaceText(roots, text.newPath, now, after, place)
    return { before: now, after, isWritten: true }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

async function textAt(roots: Roots, path: string, place: Place): Promise<string | undefined> {
  try {
    return (await readText(await resolveInside(roots, path, place), path)).text
  } catch {
    return undefined
  }
}

/** By the paths that they had. */
async function movedNotes(
  { from, to, isFolder }: NonNullable<PendingChange['move']>,
  notes: Relocation['notes'],
): Promise<string[]> {
  if (!isFolder) return [from]
  return (await notes()).filter((path) => path.startsWith(`${to}/`)).map((path) => from + path.slice(to.length))
}
