/** Finding and replacing in all files of a workspace, by words as they stand or by a pattern. */
import { isNativeError } from 'node:util/types'
import { createContext, Script } from 'node:vm'
import { AppError } from '../../shared/errors.ts'
import type { WriteOrigin } from './edits.ts'
import type { Workspace } from './workspace.ts'

export interface FindOptions {
  readonly text: string
  readonly isPattern: boolean
  readonly matchCase: boolean
}

export interface FoundLines {
  readonly path: string
  readonly lines: { line: number; text: string }[]
  readonly count: number
}

/** Lines that are listed. */
const maxFoundLines = 5000
/** Milliseconds that a pattern may take in one file: one that backtracks without end must not hold up everything. */
const patternTimeout = 500

/** Lines of all files that have a text. @throws AppError `input_invalid` */
export async function findInFiles(
  workspace: Workspace,
  options: FindOptions,
  signal?: AbortSignal,
): Promise<{ files: FoundLines[]; complete: boolean }> {
  const finder = finderOf(options)
  const found: FoundLines[] = []
  let lines = 0
  for (const { path } of (await workspace.list(signal)).files) {
    signal?.throwIfAborted()
    if (lines >= maxFoundLines) return { files: found, complete: false }
    const text = await readable(workspace, path)
    const matches = text === undefined ? undefined : inTime(options, () => findLines(text, finder))
    if (!matches || matches.count === 0) continue
    lines += matches.lines.length
    found.push({ path, ...matches })
  }
  return { files: found, complete: true }
}

/** Replaces in the named files, each in one step. @throws AppError `input_invalid` */
export async function replaceInFiles(
  workspace: Workspace,
  options: FindOptions & { readonly replacement: string; readonly paths: readonly string[] },
  origin: WriteOrigin,
): Promise<{ path: string; patch: string; count: number }[]> {
  const finder = finderOf(options)
  const changes: { path: string; patch: string; count: number }[] = []
  for (const path of options.paths) {
    let count = 0
    const write = await workspace.edit(path, origin, (current) =>
      inTime(options, () => {
        if (current === undefined) throw new AppError('file_not_found', `${path} does not exist`, { path })
        count = findLines(current, finder).count
        return replaceAll(current, finder, options.replacement, options.isPattern)
      }),
    )
    if (count === 0) continue
    const { patch } = await workspace.describe(write)
    changes.push({ path, patch, count })
  }
  return changes
}

/** Undefined for a file that is no text, or vanished meanwhile. */
async function readable(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return (await workspace.read(path)).text
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

const work = new Script('work()')

function inTime<Result>({ isPattern }: FindOptions, task: () => Result): Result {
  if (!isPattern) return task()
  let result: Result | undefined
  try {
    work.runInContext(createContext({ work: () => void (result = task()) }), { timeout: patternTimeout })
  } catch (error) {
    // It may be an error of the other context's kind.
    if (!isNativeError(error) || !('code' in error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    const reason = 'it takes too long'
    throw new AppError('input_invalid', `the pattern is not right: ${reason}`, { reason }, { cause: error })
  }
  return result as Result
}

/** @throws AppError `input_invalid` for a pattern that is none */
function finderOf({ text, isPattern, matchCase }: FindOptions): RegExp {
  try {
    return new RegExp(isPattern ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), `gmu${matchCase ? '' : 'i'}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('input_invalid', `the pattern is not right: ${reason}`, { reason }, { cause: error })
  }
}

/** Lines with a match, 1-based, and how many matches there are. */
function findLines(text: string, finder: RegExp): { lines: { line: number; text: string }[]; count: number } {
  const lines: { line: number; text: string }[] = []
  let count = 0
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const matches = line.match(finder)?.length ?? 0
    if (matches === 0) continue
    count += matches
    lines.push({ line: index + 1, text: line.slice(0, 500) })
  }
  return { lines, count }
}

/** Only a pattern's replacement may speak of groups (`$1`). */
function replaceAll(text: string, finder: RegExp, replacement: string, isPattern: boolean): string {
  return isPattern ? text.replace(finder, replacement) : text.replace(finder, () => replacement)
}
