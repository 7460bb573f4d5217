/** Plans the undo of a change set: the inverse of each of its file changes is merged into the present text. */
import type { LeftFile } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { inBatches, type Differ } from '#platform'
import { batchDetailOf, toLeftFile } from '../transactions/batch.ts'
import type { ChangeLog, FileTransition, RecordedFile } from './change-log.ts'

export interface RevertRequest {
  readonly change: number
  /** Only this file, by its path after the change. */
  readonly path?: string | undefined
  /** Only these hunks of the file, 0-based. */
  readonly hunks?: readonly number[] | undefined
  /** True: applies the change again after an undo. */
  readonly isRedo?: boolean | undefined
  /** True: leaves files that were edited since. Otherwise the change is merged out of them. */
  readonly leavesEdited?: boolean | undefined
  /** Only the files that have these paths now. */
  readonly only?: readonly string[] | undefined
}

interface RevertContext {
  readonly log: ChangeLog
  readonly differ: Differ
  /** Returns the present text of a file; null if there is none. */
  readonly readText: (path: string) => Promise<string | null>
}

const concurrency = 16

/**
 * Plans the undo. `move` is undefined without a move; `left`: files that cannot be reverted.
 * @throws AppError `undo_conflict` if a move, a renamed tag, or the only file cannot be reverted, with the first line
 * that has changed since, or if the change set is unknown
 */
export async function planRevert(context: RevertContext, request: RevertRequest) {
  const { log } = context
  const { change: id, path, isRedo = false, leavesEdited = false, only } = request
  const change = log.setOf(id)
  const files = log.filesOf(id).filter((file) => path === undefined || file.path === path)
  const { move: recordedMove } = batchDetailOf(change?.detail ?? null)
  // A move of an attachment without links to it has no note.
  // The undo of an adoption would remove the user's notes.
  if (!change || change.origin.cause === 'adopted' || (files.length === 0 && (!recordedMove || path !== undefined))) {
    const message = 'this change was already undone, or is no longer stored'
    throw new AppError('undo_conflict', message, { path: path ?? '' })
  }
  const { from = '', to = '' } = recordedMove ?? {}
  const move = recordedMove && path === undefined ? (isRedo ? { from, to } : { from: to, to: from }) : undefined
  const isAllOrNothing = !leavesEdited && (move !== undefined || change.kind === 'tag' || files.length === 1)
  const left: LeftFile[] = []
  const texts = await inBatches(files, concurrency, async (file): Promise<FileTransition[]> => {
    const isAttachment = file.before === null && file.after === null
    if (isAttachment || (recordedMove && file.before === file.after)) return []
    const currentPath = file.now
    if (only && !only.includes(currentPath)) return []
    try {
      const text = await revertFile(context, file, currentPath, request)
      return text === undefined ? [] : [{ path: currentPath, ...text }]
    } catch (error) {
      if (isAllOrNothing) throw error
      left.push(toLeftFile(currentPath, error))
      return []
    }
  })
  return { change, move, texts: texts.flat(), left }
}

/** @returns the present text and the text without the change; undefined if they are equal */
async function revertFile(
  { differ, readText }: RevertContext,
  { before, after }: RecordedFile,
  path: string,
  { hunks, isRedo = false, leavesEdited = false }: RevertRequest,
): Promise<Pick<FileTransition, 'before' | 'after'> | undefined> {
  const current = await readText(path)
  if (before === undefined || after === undefined) throw conflict(path)
  const reverted = hunks ? await differ.withoutHunks({ before: before ?? '', after: after ?? '', hunks }) : before
  const [base, target] = isRedo ? [reverted, after] : [after, reverted]
  if (current === target) return undefined
  if (current === base) return { before: current, after: target }
  if (current === null && target === null) return undefined
  if (current === null || base === null || leavesEdited) throw conflict(path, current === null ? undefined : 1)
  const result = await differ.revert({ after: base, current, restored: target ?? '' })
  if ('line' in result) throw conflict(path, result.line)
  if (result.text === current) return undefined
  return { before: current, after: target === null && result.text === '' ? null : result.text }
}

function conflict(path: string, line?: number): AppError {
  const place = line === undefined ? path : `${path}:${line}`
  const message = `${place} has changed since; the change cannot be undone automatically`
  return new AppError('undo_conflict', message, { path, ...(line === undefined ? {} : { line }) })
}
