/**
 * What shall be gone, as it is recognised wherever it stands: whatever the case, with any space, hyphen or underscore
 * between its words, as file names have them, and over the end of a line. Words of letters are whole words: who forgets Ann
 * keeps Annabel. Pure.
 */
import { localMark, localMatter } from '#shared/markdown/visibility.ts'
import { withoutLines } from '#shared/markdown/visibility-keep.ts'
import { AppError } from '#shared/util/errors.ts'

/** Takes the place of a line in what must keep its shape: transcripts, requests. */
export const blot = '[forgotten]'

const minLetters = 3
const minHan = 2

export class Phrase {
  readonly #pattern: RegExp
  readonly #every: RegExp
  /** It stands in what marks a note or a line as local, which is nobody's word. */
  readonly #isInMarks: boolean

  /** @param texts any of them @throws AppError `input_invalid` for one that would stand nearly everywhere */
  constructor(texts: readonly string[]) {
    const parts = texts.map((text) => patternOf(text.normalize('NFC').trim()))
    if (parts.length === 0) throw nothingNamed()
    this.#pattern = new RegExp(parts.join('|'), 'iu')
    // One that remembers where it was must not be asked whether there is one at all.
    this.#every = new RegExp(parts.join('|'), 'giu')
    this.#isInMarks = this.#pattern.test(`${localMark}\n${localMatter}`)
  }

  isIn(asked: string): boolean {
    const text = this.#said(asked)
    return this.#pattern.test(text) || (isDecomposed(text) && this.isIn(text.normalize('NFC')))
  }

  /** Lines that it stands in, 1-based; over the end of a line it stands in both. */
  linesIn(asked: string): number[] {
    const text = this.#said(asked)
    const lines = text.split('\n')
    const whole = isDecomposed(text) ? lines.map((line) => line.normalize('NFC')).join('\n') : text
    const found = new Set<number>()
    let [line, at] = [1, 0]
    for (const match of whole.matchAll(this.#every)) {
      for (; at < match.index; at += 1) if (whole.charCodeAt(at) === newline) line += 1
      found.add(line)
      for (; at < match.index + match[0].length; at += 1)
        if (whole.charCodeAt(at) === newline) {
          line += 1
          found.add(line)
        }
    }
    return [...found]
  }

  /** The text without the lines that it stands in; what was local of the others stays so. */
  without(text: string): string {
    const gone = new Set(this.linesIn(text).map((line) => line - 1))
    return gone.size === 0 ? text : withoutLines(text, gone)
  }

  /** Whether a mark goes with its lines that others need, so that these get one. */
  movesMark(text: string): boolean {
    const gone = this.linesIn(text)
    const plain = text.split('\n').filter((_, at) => !gone.includes(at + 1))
    return this.without(text) !== plain.join('\n')
  }

  /** What stands there besides marks, at the same places. */
  #said(text: string): string {
    if (!this.#isInMarks) return text
    return text
      .replaceAll(/\^\[[ \t]*local[ \t]*\]/gi, (mark) => '\0'.repeat(mark.length))
      .replaceAll(/^visibility:[ \t]*local(?=[ \t]*\r?$)/gim, (said) => '\0'.repeat(said.length))
  }

  /** The text with those lines blotted out; the mark of a line of a diff stays. */
  blotted(text: string): string {
    const gone = new Set(this.linesIn(text))
    if (gone.size === 0) return text
    return text
      .split('\n')
      .map((line, at) => (gone.has(at + 1) ? `${/^[+\- ]/.exec(line)?.[0] ?? ''}${blot}` : line))
      .join('\n')
  }
}

const newline = 10

/** Letters and their marks apart, as some systems write names. */
function isDecomposed(text: string): boolean {
  return /\p{M}/u.test(text) && text !== text.normalize('NFC')
}

function patternOf(text: string): string {
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  const han = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  if (han < minHan && letters < minLetters)
    throw new AppError('input_invalid', 'too short to be told from other words', { field: 'words' })
  const words = text.split(/[\s_-]+/u).filter((word) => word !== '')
  const inner = words.map((word) => RegExp.escape(word)).join(String.raw`[\s_-]+`)
  const isLetter = (letter: string | undefined) =>
    /[\p{L}\p{N}]/u.test(letter ?? '') && !/[\p{Script=Han}]/u.test(letter ?? '')
  const start = isLetter([...text][0]) ? String.raw`(?<![\p{L}\p{N}])` : ''
  const end = isLetter([...text].at(-1)) ? String.raw`(?![\p{L}\p{N}])` : ''
  return `${start}${inner}${end}`
}

/** @throws AppError `input_invalid` for what would stand nearly everywhere */
export function assertNamable(texts: readonly string[]): void {
  for (const text of texts) patternOf(text)
  if (texts.length === 0) throw nothingNamed()
}

function nothingNamed(): AppError {
  return new AppError('input_invalid', 'nothing is named that shall be forgotten', { field: 'words' })
}
