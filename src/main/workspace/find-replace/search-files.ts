import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isNativeError } from 'node:util/types'
import { createContext, Script } from 'node:vm'
import type { UnreadFile } from '#shared/contract/index.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { inBatches } from '#platform'
import { resolveRoots, resolveInside, type ResolvedRoots } from '../files/paths.ts'
import { readText } from '../files/text-files.ts'
import { walkMarkdown } from '../files/walk.ts'
import type { TextWrite } from '../transactions/settle-text.ts'
import { toRegExp, findMatches, replaceMatches, type Matches, type SearchQuery } from './text-matches.ts'

export interface SearchRoots {
  readonly workspace: string
  readonly forbidden: readonly string[]
}

export interface FileMatches extends Matches {
  readonly path: string
  /** SHA-256 of the text, hex. */
  readonly hash: string
}

/** Results of one group of files. `done` of `total` files were searched so far. */
export interface FindStep {
  readonly found: readonly FileMatches[]
  /** Files that could not be read and may contain matches. */
  readonly unread: readonly UnreadFile[]
  readonly done: number
  readonly total: number
}

export interface Rewrite extends TextWrite {
  readonly count: number
}

const maxLinesPerFile = 200
const maxLinesInTotal = 10_000
const batchSize = 64
/** Time limit for a pattern in one file, ms. */
const regexTimeoutMs = 500

const script = new Script('work()')
const sandbox: { work: () => void } = { work: () => undefined }
/** Shared, because creating a context takes longer than searching most files. */
let context: ReturnType<typeof createContext> | undefined

/** Searches all Markdown files. @throws AppError `input_invalid` for an invalid or slow pattern; the signal's reason */
export async function* searchFiles(
  roots: SearchRoots,
  query: SearchQuery,
  signal?: AbortSignal,
): AsyncGenerator<FindStep> {
  const regex = toRegExp(query)
  const resolvedRoots = await resolveRoots(roots)
  const { files } = await walkMarkdown(roots.workspace, signal, roots.forbidden)
  let lineCount = 0
  for (let start = 0; start < files.length; start += batchSize) {
    signal?.throwIfAborted()
    const batch = files.slice(start, start + batchSize)
    const results = await inBatches(batch, batchSize, ({ path }) => readOrUnreadReason(roots, resolvedRoots, path))
    const found: FileMatches[] = []
    const unread: UnreadFile[] = []
    for (const [index, file] of results.entries()) {
      const path = batch[index]?.path
      if (!file || path === undefined) continue
      if ('reason' in file) {
        unread.push({ path, reason: file.reason })
        continue
      }
      const maxLines = Math.min(maxLinesPerFile, maxLinesInTotal - lineCount)
      const matches = runTimed(query, () => findMatches(file.text, regex, maxLines))
      if (matches.count === 0) continue
      lineCount += matches.lines.length
      found.push({ path, hash: file.hash, ...matches })
    }
    yield { found, unread, done: Math.min(start + batchSize, files.length), total: files.length }
    // Lets the worker receive an abort message.
    await yieldToEventLoop()
  }
  if (files.length === 0) yield { found: [], unread: [], done: 0, total: 0 }
}

/**
 * Computes the text of a file after the replacement; writes nothing.
 * @returns undefined if the file has changed since the search
 * @throws AppError `input_invalid` for an invalid or slow pattern
 */
export async function rewriteFile(
  roots: SearchRoots,
  query: SearchQuery & { readonly replacement: string },
  { path, hash }: Pick<FileMatches, 'path' | 'hash'>,
): Promise<Rewrite | undefined> {
  const file = await readOrUnreadReason(roots, await resolveRoots(roots), path)
  if (!file || 'reason' in file || file.hash !== hash) return undefined
  const regex = toRegExp(query)
  const { text, count } = runTimed(query, () => replaceMatches(file.text, regex, query.replacement, query.isPattern))
  return { path, newPath: path, count, before: file.text, after: text }
}

function runTimed<Result>({ isPattern }: SearchQuery, task: () => Result): Result {
  return isPattern ? withRegexTimeout(task) : task()
}

/** Runs a task for at most 500 ms, because a pattern can backtrack exponentially. @throws AppError `input_invalid` */
export function withRegexTimeout<Result>(task: () => Result): Result {
  let result: Result | undefined
  sandbox.work = () => {
    result = task()
  }
  context ??= createContext(sandbox)
  try {
    script.runInContext(context, { timeout: regexTimeoutMs })
  } catch (error) {
    // The error can come from the other context, so `instanceof Error` does not work.
    if (!isNativeError(error) || !('code' in error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    const reason = 'the search takes too long'
    throw new AppError('input_invalid', `the pattern is invalid: ${reason}`, { reason }, { cause: error })
  }
  return result as Result
}

/** Returns the text, or the reason why it cannot be read; undefined if the file was deleted. */
async function readOrUnreadReason(roots: SearchRoots, resolvedRoots: ResolvedRoots, path: string) {
  try {
    return await readText(await resolveInside(roots, path, resolvedRoots), path, resolvedRoots.isAllowed)
  } catch (error) {
    if (error instanceof AppError) return error.code === 'file_not_found' ? undefined : { reason: reasonOf(error) }
    if (isSystemError(error)) return isSystemError(error, 'ENOENT') ? undefined : { reason: 'unreadable' as const }
    throw error
  }
}

function reasonOf({ code, data }: AppError): UnreadFile['reason'] {
  if (code === 'file_too_large') return 'large'
  if (code !== 'file_not_text') return 'unreadable'
  return data['holdsNul'] === true ? 'nul' : 'encoding'
}
