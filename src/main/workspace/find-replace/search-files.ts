import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isNativeError } from 'node:util/types'
import { createContext, Script } from 'node:vm'
import type { FoundFile, LeftFile, UnreadFile } from '#shared/contract/index.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { inBatches } from '#platform'
import { type ResolvedRoots, resolveInside, resolveRoots, type Roots } from '../files/paths.ts'
import { isWriteProtected, readText } from '../files/text-files.ts'
import { walkMarkdown } from '../files/walk.ts'
import type { FileTransition } from '../changes/change-log.ts'

export type SearchRoots = Pick<Roots, 'workspace' | 'forbidden'>

/** Paths with the SHA-256 of their texts, hex. */
export type Hashes = readonly (readonly [path: string, hash: string])[]

export interface Rewrite extends FileTransition {
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

/** Searches all Markdown files. Files that cannot be read are `unread`. @throws AppError `input_invalid` for an invalid or slow pattern; the signal's reason */
export async function* searchFiles(
  { query, ...roots }: SearchRoots & { readonly query: SearchQuery },
  signal?: AbortSignal,
) {
  const regex = toRegExp(query)
  const resolved = await resolveRoots(roots)
  const { files } = await walkMarkdown(roots.workspace, signal, roots.forbidden)
  const type = 'found' as const
  let lineCount = 0
  for (let start = 0; start < files.length; start += batchSize) {
    signal?.throwIfAborted()
    const batch = files.slice(start, start + batchSize)
    const results = await inBatches(batch, batchSize, async ({ path }) => {
      return { path, file: await readOrUnreadReason(resolved, path) }
    })
    const found: FoundFile[] = []
    const hashes: [string, string][] = []
    const unread: UnreadFile[] = []
    for (const { path, file } of results) {
      if (file && 'reason' in file) unread.push({ path, reason: file.reason })
      if (!file || 'reason' in file) continue
      const maxLines = Math.min(maxLinesPerFile, maxLinesInTotal - lineCount)
      const matches = runTimed(query, () => findMatches(file.text, regex, maxLines))
      if (matches.count === 0) continue
      lineCount += matches.lines.length
      found.push({ path, ...matches })
      hashes.push([path, file.hash])
    }
    const done = Math.min(start + batchSize, files.length)
    yield { event: { type, found, unread, done, total: files.length }, hashes }
    // Lets the worker receive an abort message.
    await yieldToEventLoop()
  }
  if (files.length === 0) yield { event: { type, found: [], unread: [], done: 0, total: 0 }, hashes: [] }
}

/** @returns `left`: changed since the search, or write-protected @throws AppError `input_invalid` for a slow pattern */
export async function rewriteFiles(
  { query, files, ...roots }: SearchRoots & { query: SearchQuery & { replacement: string }; files: Hashes },
  signal: AbortSignal | undefined,
): Promise<{ rewrites: Rewrite[]; left: LeftFile[] }> {
  const regex = toRegExp(query)
  const resolved = await resolveRoots(roots)
  const rewrites: Rewrite[] = []
  const left: LeftFile[] = []
  for (const [path, hash] of files) {
    signal?.throwIfAborted()
    const file = await readOrUnreadReason(resolved, path)
    if (!file || 'reason' in file || file.hash !== hash) left.push({ path, reason: 'changed' })
    else if (await isWriteProtected(join(roots.workspace, path))) left.push({ path, reason: 'refused' })
    else {
      const result = runTimed(query, () => replaceMatches(file.text, regex, query.replacement, query.isPattern))
      rewrites.push({ path, count: result.count, before: file.text, after: result.text })
    }
  }
  return { rewrites, left }
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
async function readOrUnreadReason(roots: ResolvedRoots, path: string) {
  try {
    return await readText(await resolveInside(roots, path), path, roots.isAllowed)
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

export interface SearchQuery {
  readonly text: string
  readonly isPattern: boolean
  readonly matchCase: boolean
}

const maxExcerptLength = 300
const maxLengthBeforeMatch = 80

/** Builds the regular expression of a search. @throws AppError `input_invalid` for an invalid pattern */
export function toRegExp({ text, isPattern, matchCase }: SearchQuery): RegExp {
  try {
    return new RegExp(isPattern ? text : RegExp.escape(text), `gu${matchCase ? '' : 'i'}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('input_invalid', `the pattern is invalid: ${reason}`, { reason }, { cause: error })
  }
}

/** Shortens long lines around the match. @returns the first `maxLines`; the numbers of all such lines and matches */
export function findMatches(text: string, regex: RegExp, maxLines: number): Omit<FoundFile, 'path'> {
  const lines: FoundFile['lines'] = []
  let [lineCount, count] = [0, 0]
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    regex.lastIndex = 0
    const firstMatch = regex.exec(line)
    if (!firstMatch) continue
    regex.lastIndex = 0
    lineCount += 1
    count += line.match(regex)?.length ?? 0
    if (lines.length < maxLines) lines.push({ line: index + 1, text: excerpt(line, firstMatch.index) })
  }
  return { lines, lineCount, count }
}

function excerpt(line: string, matchStart: number): string {
  const startsLater = matchStart > maxLengthBeforeMatch && line.length > maxExcerptLength
  const start = startsLater ? matchStart - maxLengthBeforeMatch : 0
  const part = line.slice(start, start + maxExcerptLength).toWellFormed()
  return `${start > 0 ? '…' : ''}${part}${start + maxExcerptLength < line.length ? '…' : ''}`
}

/** Replaces matches within lines and returns their number. `$1` refers to a group only if `isPattern` is true. */
export function replaceMatches(text: string, regex: RegExp, replacement: string, isPattern: boolean) {
  let count = 0
  const lines = text.split(/(\r?\n)/).map((line, index) => {
    // Odd items are line ends.
    if (index % 2 === 1) return line
    count += line.match(regex)?.length ?? 0
    return isPattern ? line.replace(regex, replacement) : line.replace(regex, () => replacement)
  })
  return { text: lines.join(''), count }
}
