/**
 * Matches the phrases to delete: ignoring case, with any spaces, hyphens, underscores or line breaks between words.
 * Matches whole words only ("Ann" does not match "Annabel"), except in Chinese characters.
 */
import type { DeletionPlace } from '#shared/contract/index.ts'
import { withoutLines } from '#shared/markdown/visibility-edit.ts'
import { privateMark, privateFrontMatter } from '#shared/markdown/visibility.ts'
import { AppError } from '#shared/util/errors.ts'

/** Replaces a line in files whose structure must not change: transcripts, stored requests to models. */
const deletedPlaceholder = '[forgotten]'

const minLetterCount = 3
const minCjkCount = 2
/** `^[private]` in a line, or `visibility` in YAML or TOML front matter. `local` is the older word for `private`. */
const markers =
  /\^\[[ \t]*(?:local|private)[ \t]*\]|^visibility(?::[ \t]*|[ \t]*=[ \t]*")(?:local|private)(?="?[ \t]*\r?$)/gim
const maxExcerpts = 5
const maxExcerptLength = 300

export class DeletionPattern {
  readonly #pattern: RegExp
  /** True if a phrase is in a privacy marker. Markers are then skipped, so that no line is deleted for its marker. */
  readonly #matchesMarkers: boolean

  /** @param texts any of them matches @throws AppError `input_invalid` if there is none, or one is too short */
  constructor(texts: readonly string[]) {
    const phrasePatterns = texts.map((text) => patternOf(text.normalize('NFC').trim()))
    if (phrasePatterns.length === 0)
      throw new AppError('input_invalid', 'no text to delete is given', { field: 'words' })
    this.#pattern = new RegExp(phrasePatterns.join('|'), 'giu')
    const examples = [privateMark, privateFrontMatter, '^[local]']
    this.#matchesMarkers = examples.some((marker) => marker.search(this.#pattern) >= 0)
  }

  /** Returns true if a phrase occurs in the text, also if the text is not in NFC. */
  matches(text: string): boolean {
    return this.#normalize(text).search(this.#pattern) >= 0
  }

  /** Returns the numbers (1-based) of lines with a match. A match over a line break counts for both lines. */
  matchingLines(text: string): number[] {
    const normalized = this.#normalize(text)
    const matchedLines = new Set<number>()
    let [line, offset] = [1, 0]
    for (const { 0: matched, index } of normalized.matchAll(this.#pattern)) {
      line += countBreaks(normalized.slice(offset, index))
      offset = index
      for (let next = 0; next <= countBreaks(matched); next += 1) matchedLines.add(line + next)
    }
    return [...matchedLines]
  }

  excerpt(texts: readonly string[], hasLineNumbers = false): Pick<DeletionPlace, 'count' | 'lines'> {
    const matches = texts.flatMap((text) => {
      const matchedLines = this.matchingLines(text)
      const lines = matchedLines.length === 0 ? [] : text.split('\n')
      return matchedLines.map((line) => ({
        line: hasLineNumbers ? line : undefined,
        text: (lines[line - 1] ?? '').trim().slice(0, maxExcerptLength).toWellFormed(),
      }))
    })
    return { count: matches.length, lines: matches.slice(0, maxExcerpts) }
  }

  /** Removes the lines with a match. If one contains a privacy marker, the lines that it covered get markers. */
  removeLines(text: string): string {
    const matchedLines = new Set(this.matchingLines(text).map((line) => line - 1))
    return matchedLines.size === 0 ? text : withoutLines(text, matchedLines)
  }

  /** Returns true if `removeLines` adds privacy markers to lines that remain. */
  addsMarkers(text: string): boolean {
    const matchedLines = this.matchingLines(text)
    const otherLines = text.split('\n').filter((_, index) => !matchedLines.includes(index + 1))
    return this.removeLines(text) !== otherLines.join('\n')
  }

  /** Returns the text in NFC; if a phrase matches privacy markers, with NULs in their place. Lines stay the same. */
  #normalize(input: string): string {
    const text = input.normalize('NFC')
    return this.#matchesMarkers ? text.replaceAll(markers, (marker) => '\0'.repeat(marker.length)) : text
  }

  /** Replaces lines with a match by `deletedPlaceholder`. Keeps the first character of a diff line (`+`, `-`, space). */
  maskLines(text: string): string {
    const matchedLines = new Set(this.matchingLines(text))
    const mask = (line: string) => line.replace(/^([+\- ]?).*/s, `$1${deletedPlaceholder}`)
    const lines = text.split('\n').map((line, index) => (matchedLines.has(index + 1) ? mask(line) : line))
    return lines.join('\n')
  }
}

function countBreaks(text: string): number {
  return text.split('\n').length - 1
}

function patternOf(text: string): string {
  const letterCount = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  const cjkCount = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  if (cjkCount < minCjkCount && letterCount < minLetterCount)
    throw new AppError('input_invalid', 'too short: it would match too many other words', { field: 'words' })
  const words = text.split(/[\s_-]+/u).filter((word) => word !== '')
  const body = words.map((word) => RegExp.escape(word)).join(String.raw`[\s_-]+`)
  const startBoundary = /^(?!\p{Script=Han})[\p{L}\p{N}]/u.test(text) ? String.raw`(?<![\p{L}\p{N}])` : ''
  const endBoundary = /(?!\p{Script=Han})[\p{L}\p{N}]$/u.test(text) ? String.raw`(?![\p{L}\p{N}])` : ''
  return `${startBoundary}${body}${endBoundary}`
}
