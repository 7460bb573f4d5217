import { AppError } from '#shared/util/errors.ts'

export interface Wanted {
  readonly text: string
  readonly isPattern: boolean
  readonly matchCase: boolean
}

export interface FoundLine {
  /** 1-based. */
  readonly line: number
  /** Cut where it is long, so that its first match is in it. */
  readonly text: string
}

/** Of a line, as it is listed; so much of it stands before the first match at most. */
const maxCharacters = 300
const maxBefore = 80

/** @throws AppError `input_invalid` for a pattern that is none */
export function finderOf({ text, isPattern, matchCase }: Wanted): RegExp {
  try {
    return new RegExp(isPattern ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), `gu${matchCase ? '' : 'i'}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('input_invalid', `the pattern is not right: ${reason}`, { reason }, { cause: error })
  }
}

export interface Matches {
  readonly lines: FoundLine[]
  /** Lines with a match, listed or not. */
  readonly lineCount: number
  readonly count: number
}

/** The first `maxLines` lines with a match, and how many lines and matches there are in all. */
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
    if (lines.length < maxLines) lines.push({ line: index + 1, text: shown(line, first.index) })
  }
  return { lines, lineCount, count }
}

function shown(line: string, at: number): string {
  const from = at > maxBefore && line.length > maxCharacters ? at - maxBefore : 0
  const piece = line.slice(from, from + maxCharacters).toWellFormed()
  return `${from > 0 ? '…' : ''}${piece}${from + maxCharacters < line.length ? '…' : ''}`
}

/** Only a pattern's replacement may speak of groups (`$1`). Line breaks stay as they are. */
export function replaceMatches(
  text: string,
  finder: RegExp,
  replacement: string,
  isPattern: boolean,
): { text: string; count: number } {
  let count = 0
  const lines = text.split(/(\r?\n)/).map((line, index) => {
    // Every other piece is a line break.
    if (index % 2 === 1) return line
    count += line.match(finder)?.length ?? 0
    return isPattern ? line.replace(finder, replacement) : line.replace(finder, () => replacement)
  })
  return { text: lines.join(''), count }
}
