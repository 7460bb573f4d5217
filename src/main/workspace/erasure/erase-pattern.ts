/**
 * Matches the phrases to erase: ignoring case, with any spaces, hyphens, underscores or line breaks between words.
 * Matches whole words only ("Ann" does not match "Annabel"), except in Chinese characters.
 */
import { withoutLines } from '#shared/markdown/visibility-edit.ts'
import { privateMark, privateFrontMatter } from '#shared/markdown/visibility.ts'
import { AppError } from '#shared/util/errors.ts'

/** Replaces a line in files whose structure must not change: transcripts, requests. */
export const erasedPlaceholder = '[forgotten]'

const minLetterCount = 3
const minCjkCount = 2

export class ErasePattern {
  readonly #pattern: RegExp
  /** True if a phrase matches the privacy markers. The search then ignores the markers. */
  readonly #matchesMarkers: boolean

  /**
   * @param texts phrases; any of them matches
   * @throws AppError `input_invalid` if there is none, or one is too short
   */
  constructor(texts: readonly string[]) {
    const phrasePatterns = texts.map((text) => patternOf(text.normalize('NFC').trim()))
    if (phrasePatterns.length === 0)
      throw new AppError('input_invalid', 'no text to erase is given', { field: 'words' })
    this.#pattern = new RegExp(phrasePatterns.join('|'), 'giu')
    this.#matchesMarkers = `${privateMark}\n${privateFrontMatter}\n^[local]`.search(this.#pattern) >= 0
  }

  /** Returns true if a phrase occurs in the text, also if the text is not in NFC. */
  matches(input: string): boolean {
    const text = this.#withoutMarkers(input)
    return text.search(this.#pattern) >= 0 || (isDecomposed(text) && this.matches(text.normalize('NFC')))
  }

  /** Returns the numbers (1-based) of lines with a match. A match over a line break counts for both lines. */
  matchingLines(input: string): number[] {
    const text = this.#withoutMarkers(input)
    const lines = text.split('\n')
    const normalized = isDecomposed(text) ? lines.map((line) => line.normalize('NFC')).join('\n') : text
    const matchedLines = new Set<number>()
    let [line, offset] = [1, 0]
    for (const { 0: matched, index } of normalized.matchAll(this.#pattern)) {
      line += countBreaks(normalized.slice(offset, index))
      offset = index
      for (let next = 0; next <= countBreaks(matched); next += 1) matchedLines.add(line + next)
    }
    return [...matchedLines]
  }

  /** Removes the lines with a match. If one contains a privacy marker, the lines that it covered get markers. */
  removeLines(text: string): string {
    const matchedLines = new Set(this.matchingLines(text).map((line) => line - 1))
    return matchedLines.size === 0 ? text : withoutLines(text, matchedLines)
  }

  addsMarkers(text: string): boolean {
    const matchedLines = this.matchingLines(text)
    const otherLines = text.split('\n').filter((_, index) => !matchedLines.includes(index + 1))
    return this.removeLines(text) !== otherLines.join('\n')
  }

  /** Replaces privacy markers by NULs if a phrase matches them. Offsets stay the same. */
  #withoutMarkers(text: string): string {
    if (!this.#matchesMarkers) return text
    return text
      .replaceAll(/\^\[[ \t]*(?:local|private)[ \t]*\]/gi, (mark) => '\0'.repeat(mark.length))
      .replaceAll(/^visibility(?::[ \t]*|[ \t]*=[ \t]*")(?:local|private)(?="?[ \t]*\r?$)/gim, (visibilityLine) =>
        '\0'.repeat(visibilityLine.length),
      )
  }

  /** Replaces lines with a match by `erasedPlaceholder`. Keeps the first character of a diff line (`+`, `-`, space). */
  maskLines(text: string): string {
    const matchedLines = new Set(this.matchingLines(text))
    if (matchedLines.size === 0) return text
    return text
      .split('\n')
      .map((line, index) =>
        matchedLines.has(index + 1) ? `${/^[+\- ]/.exec(line)?.[0] ?? ''}${erasedPlaceholder}` : line,
      )
      .join('\n')
  }
}

function countBreaks(text: string): number {
  return text.split('\n').length - 1
}

/** Returns true if the text is not in NFC, as file names of some systems. */
function isDecomposed(text: string): boolean {
  return /\p{M}/u.test(text) && text !== text.normalize('NFC')
}

function patternOf(text: string): string {
  const letterCount = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  const cjkCount = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  if (cjkCount < minCjkCount && letterCount < minLetterCount)
    throw new AppError('input_invalid', 'too short: it would match too many other words', { field: 'words' })
  const words = text.split(/[\s_-]+/u).filter((word) => word !== '')
  const body = words.map((word) => RegExp.escape(word)).join(String.raw`[\s_-]+`)
  const isLetter = (letter: string | undefined) =>
    /[\p{L}\p{N}]/u.test(letter ?? '') && !/[\p{Script=Han}]/u.test(letter ?? '')
  const startBoundary = isLetter([...text][0]) ? String.raw`(?<![\p{L}\p{N}])` : ''
  const endBoundary = isLetter([...text].at(-1)) ? String.raw`(?![\p{L}\p{N}])` : ''
  return `${startBoundary}${body}${endBoundary}`
}

/** @throws AppError `input_invalid` if there is no text, or one is too short */
export function assertErasable(texts: readonly string[]): void {
  void new ErasePattern(texts)
}
