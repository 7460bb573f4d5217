import { lstat, unlink } from 'node:fs/promises'
import { orUndefined } from '#shared/util/errors.ts'
import { inBatches } from '#platform'
import type { ChangeLog, FileTransition, RecordedFile } from '../changes/change-log.ts'
import type { ChangeSet } from '../changes/change-rows.ts'
import { fileStamp } from '../files/text-files.ts'
import { resolveRoots, resolveInside, resolveWritable, type Roots } from '../files/paths.ts'
import { batchDetailOf, type BatchDetail } from './batch.ts'
import { moveTextToTrash, readTextOrNull, replaceText, stampsOf, type TransactionTools } from './transaction.ts'

const concurrency = 16

/**
 * Decides the changes that a crash interrupted: finishes those of several files, except imports; marks others as done
 * if their file has the new text. The caller must hold the lock.
 * @param onBegin called before a change of several files is finished (it is slow in a large folder)
 * @returns `isDone`: false if the crash happened before the move, so that nothing was changed; `skipped`: notes that were
 * edited since the crash and are left unchanged
 */
export async function recover(tools: TransactionTools, onBegin: (batch: BatchDetail) => void = () => undefined) {
  const { log } = tools
  if (!log) return []
  log.removeIncomplete()
  return Array.fromAsync(log.pendingSets(), (change) => finish(tools, log, change, onBegin))
}

async function finish(
  tools: TransactionTools,
  log: ChangeLog,
  change: ChangeSet,
  onBegin: (batch: BatchDetail) => void,
) {
  const { writer } = tools
  const { id } = change
  const batch = batchDetailOf(change.detail)
  const files = log.filesOf(id)
  const result = { change, batch, notes: files.length, skipped: [] }
  if (batch.move && !(await hasMoved(tools.roots, batch.move))) {
    log.cancel(id)
    return { ...result, isDone: false }
  }
  const mustFinish = change.kind !== 'import' && (files.length > 1 || batch.move !== undefined)
  if (mustFinish) onBegin(batch)
  const resolvedTools = { ...tools, roots: await resolveRoots(tools.roots) }
  const outcomes = await inBatches(files, concurrency, async (file) => {
    return { ...file, state: await orUndefined(settleFile(resolvedTools, file, mustFinish)) }
  })
  const isUndone = ({ state = 'changed' }: (typeof outcomes)[number]) =>
    state === 'unchanged' || (mustFinish && state === 'changed')
  log.cancel(id, new Set(outcomes.filter(isUndone).map(({ path }) => path)))
  const done = outcomes.flatMap(({ path, from, before, after, state }): FileTransition[] =>
    before === undefined || after === undefined || state !== 'done' ? [] : [{ path, from, before, after }],
  )
  log.done(id, await stampsOf(resolvedTools.roots, done))
  await writer.notify(done, change.origin, id)
  return {
    ...result,
    isDone: true,
    skipped: mustFinish ? outcomes.flatMap(({ path, state = 'changed' }) => (state === 'changed' ? [path] : [])) : [],
  }
}

/**
 * Finishes or checks one file of an interrupted change. Returns `done` if it has the new text; `unchanged` if it has the
 * old text; `changed` if it has another text, or if the change does not record the new text.
 */
async function settleFile(tools: TransactionTools, { path, before, after }: RecordedFile, mustFinish: boolean) {
  // The change log has no texts of attachments.
  if (before === null && after === null) {
    const attachment = await resolveInside(tools.roots, path)
    return (await fileStamp(attachment)) === undefined ? 'unchanged' : 'done'
  }
  const current = await readTextOrNull(tools.roots, path)
  if (current === after) return 'done'
  if (current !== before || after === undefined) return 'changed'
  if (!mustFinish) return 'unchanged'
  if (after === null) await moveTextToTrash(tools, path, current)
  else await replaceText(tools.roots, path, current, after)
  return 'done'
}

/** A single file is linked to the new name before the old name is removed, so both can exist. */
async function hasMoved(roots: Roots, { from, to, isFolder }: NonNullable<BatchDetail['move']>): Promise<boolean> {
  const statIfExists = (path: string) =>
    resolveInside(roots, path)
      .then((file) => lstat(file, { bigint: true }))
      .catch(() => undefined)
  const [source, target] = [await statIfExists(from), await statIfExists(to)]
  if (!target) return false
  if (!isFolder && source && source.ino === target.ino && source.dev === target.dev)
    await unlink((await resolveWritable(roots, from, 'move')).target)
  return true
}
