/**
 * Cuts text into index terms. Index and query use the same rules:
 *
 * - words are found by `Intl.Segmenter`, folded (case, width, accents) and, in Latin script, stemmed;
 * - identifiers (`POSTGRES_URL`, `v2.3.0`, addresses, paths, `LazyInit`) are indexed whole and in parts;
 * - dates, numbers and quantities also have a canonical form (`canonical-forms.ts`);
 * - CJK text is indexed character by character, in simplified form, and a query's words are matched as phrases. So a
 *   word is found however the text around it is segmented, and single characters are found too. Korean words are
 *   also indexed without their endings.
 */
import { lazy } from '#shared/util/lazy.ts'
import { findCanonicalForms } from './canonical-forms.ts'
import { simplify } from '#shared/util/han.ts'
import { stem } from './stem.ts'
import { koreanEndings } from './stop-words.ts'

/** Part of the index's fingerprint: a change here, or another version of ICU, rebuilds the index. */
export const tokenizerVersion = `5/${process.versions.icu ?? 'none'}`

export const cjkRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー々〆]+/gu
// The lookbehind prevents quadratic time: without it, the pattern is tried again at every letter of a long run.
const letter = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}]'
export const identifier = new RegExp(`(?<!${letter})${letter}+(?:[_\\-./:@#+\\\\]${letter}+)+`, 'gu')
/** Matches an identifier with an underscore or, after a letter, a digit: `POSTGRES_URL`, `AB-812`. */
export const codePattern = /_|^\D+\d/
/** Much faster than `identifier`. */
const asciiIdentifier = /(?<![a-z0-9])[a-z0-9]+(?:[_\-./:@#+\\][a-z0-9]+)+/g

/** The locale hardly matters for words: most scripts ignore it, and Chinese and Japanese share one dictionary. */
export const wordSegmenter = lazy(() => new Intl.Segmenter('en', { granularity: 'word' }))

/** Called with each word or identifier of at least `minSpellingLength` characters. */
type OnSpelling = (word: string, term: string) => void

export interface LineTerms {
  /** Stems of words, whole identifiers, parts of camelCase names, and canonical forms. */
  readonly terms: readonly string[]
  /** Runs of CJK characters, folded. */
  readonly runs: readonly string[]
}

export function lineTerms(raw: string, onSpelling?: OnSpelling): LineTerms {
  const line = fold(raw)
  const terms = latinTerms(line, onSpelling)
  for (const part of camelParts(raw)) terms.push(stem(part))
  const runs = isAscii(line) ? [] : (line.match(cjkRun) ?? [])
  for (const { indexTerms } of findCanonicalForms(line)) terms.push(...indexTerms)
  for (const word of runs.flatMap((run) => run.match(/\p{Script=Hangul}+/gu) ?? []))
    terms.push(...new Set([word, withoutKoreanEnding(word)]))
  return { terms, runs }
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

export function bigramsOf(letters: readonly string[]): string[] {
  return letters.slice(0, -1).map((letter, index) => letter + (letters[index + 1] ?? ''))
}

/**
 * Folds a text for comparison: NFKC, lower case, no combining accents on Latin letters, simplified characters instead
 * of traditional ones. The length can change.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  const composed = text.normalize('NFKC').toLowerCase()
  // Most text is ASCII or CJK and has no accents.
  const plain = /[\u00c0-\u024f\u1e00-\u1eff]|\p{Mn}/u.test(composed)
    ? composed
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC')
    : composed
  return /[\u3400-\u9fff]/.test(plain) ? simplify(plain) : plain
}

/** Replaces spans (UTF-16 offsets) by spaces, so that offsets stay valid. */
export function blankSpans(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  if (spans.length === 0) return text
  const letters = text.split('')
  for (const { start, end } of spans) letters.fill(' ', start, end)
  return letters.join('')
}

export function latinTerms(text: string, onSpelling?: OnSpelling): string[] {
  const terms: string[] = []
  forEachWord(isAscii(text) ? text : text.replace(cjkRun, ' '), (word, isWhole) => {
    const term = isWhole ? word : stem(word)
    terms.push(term)
    if (word.length >= minSpellingLength) onSpelling?.(word, term)
  })
  return terms
}

/** In letters. Shorter words have too many similar words for spelling correction. */
export const minSpellingLength = 4

/**
 * Calls `onWord` for each word of a folded text. An identifier is reported whole first (`isWhole`), then its parts.
 * `at` is a UTF-16 offset.
 */
export function forEachWord(text: string, onWord: (word: string, isWhole: boolean, at: number) => void): void {
  let from = 0
  for (const match of text.matchAll(isAscii(text) ? asciiIdentifier : identifier)) {
    forEachPlainWord(text.slice(from, match.index), from, onWord)
    onWord(match[0], true, match.index)
    forEachPlainWord(match[0].replace(/[_\-./:@#+\\]/g, ' '), match.index, onWord)
    from = match.index + match[0].length
  }
  forEachPlainWord(text.slice(from), from, onWord)
}

function forEachPlainWord(text: string, offset: number, onWord: Parameters<typeof forEachWord>[1]): void {
  // For ASCII, a regular expression finds the same words as the segmenter, ten times as fast.
  if (isAscii(text)) {
    for (const match of text.matchAll(/[a-z0-9]+(?:'[a-z]+)?/g)) onWord(match[0], false, offset + match.index)
    return
  }
  for (const { segment, isWordLike, index } of wordSegmenter().segment(text.replaceAll('’', "'"))) {
    if (isWordLike) onWord(segment, false, offset + index)
  }
}

/**
 * Splits camelCase words: `LazyInitException` → lazy, init, exception. Returns nothing for other words, nor for
 * `PostgreSQL`, because no part after a lower-case letter is capitalized like a word.
 */
export function camelParts(text: string): string[] {
  if (!/[a-z][A-Z][a-z]/.test(text)) return []
  return (text.match(/[A-Za-z]*[a-z][A-Z][a-z][A-Za-z]*/g) ?? []).flatMap((word) =>
    word
      .replace(/([a-z])([A-Z][a-z])/g, '$1 $2')
      .toLowerCase()
      .split(' ')
      .filter((part) => part.length > 1),
  )
}

export function termsOfWord(word: string): readonly string[] {
  return /^[a-z]+$/i.test(word) ? [stem(word.toLowerCase())] : latinTerms(fold(word))
}

const endings = koreanEndings
  .split(/\s+/)
  .filter(Boolean)
  .sort((one, other) => other.length - one.length)

/** Returns the word unchanged if it has no ending, or if nothing would remain. */
export function withoutKoreanEnding(word: string): string {
  const ending = endings.find((end) => word.length > end.length && word.endsWith(end))
  return ending === undefined ? word : word.slice(0, -ending.length)
}
