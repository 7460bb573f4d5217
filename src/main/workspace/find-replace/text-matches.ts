import type { FoundFile } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'

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

/**
 * Returns the first `maxLines` lines with a match, long ones shortened around it, and the number of all such lines and
 * matches.
 */
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
export function replaceMatches(
  text: string,
  regex: RegExp,
  replacement: string,
  isPattern: boolean,
): { text: string; count: number } {
  let count = 0
  const lines = text.split(/(\r?\n)/).map((line, index) => {
    // Odd items are line ends.
    if (index % 2 === 1) return line
    count += line.match(regex)?.length ?? 0
    return isPattern ? line.replace(regex, replacement) : line.replace(regex, () => replacement)
  })
  return { text: lines.join(''), count }
}
