/**
 * Forgetting for good: what is named goes from notes, transcripts, requests, history, index, drafts and proposals alike,
 * and what is left is looked for afterwards in the bytes of everything that is kept. The agent is closed meanwhile. What is
 * to be done is on the disk before the first file is changed, so that what a crash breaks off is done at the next start.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ForgetOutcome, ForgetPlace, ForgetStep } from '#shared/contract/index.ts'
import { parseJson } from '#shared/util/json.ts'
import { Exclusive, readIfThere, writeDurably } from '#platform'
import { assertHistoryFree, rewriteHistory } from '../history/rewrite-history.ts'
import { textsOf } from './decode-file.ts'
import { assertNamable, Phrase } from './erase-pattern.ts'
import { isNamedAfter, removeFrom } from './remove-occurrences.ts'
import { verify } from './find-occurrences.ts'
import { indexFiles, storedOf, type ForgetFolders } from './erasure-stores.ts'

/** What is confirmed. */
export interface ForgetRequest {
  /** Any of them, wherever they stand. */
  readonly texts: readonly string[]
  /** Notes that stay as they are. */
  readonly keep: readonly string[]
}

const taskSchema = z.object({ version: z.literal(1), texts: z.array(z.string()).min(1), keep: z.array(z.string()) })

/** What is under way; it has the very words, and goes last. */
function taskFile({ sessions }: ForgetFolders): string {
  return join(sessions, '..', 'forgetting.json')
}

/** Whether something was begun and broken off. */
export function isForgettingBegun(folders: ForgetFolders): boolean {
  return existsSync(taskFile(folders))
}

/** The same as was begun and broken off. @returns undefined where nothing was */
export async function resumeForgetting(folders: ForgetFolders): Promise<ForgetOutcome | undefined> {
  const file = taskFile(folders)
  if (!existsSync(file)) return undefined
  const task = taskSchema.safeParse(parseJson((await readIfThere(file)) ?? '')).data
  // Torn before anything was done.
  if (!task) {
    await rm(file, { force: true })
    return undefined
  }
  for await (const step of carryOut(folders, task)) if (step.type === 'done') return step.outcome
  return undefined
}

/**
 * @param signal ends it after the file at hand; what is done stays done and is told
 * @throws AppError `input_invalid`, `disk_full`, `write_failed`, `file_busy`
 */
export async function* forget(
  folders: ForgetFolders,
  request: ForgetRequest,
  signal?: AbortSignal,
): AsyncGenerator<ForgetStep> {
  // Refused before anything is written.
  assertNamable(request.texts)
  await assertHistoryFree(folders.history)
  await writeDurably(taskFile(folders), JSON.stringify({ version: 1, ...request }))
  yield* carryOut(folders, request, signal)
}

async function* carryOut(
  folders: ForgetFolders,
  { texts, keep }: ForgetRequest,
  signal?: AbortSignal,
): AsyncGenerator<ForgetStep> {
  const phrase = new Phrase(texts)
  const kept = new Set(keep)
  const stored = await storedOf(folders)
  const own = taskFile(folders)
  const removed: ForgetPlace[] = []
  const add = (kind: ForgetPlace['kind'], path: string, count = 1) => removed.push({ kind, path, count, lines: [] })
  const files = stored.filter(
    ({ kind, path, file }) => !isLeft(kind) && file !== own && !(kind === 'note' && kept.has(path)),
  )
  const total = files.length + 2
  let isHistoryHit = false
  const writers = new Exclusive(folders.workspace)
  try {
    for (const [index, one] of files.entries()) {
      if (signal?.aborted) break
      if (index % tellEvery === 0) yield { type: 'progress', done: index, total }
      const isHit = isNamedAfter(one, phrase) || (await hasIt(one.file, phrase))
      if (one.kind === 'history') isHistoryHit ||= isHit
      if (!isHit || isObject(one.file)) continue
      const remove = () => removeFrom(one, phrase)
      if (await (one.kind === 'note' ? writers.run(remove) : remove())) add(one.kind, one.path)
    }
    if (!signal?.aborted && isHistoryHit) {
      yield { type: 'progress', done: files.length, total }
      const change = {
        text: (path: string, text: string) => (kept.has(path) ? text : phrase.without(text)),
        keepsPath: (path: string) => kept.has(path) || !phrase.isIn(path),
      }
      const commits = await rewriteHistory(folders.history, folders.workspace, change, signal)
      if (commits !== undefined) add('history', 'history', commits)
    }
    if (!signal?.aborted && (removed.length > 0 || (await indexHas(folders, phrase)))) {
      // It is derived from the files, and is made anew from them.
      for (const file of await indexFiles(folders.index)) await rm(file, { force: true })
      add('index', 'index')
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  } finally {
    writers.close()
  }
  yield { type: 'progress', done: total - 1, total }
  await rm(own, { force: true })
  const left = await verify(folders, phrase)
  yield { type: 'done', outcome: { removed, left, isStopped: signal?.aborted === true } }
}

const tellEvery = 20

/** Where text cannot be taken out of: pictures and the like are told as left. The configuration is the user's to write. */
function isLeft(kind: ForgetPlace['kind']): boolean {
  return kind === 'other' || kind === 'index' || kind === 'state'
}

/** Of the history's repository, which is made anew as a whole. */
function isObject(file: string): boolean {
  return /[\\/]repository\.git(?:\.\w+)?[\\/]/.test(file)
}

async function hasIt(file: string, phrase: Phrase): Promise<boolean> {
  return (await textsOf(file))?.some((text) => phrase.isIn(text)) ?? false
}

async function indexHas({ index }: ForgetFolders, phrase: Phrase): Promise<boolean> {
  for (const file of await indexFiles(index)) if (await hasIt(file, phrase)) return true
  return false
}
