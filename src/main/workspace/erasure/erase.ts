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
import { Mutex, readIfExists, writeDurably } from '#platform'
import { assertNotRecording, rewriteHistory } from '../history/rewrite-history.ts'
import { extractTexts } from './decode-file.ts'
import { assertErasable, ErasePattern } from './erase-pattern.ts'
import { hasMatchingPath, removeOccurrences } from './remove-occurrences.ts'
import { findRemaining } from './find-occurrences.ts'
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

/** Returns true if an erasure was interrupted. */
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
  // The file was torn by a crash, so nothing was erased yet.
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
  // Refuse before anything is written.
  assertErasable(request.texts)
  await assertNotRecording(folders.history)
  await writeDurably(taskFile(folders), JSON.stringify({ version: 1, ...request }))
  yield* runErasure(folders, request, signal)
}

async function* runErasure(
  folders: ErasureFolders,
  { texts, keep }: EraseRequest,
  signal?: AbortSignal,
): AsyncGenerator<ErasureStep> {
  const phrase = new ErasePattern(texts)
  const keptPaths = new Set(keep)
  const stored = await listStoredFiles(folders)
  const runningTask = taskFile(folders)
  const removed: ErasurePlace[] = []
  const add = (kind: ErasurePlace['kind'], path: string, count = 1) => removed.push({ kind, path, count, lines: [] })
  const files = stored.filter(
    ({ kind, path, file }) => !isNotEdited(kind) && file !== runningTask && !(kind === 'note' && keptPaths.has(path)),
  )
  const total = files.length + 2
  let isHistoryHit = false
  const workspaceMutex = new Mutex(folders.workspace)
  try {
    for (const [index, one] of files.entries()) {
      if (signal?.aborted) break
      if (index % progressInterval === 0) yield { type: 'progress', done: index, total }
      const isHit = hasMatchingPath(one, phrase) || (await containsMatch(one.file, phrase))
      if (one.kind === 'history') isHistoryHit ||= isHit
      if (!isHit || isRepositoryFile(one.file)) continue
      const remove = () => removeOccurrences(one, phrase)
      if (await (one.kind === 'note' ? workspaceMutex.run(remove) : remove())) add(one.kind, one.path)
    }
    if (!signal?.aborted && isHistoryHit) {
      yield { type: 'progress', done: files.length, total }
      const change = {
        text: (path: string, text: string) => (keptPaths.has(path) ? text : phrase.removeLines(text)),
        keepsPath: (path: string) => keptPaths.has(path) || !phrase.matches(path),
      }
      const commits = await rewriteHistory(folders.history, folders.workspace, change, signal)
      if (commits !== undefined) add('history', 'history', commits)
    }
    if (!signal?.aborted && (removed.length > 0 || (await indexContainsMatch(folders, phrase)))) {
      // The index is rebuilt from the files.
      for (const file of await indexFiles(folders.index)) await rm(file, { force: true })
      add('index', 'index')
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  } finally {
    workspaceMutex.close()
  }
  yield { type: 'progress', done: total - 1, total }
  await rm(runningTask, { force: true })
  const left = await findRemaining(folders, phrase)
  yield { type: 'done', outcome: { removed, left, isStopped: signal?.aborted === true } }
}

const progressInterval = 20

/** Returns true for files that are not edited: attachments, the index, and the configuration (the user edits it). */
function isNotEdited(kind: ErasurePlace['kind']): boolean {
  return kind === 'other' || kind === 'index' || kind === 'state'
}

/** Returns true for files of the history's repository: it is rewritten as a whole. */
function isRepositoryFile(file: string): boolean {
  return /[\\/]repository\.git(?:\.\w+)?[\\/]/.test(file)
}

async function containsMatch(file: string, phrase: ErasePattern): Promise<boolean> {
  return (await extractTexts(file))?.some((text) => phrase.matches(text)) ?? false
}

async function indexContainsMatch({ index }: ErasureFolders, phrase: ErasePattern): Promise<boolean> {
  for (const file of await indexFiles(index)) if (await containsMatch(file, phrase)) return true
  return false
}
