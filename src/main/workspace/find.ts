/** Finding and replacing in texts, by words as they stand or by a pattern. Pure. */
import { AppError } from '../../shared/errors.ts'

export interface FindOptions {
  readonly text: string
  readonly isPattern: boolean
  readonly matchCase: boolean
}

/** @throws AppError `input_invalid` for a pattern that is none */
export function finderOf({ text, isPattern, matchCase }: FindOptions): RegExp {
  try {
    return new RegExp(isPattern ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), `gmu${matchCase ? '' : 'i'}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('input_invalid', `the pattern is not right: ${reason}`, { reason }, { cause: error })
  }
}

/** Lines with a match, 1-based, and how many matches there are. */
export function findLines(text: string, finder: RegExp): { lines: { line: number; text: string }[]; count: number } {
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
export function replaceAll(text: string, finder: RegExp, replacement: string, isPattern: boolean): string {
  return isPattern ? text.replace(finder, replacement) : text.replace(finder, () => replacement)
}
