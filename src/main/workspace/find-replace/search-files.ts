import { setImmediate as breathe } from 'node:timers/promises'
import { isNativeError } from 'node:util/types'
import { createContext, Script } from 'node:vm'
import type { UnreadFile } from '#shared/contract/index.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { inBatches } from '#platform'
import { resolveRoots, resolveInside, type ResolvedRoots } from '../files/paths.ts'
import { readText } from '../files/text-files.ts'
import { walkMarkdown } from '../files/walk.ts'
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

/** Results of a part of the files; `done` of `total` files are searched so far. */
export interface FindStep {
  readonly found: readonly FileMatches[]
  /** Files that could not be read and may contain matches. */
  readonly unread: readonly UnreadFile[]
  readonly done: number
  readonly total: number
}

export interface Rewritten {
  readonly path: string
  readonly count: number
  readonly before: string
  readonly after: string
}

const maxOfFile = 200
const maxOfAll = 10_000
const atOnce = 64
/** Time limit for a pattern in one file, ms. */
const patternTimeout = 500

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
  const finder = toRegExp(query)
  const resolvedRoots = await resolveRoots(roots)
  const { files } = await walkMarkdown(roots.workspace, signal, roots.forbidden)
  let lineCount = 0
  for (let from = 0; from < files.length; from += atOnce) {
    signal?.throwIfAborted()
    const batch = files.slice(from, from + atOnce)
    const texts = await inBatches(batch, atOnce, ({ path }) => readOrReason(roots, resolvedRoots, path))
    const found: FileMatches[] = []
    const unread: UnreadFile[] = []
    for (const [at, read] of texts.entries()) {
      const path = batch[at]?.path
      if (!read || path === undefined) continue
      if ('reason' in read) {
        unread.push({ path, reason: read.reason })
        continue
      }
      const maxLines = Math.min(maxOfFile, maxOfAll - lineCount)
      const matches = timed(query, () => findMatches(read.text, finder, maxLines))
      if (matches.count === 0) continue
      lineCount += matches.lines.length
      found.push({ path, hash: read.hash, ...matches })
    }
    yield { found, unread, done: Math.min(from + atOnce, files.length), total: files.length }
    // Lets the worker receive an abort.
    await breathe()
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
): Promise<Rewritten | undefined> {
  const read = await readOrReason(roots, await resolveRoots(roots), path)
  if (!read || 'reason' in read || read.hash !== hash) return undefined
  const finder = toRegExp(query)
  const { text, count } = timed(query, () => replaceMatches(read.text, finder, query.replacement, query.isPattern))
  return { path, count, before: read.text, after: text }
}

function timed<Result>({ isPattern }: SearchQuery, task: () => Result): Result {
  return isPattern ? withRegexTimeout(task) : task()
}

/** Runs a task for at most 500 ms: a pattern can backtrack exponentially. @throws AppError `input_invalid` then */
export function withRegexTimeout<Result>(task: () => Result): Result {
  let result: Result | undefined
  sandbox.work = () => {
    result = task()
  }
  context ??= createContext(sandbox)
  try {
    script.runInContext(context, { timeout: patternTimeout })
  } catch (error) {
    // The error can come from the other context, so `instanceof Error` does not work.
    if (!isNativeError(error) || !('code' in error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    const reason = 'the search takes too long'
    throw new AppError('input_invalid', `the pattern is not right: ${reason}`, { reason }, { cause: error })
  }
  return result as Result
}

/** Returns the text, or the reason why it cannot be read; undefined if the file was deleted. */
async function readOrReason(roots: SearchRoots, resolvedRoots: ResolvedRoots, path: string) {
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
