/**
 * Permanent erasure: removes phrases from notes, transcripts, requests, history, index, drafts and proposals, then
 * searches all stored files for remaining matches. The agent must be closed. The task is stored before the first
 * change, so the next start finishes an interrupted run.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ErasureOutcome, ErasurePlace, ErasureStep } from '#shared/contract/index.ts'
import { parseJson } from '#shared/util/json.ts'
import { Mutex, readIfExists, runExclusively, writeDurably } from '#platform'
import { repositoryPath } from '../history/journal.ts'
import { rewriteHistory } from '../history/rewrite-history.ts'
import { assertErasable, ErasePattern } from './erase-pattern.ts'
import { hasMatchingPath, removeOccurrences } from './remove-occurrences.ts'
import { containsMatch, findRemaining } from './find-occurrences.ts'
import { indexFiles, listStoredFiles, type ErasureFolders } from './erasure-stores.ts'

export interface EraseRequest {
  readonly texts: readonly string[]
  /** Workspace-relative paths of notes that stay unchanged. */
  readonly keep: readonly string[]
}

const taskSchema = z.object({ version: z.literal(1), texts: z.array(z.string()).min(1), keep: z.array(z.string()) })

/** File of the running task. Contains the phrases, so it is deleted after everything else. */
function taskFile({ sessions }: ErasureFolders): string {
  return join(sessions, '..', 'forgetting.json')
}

export function hasPendingErasure(folders: ErasureFolders): boolean {
  return existsSync(taskFile(folders))
}

/**
 * Finishes an interrupted erasure.
 * @returns undefined if there is none
 * @throws AppError as `erase`
 */
export async function resumeErasure(folders: ErasureFolders): Promise<ErasureOutcome | undefined> {
  const file = taskFile(folders)
  if (!existsSync(file)) return undefined
  const task = taskSchema.safeParse(parseJson((await readIfExists(file)) ?? '')).data
  // The file is incomplete after a crash, so nothing was erased yet.
  if (!task) {
    await rm(file, { force: true })
    return undefined
  }
  for await (const step of runErasure(folders, task)) if (step.type === 'done') return step.outcome
  return undefined
}

/**
 * Erases phrases and yields the progress.
 * @param signal stops after the current file; erased text stays erased, and the last step reports it
 * @throws AppError `input_invalid`, `disk_full`, `write_failed`, `file_busy`
 */
export async function* erase(
  folders: ErasureFolders,
  request: EraseRequest,
  signal?: AbortSignal,
): AsyncGenerator<ErasureStep> {
  // Check before anything is written, also that no other process records.
  assertErasable(request.texts)
  await runExclusively(repositoryPath(folders.history), async () => undefined)
  await writeDurably(taskFile(folders), JSON.stringify({ version: 1, ...request }))
  yield* runErasure(folders, request, signal)
}

async function* runErasure(
  folders: ErasureFolders,
  { texts, keep }: EraseRequest,
  signal?: AbortSignal,
): AsyncGenerator<ErasureStep> {
  const pattern = new ErasePattern(texts)
  const keptPaths = new Set(keep)
  const storedFiles = await listStoredFiles(folders)
  const runningTask = taskFile(folders)
  const removed: ErasurePlace[] = []
  const addRemoved = (kind: ErasurePlace['kind'], path: string, count = 1) =>
    removed.push({ kind, path, count, lines: [] })
  const files = storedFiles.filter(
    ({ kind, path, file }) => isErasable(kind) && file !== runningTask && !(kind === 'note' && keptPaths.has(path)),
  )
  const total = files.length + 2
  let hasHistoryMatch = false
  const workspaceMutex = new Mutex(folders.workspace)
  try {
    for (const [index, storedFile] of files.entries()) {
      if (signal?.aborted) break
      if (index % progressInterval === 0) yield { type: 'progress', done: index, total }
      const isMatch = hasMatchingPath(storedFile, pattern) || (await containsMatch(storedFile.file, pattern))
      if (storedFile.kind === 'history') hasHistoryMatch ||= isMatch
      // `rewriteHistory` replaces the files of the repository.
      if (!isMatch || /[\\/]repository\.git(?:\.\w+)?[\\/]/.test(storedFile.file)) continue
      const remove = () => removeOccurrences(storedFile, pattern)
      const isRemoved = await (storedFile.kind === 'note' ? workspaceMutex.run(remove) : remove())
      if (isRemoved) addRemoved(storedFile.kind, storedFile.path)
    }
    if (!signal?.aborted && hasHistoryMatch) {
      yield { type: 'progress', done: files.length, total }
      const rewrite = {
        rewriteText: (path: string, text: string) => (keptPaths.has(path) ? text : pattern.removeLines(text)),
        keepsPath: (path: string) => keptPaths.has(path) || !pattern.matches(path),
      }
      const commits = await rewriteHistory(folders.history, folders.workspace, rewrite, signal)
      if (commits !== undefined) addRemoved('history', 'history', commits)
    }
    if (!signal?.aborted && (removed.length > 0 || (await indexContainsMatch(folders, pattern)))) {
      // The next start builds a new index from the files.
      for (const file of await indexFiles(folders.index)) await rm(file, { force: true })
      addRemoved('index', 'index')
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  } finally {
    workspaceMutex.close()
  }
  yield { type: 'progress', done: total - 1, total }
  await rm(runningTask, { force: true })
  const remaining = await findRemaining(folders, pattern)
  yield { type: 'done', outcome: { removed, left: remaining, isStopped: signal?.aborted === true } }
}

const progressInterval = 20

/** Returns false for files that stay unchanged: attachments, the index, and the configuration (the user edits it). */
function isErasable(kind: ErasurePlace['kind']): boolean {
  return kind !== 'other' && kind !== 'index' && kind !== 'state'
}

async function indexContainsMatch({ index }: ErasureFolders, pattern: ErasePattern): Promise<boolean> {
  for (const file of await indexFiles(index)) if (await containsMatch(file, pattern)) return true
  return false
}
