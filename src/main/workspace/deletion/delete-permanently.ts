/**
 * Permanent deletion: removes phrases from notes, transcripts, requests, history, index, drafts and proposals, then
 * searches all stored files for remaining matches. The agent must be closed. The task is stored before the first
 * change, so the next start finishes an interrupted run.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deletionRequestSchema } from '#shared/contract/permanent-deletion.ts'
import type { DeletionOutcome, DeletionRequest, DeletionStep } from '#shared/contract/index.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { parseStored, readIfExists, toWriteError, writeDurably, Mutex } from '#platform'
import { LogFile } from '../changes/log-file.ts'
import { NewerLogError } from '../changes/schema.ts'
import { deleteFromLog } from './delete-from-log.ts'
import { DeletionPattern } from './deletion-pattern.ts'
import { listStoredFiles, type DeletionFolders, type SearchedFile } from './stores.ts'
import { findInFile, findOccurrences, removeOccurrences } from './occurrences.ts'

/** File of the running task. Contains the phrases, so it is deleted after everything else. */
export function taskFile({ sessions }: DeletionFolders): string {
  return join(sessions, '..', 'forgetting.json')
}

/** @param signal stops after the current file @throws AppError `input_invalid`, `disk_full`, `file_busy` */
export async function* deletePermanently(
  folders: DeletionFolders,
  request: DeletionRequest,
  signal?: AbortSignal,
): AsyncGenerator<DeletionStep> {
  // Check before anything is written, also that the logs can be written.
  void new DeletionPattern(request.texts)
  for (const storedFile of await listStoredFiles(folders))
    if (storedFile.kind === 'history') useLog(storedFile, (log) => log.write(() => false))
  await writeDurably(taskFile(folders), JSON.stringify(request))
  yield* resumeDeletion(folders, signal)
}

/** Runs the stored deletion, which a crash may have interrupted; no effect if there is none. Otherwise as `deletePermanently`. */
export async function* resumeDeletion(folders: DeletionFolders, signal?: AbortSignal): AsyncGenerator<DeletionStep> {
  const task = parseStored(deletionRequestSchema, (await readIfExists(taskFile(folders))) ?? '')
  // A damaged task can never run.
  if (!task) return await rm(taskFile(folders), { force: true })
  const { texts, keep, deleteOldHistory } = task
  const pattern = new DeletionPattern(texts)
  const keptPaths = new Set(keep)
  const removed: DeletionOutcome['removed'] = []
  const eraseFile = async (storedFile: SearchedFile): Promise<boolean> => {
    const { kind, file } = storedFile
    if (kind === 'history')
      return Mutex.runOnce(folders.workspace, async () =>
        useLog(storedFile, (log) => log.run((open) => deleteFromLog(open, pattern, keptPaths) > 0)),
      )
    const isOutdated = kind === 'index' && removed.some((place) => place.kind !== 'oldHistory')
    if (!isOutdated && (await findInFile(storedFile, pattern)).length === 0) return false
    if (kind !== 'oldHistory' && kind !== 'index')
      return Mutex.runOnce(folders.workspace, () => removeOccurrences(storedFile, pattern))
    // The next start builds a new index from the files.
    await rm(file, { recursive: true, force: true })
    return true
  }
  // Attachments and the configuration stay unchanged: the user edits them.
  const keptKinds = new Set<string>(['other', 'state', ...(deleteOldHistory ? [] : ['oldHistory'])])
  const files = (await listStoredFiles(folders)).filter(
    ({ kind, path }) => !keptKinds.has(kind) && !(kind === 'note' && keptPaths.has(path)),
  )
  for (const [index, storedFile] of files.entries()) {
    if (signal?.aborted) break
    if (index % progressInterval === 0) yield { done: index, total: files.length }
    const { kind, path } = storedFile
    if (await eraseFile(storedFile)) removed.push({ kind, path })
  }
  await rm(taskFile(folders), { force: true })
  const left = await findOccurrences(folders, pattern)
  yield { removed, left, isStopped: signal?.aborted === true }
}

const progressInterval = 20

/** One of a newer version of the app stays unchanged. @throws AppError `file_busy`, `disk_full`, `write_failed` */
function useLog({ path, file }: SearchedFile, work: (log: LogFile) => boolean): boolean {
  const log = new LogFile(file, () => undefined)
  try {
    return work(log)
  } catch (error) {
    if (error instanceof NewerLogError) return false
    if (isSystemError(error, 'SQLITE_BUSY'))
      throw new AppError('file_busy', `another process is writing to ${path}`, { path }, { cause: error })
    throw toWriteError(error, path)
  } finally {
    log.close()
  }
}
