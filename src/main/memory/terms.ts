/**
 * From text to index terms (M19, M20). Index and query take the same path, so that they meet:
 *
 * - words are found by `Intl.Segmenter`, folded (case, width, accents) and, in Latin script, stemmed;
 * - identifiers (`POSTGRES_URL`, `v2.3.0`, addresses, paths, `LazyInit`) are kept whole and also split into their parts;
 * - dates, numbers and quantities have one form beside the way they are written (`forms.ts`);
 * - CJK text is indexed character by character, traditional characters as simplified ones, and a query's words are
 *   looked up as runs of characters. A word is then found however the text around it happens to be segmented, and one
 *   character alone is found as well. Korean words are words too: what hangs on to them is cut off.
 */
import { stemmer } from 'stemmer'
import { formsIn } from './forms.ts'
import { simplify } from './han.ts'
import { irregularForms } from './irregular-words.ts'
import { koreanEndings } from './words/korean.ts'

/** Part of the index's fingerprint: a change here, or another ICU, rebuilds it. */
export const tokenizerVersion = `4/${process.versions.icu ?? 'none'}`

export const cjkRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー々〆]+/gu
// Begins where a run of letters does: from within a long one it would be tried again at every letter.
const identifier =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}])[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+(?:[_\-./:@#+\\][\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+)+/gu

/** `undefined` as locale: the words of most scripts do not depend on it, and Chinese and Japanese share a dictionary. */
export const words = new Intl.Segmenter('en', { granularity: 'word' })

/** The index form of a text: Latin terms and CJK characters, each with the text's line breaks kept. */
export interface IndexedText {
  readonly words: string
  readonly chars: string
  /** Each two CJK characters that follow each other, for quick look-ups: single ones are in every other chunk. */
  readonly pairs: string
  /** Length in terms, for BM25; two CJK characters count as one term. */
  readonly length: number
}

/** @param spellings takes the words as they are spelt, each with its term, where they are long enough to be misspelt */
export function indexText(text: string, spellings?: Map<string, string>): IndexedText {
  const wordLines: string[] = []
  const charLines: string[] = []
  const pairLines: string[] = []
  let count = 0
  let charCount = 0
  for (const raw of text.split('\n')) {
    const line = fold(raw)
    const forms = formsIn(line)
    const terms = latinTerms(line, spellings)
    for (const part of camelParts(raw)) terms.push(stem(part))
    const runs = line.match(cjkRun) ?? []
    count += terms.length + forms.length
    for (const { indexed } of forms) terms.push(...indexed)
    for (const run of runs) {
      charCount += run.length
      if (/\p{Script=Hangul}/u.test(run)) terms.push(...koreanTerms(run))
    }
    wordLines.push(terms.join(' '))
    // A bar between runs keeps a word from matching across them.
    charLines.push(runs.map((run) => [...run].join(' ')).join(' | '))
    pairLines.push(runs.map((run) => pairsOf([...run]).join(' ')).join(' | '))
  }
  return {
    words: wordLines.join('\n'),
    chars: charLines.join('\n'),
    pairs: pairLines.join('\n'),
    length: count + charCount / 2,
  }
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
function latinTerms(text: string, spellings?: Map<string, string>): string[] {
  const terms: string[] = []
  forEachWord(text.replace(cjkRun, ' '), (word, isWhole) => {
    const term = isWhole ? word : stem(word)
    terms.push(term)
    if (!isWhole && word.length >= minSpelt) spellings?.set(word, term)
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

export function stem(word: string): string {
  const base = word.replace(/'(?:s|d|ll|re|ve|m|t)?$/, '')
  return /^[a-z]+$/.test(base) ? cachedStem(base) : base.replaceAll("'", '')
}

/** Natural text repeats its words; the stemmer costs more than a look-up. */
const stems = new Map<string, string>()
const maxCachedStems = 10_000

function cachedStem(word: string): string {
  let stemmed = stems.get(word)
  if (stemmed === undefined) {
    if (stems.size >= maxCachedStems) stems.clear()
    stemmed = stemmer(irregularForms.get(word) ?? word)
    stems.set(word, stemmed)
  }
  return stemmed
}

/** The Latin terms of one word as it stands in a text. */
export function termsOfWord(word: string): readonly string[] {
  return /^[a-z]+$/i.test(word) ? [stem(word.toLowerCase())] : latinTerms(fold(word))
}

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
