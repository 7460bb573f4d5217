import { AppError } from '#shared/util/errors.ts'

export interface SearchQuery {
  readonly text: string
  readonly isPattern: boolean
  readonly matchCase: boolean
}

export interface FoundLine {
  /** 1-based. */
  readonly line: number
  /** Shortened if the line is long; contains the first match. */
  readonly text: string
}

const maxCharacters = 300
const maxBefore = 80

/** Builds the regular expression of a search. @throws AppError `input_invalid` for an invalid pattern */
export function toRegExp({ text, isPattern, matchCase }: SearchQuery): RegExp {
  try {
    return new RegExp(isPattern ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), `gu${matchCase ? '' : 'i'}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('input_invalid', `the pattern is not right: ${reason}`, { reason }, { cause: error })
  }
}

export interface Matches {
  readonly lines: FoundLine[]
  /** Number of lines with a match, listed or not. */
  readonly lineCount: number
  readonly count: number
}

/** Returns the first `maxLines` lines with a match, and counts all of them. */
export function findMatches(text: string, finder: RegExp, maxLines: number): Matches {
  const lines: FoundLine[] = []
  let [lineCount, count] = [0, 0]
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    finder.lastIndex = 0
    const first = finder.exec(line)
    if (!first) continue
    finder.lastIndex = 0
    lineCount += 1
    count += line.match(finder)?.length ?? 0
    if (lines.length < maxLines) lines.push({ line: index + 1, text: excerpt(line, first.index) })
  }
  return { lines, lineCount, count }
}

function excerpt(line: string, at: number): string {
  const from = at > maxBefore && line.length > maxCharacters ? at - maxBefore : 0
  const piece = line.slice(from, from + maxCharacters).toWellFormed()
  return `${from > 0 ? '…' : ''}${piece}${from + maxCharacters < line.length ? '…' : ''}`
}

/** Replaces matches within lines; line ends stay. `$1` refers to a group only if `isPattern`; `count`: matches. */
export function replaceMatches(
  text: string,
  finder: RegExp,
  replacement: string,
  isPattern: boolean,
): { text: string; count: number } {
  let count = 0
  const lines = text.split(/(\r?\n)/).map((line, index) => {
    // Odd items are line ends.
    if (index % 2 === 1) return line
    count += line.match(finder)?.length ?? 0
    return isPattern ? line.replace(finder, replacement) : line.replace(finder, () => replacement)
  })
  return { text: lines.join(''), count }
}
