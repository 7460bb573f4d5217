/**
 * From text to index terms. Index and query take the same path, so that they meet:
 *
 * - words are found by `Intl.Segmenter`, folded (case, width, accents) and, in Latin script, stemmed;
 * - identifiers (`POSTGRES_URL`, `v2.3.0`, addresses, paths, `LazyInit`) are kept whole and also split into their parts;
 * - dates, numbers and quantities have one form beside the way they are written (`forms.ts`);
 * - CJK text is indexed character by character, traditional characters as simplified ones, and a query's words are
 *   looked up as runs of characters. A word is then found however the text around it happens to be segmented, and one
 *   character alone is found as well. Korean words are words too: what hangs on to them is cut off.
 */
import { segmenter } from '#shared/util/segmenter.ts'
import { asciiTerms } from './ascii-line.ts'
import { formsIn } from './canonical-forms.ts'
import { simplify } from './han.ts'
import { stem } from './stem.ts'
import { koreanEndings } from './words/korean-words.ts'

/** Part of the index's fingerprint: a change here, or another ICU, rebuilds it. */
export const tokenizerVersion = `5/${process.versions.icu ?? 'none'}`

export const cjkRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー々〆]+/gu
// Begins where a run of letters does: from within a long one it would be tried again at every letter.
const identifier =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}])[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+(?:[_\-./:@#+\\][\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+)+/gu

/** `undefined` as locale: the words of most scripts do not depend on it, and Chinese and Japanese share a dictionary. */
export const words = segmenter('en', 'word')

/** Hears of the words of a text as they are spelt, each with its term, where they are long enough to be misspelt. */
export type OnSpelling = (word: string, term: string) => void

export interface LineTerms {
  /** Words, identifiers, names' parts and forms, stemmed. */
  readonly terms: readonly string[]
  /** Of CJK letters, folded. */
  readonly runs: readonly string[]
  /** Terms that count for the length: each date or number once, in however many forms. */
  readonly count: number
}

const noRuns: readonly string[] = []
const ignore: OnSpelling = () => undefined

/** The terms of one line of text. */
export function lineTerms(raw: string, onSpelling: OnSpelling = ignore): LineTerms {
  return /^[\0-\x7f]*$/.test(raw) ? asciiLineTerms(raw, onSpelling) : anyLineTerms(raw, onSpelling)
}

function asciiLineTerms(raw: string, onSpelling: OnSpelling): LineTerms {
  const line = raw.toLowerCase()
  const { terms, mayHaveForms } = asciiTerms(line, (word, term) => {
    if (word.length >= minSpelt) onSpelling(word, term)
  })
  for (const part of camelParts(raw)) terms.push(stem(part))
  if (!mayHaveForms) return { terms, runs: noRuns, count: terms.length }
  const forms = formsIn(line)
  const count = terms.length + forms.length
  for (const { indexed } of forms) terms.push(...indexed)
  return { terms, runs: noRuns, count }
}

/** For text in any script. */
export function anyLineTerms(raw: string, onSpelling: OnSpelling = ignore): LineTerms {
  const line = fold(raw)
  const forms = formsIn(line)
  const terms = latinTerms(line, onSpelling)
  for (const part of camelParts(raw)) terms.push(stem(part))
  const runs = line.match(cjkRun) ?? noRuns
  const count = terms.length + forms.length
  for (const { indexed } of forms) terms.push(...indexed)
  for (const run of runs) if (/\p{Script=Hangul}/u.test(run)) terms.push(...koreanTerms(run))
  return { terms, runs, count }
}

/** 数据库 → 数据, 据库. */
export function pairsOf(letters: readonly string[]): string[] {
  return letters.slice(0, -1).map((letter, index) => letter + (letters[index + 1] ?? ''))
}

/**
 * One form for what looks the same to a reader: NFKC, lower case, no combining accents on Latin letters; and simplified
 * characters for traditional ones.
 */
export function fold(text: string): string {
  const composed = text.normalize('NFKC').toLowerCase()
  // Most text is ASCII or CJK, where there is no accent to fold.
  const plain = /[\u00c0-\u024f\u1e00-\u1eff]|\p{Mn}/u.test(composed)
    ? composed
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC')
    : composed
  return /[\u3400-\u9fff]/.test(plain) ? simplify(plain) : plain
}

/** A text with spaces where the spans are. */
export function withoutSpans(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  let rest = ''
  let from = 0
  for (const { start, end } of spans) {
    rest += text.slice(from, start) + ' '.repeat(end - start)
    from = end
  }
  return from === 0 ? text : rest + text.slice(from)
}

/** Terms of a folded text without its CJK, in reading order. */
function latinTerms(text: string, onSpelling: OnSpelling = ignore): string[] {
  const terms: string[] = []
  forEachWord(text.replace(cjkRun, ' '), (word, isWhole) => {
    const term = isWhole ? word : stem(word)
    terms.push(term)
    if (!isWhole && word.length >= minSpelt) onSpelling(word, term)
  })
  return terms
}

/** Shorter words have too many neighbours to tell a misspelt one from another word. */
export const minSpelt = 4

/** Calls for each word, and for an identifier first with it as a whole, then with its parts. */
export function forEachWord(text: string, found: (word: string, isWhole: boolean, at: number) => void): void {
  let from = 0
  for (const match of text.matchAll(identifier)) {
    forEachPlainWord(text.slice(from, match.index), from, found)
    found(match[0], true, match.index)
    forEachPlainWord(match[0].replace(/[_\-./:@#+\\]/g, ' '), match.index, found)
    from = match.index + match[0].length
  }
  forEachPlainWord(text.slice(from), from, found)
}

function forEachPlainWord(
  text: string,
  offset: number,
  found: (word: string, isWhole: boolean, at: number) => void,
): void {
  // For plain ASCII words a regular expression finds what the segmenter would, ten times as fast.
  if (/^[\0-\x7f]*$/.test(text)) {
    for (const match of text.matchAll(/[a-z0-9]+(?:'[a-z]+)?/g)) found(match[0], false, offset + match.index)
    return
  }
  for (const { segment, isWordLike, index } of words.segment(text.replaceAll('’', "'"))) {
    if (isWordLike) found(segment, false, offset + index)
  }
}

/** `LazyInitException` → lazy, init, exception; nothing for other words, nor for `PostgreSQL`, which has no two words. */
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

/** The Latin terms of one word as it stands in a text. */
export function termsOfWord(word: string): readonly string[] {
  const cached = wordTerms.get(word)
  if (cached) return cached
  const terms = /^[a-z]+$/i.test(word) ? [stem(word.toLowerCase())] : latinTerms(fold(word))
  if (wordTerms.size >= maxCachedWords) wordTerms.clear()
  wordTerms.set(word, terms)
  return terms
}

/** What is shown of a memory has the same words again and again. */
const wordTerms = new Map<string, readonly string[]>()
const maxCachedWords = 5000

const endings = koreanEndings
  .split(/\s+/)
  .filter(Boolean)
  .sort((one, other) => other.length - one.length)

/** A Korean word without what hangs on to it; as it is when nothing does, or nothing would remain. */
export function withoutKoreanEnding(word: string): string {
  const ending = endings.find((end) => word.length > end.length && word.endsWith(end))
  return ending === undefined ? word : word.slice(0, -ending.length)
}

/** The Korean words of a run, each as it stands and without its ending. */
function koreanTerms(run: string): string[] {
  return (run.match(/\p{Script=Hangul}+/gu) ?? []).flatMap((word) => {
    const bare = withoutKoreanEnding(word)
    return bare === word ? [word] : [word, bare]
  })
}
