/** Writes several notes as one change: all of them, or none. Whoever is told is told when all are written. */
import { rm } from 'node:fs/promises'
import { AppError } from '#shared/util/errors.ts'
import type { Edits, WorkspaceWrite, WriteOrigin } from '../files/workspace-edits.ts'
import { assertReadable, assertUnprotected, readText, stateOf, writeText } from '../files/text-files.ts'
import { normalizeRequest, resolveWritable, type Roots } from '../files/paths.ts'

export interface Rewritten {
  readonly path: string
  /** What it must say before; null where there must be no file. */
  readonly before: string | null
  readonly after: string
}

/**
 * Only where nobody else writes.
 * @throws AppError `file_changed` when one does not say what it must; nothing is written then, or it is taken back
 */
export async function rewriteAll(
  { roots, edits }: { readonly roots: Roots; readonly edits: Edits },
  texts: readonly Rewritten[],
  origin: WriteOrigin,
): Promise<WorkspaceWrite[]> {
  const changed = (path: string) =>
    new AppError('file_changed', `${path} was changed by somebody else meanwhile`, { path })
  const planned = []
  for (const { path, before, after } of texts) {
    const shown = normalizeRequest(path)
    const { target, isAllowed } = await resolveWritable(roots, shown)
    assertReadable(after, shown)
    const known = await stateOf(target)
    const now = known === undefined ? null : (await readText(target, shown, isAllowed)).text
    if (now !== before) throw changed(shown)
    if (now !== after) await assertUnprotected(target, shown)
    planned.push({ shown, target, isAllowed, known, before, after })
  }
  const back: (() => Promise<void>)[] = []
  try {
    for (const { shown, target, isAllowed, known, before, after } of planned) {
      await writeText(target, after, shown, isAllowed, known)
      back.push(async () => {
        if (before === null) await rm(target)
        else await writeText(target, before, shown, isAllowed, await stateOf(target))
      })
    }
  } catch (error) {
    for (const step of back.reverse()) await step()
    throw error
  }
  const writes = planned.map(({ shown, before, after }) => edits.writeOf(shown, origin, before, after))
  await edits.tellAll(writes)
  return writes
}
