/**
 * From text to index terms (M19, M20). Index and query take the same path, so that they meet:
 *
 * - words are found by `Intl.Segmenter`, folded (case, width, accents) and, in Latin script, stemmed;
 * - identifiers (`POSTGRES_URL`, `v2.3.0`, addresses, paths, dates) are kept whole and also split into their parts;
 * - CJK text is indexed character by character, and a query's words are looked up as runs of characters. A word is
 *   then found however the text around it happens to be segmented, and one character alone is found as well.
 */
import { stemmer } from 'stemmer'
import { irregularForms } from './irregular-words.ts'

/** Part of the index's fingerprint: a change here, or another ICU, rebuilds it. */
export const tokenizerVersion = `3/${process.versions.icu ?? 'none'}`

const cjkRun = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー々〆]+/gu
// Begins where a run of letters does: from within a long one it would be tried again at every letter.
const identifier =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}])[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+(?:[_\-./:@#+\\][\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+)+/gu

/** `undefined` as locale: the words of most scripts do not depend on it, and Chinese and Japanese share a dictionary. */
const words = new Intl.Segmenter('en', { granularity: 'word' })

/** A term of a query: a Latin word or identifier, or a run of CJK characters. */
export interface QueryTerm {
  readonly kind: 'word' | 'cjk'
  /** As the index has it: a stem, or characters joined by spaces. */
  readonly term: string
  /** As the user wrote it, folded. */
  readonly shown: string
}

/** The index form of a text: Latin terms and CJK characters, each with the text's line breaks kept. */
export interface IndexedText {
  readonly words: string
  readonly chars: string
  /** Each two CJK characters that follow each other, for quick look-ups: single ones are in every other chunk. */
  readonly pairs: string
  /** Length in terms, for BM25; two CJK characters count as one term. */
  readonly length: number
}

export function indexText(text: string): IndexedText {
  const wordLines: string[] = []
  const charLines: string[] = []
  const pairLines: string[] = []
  let count = 0
  let charCount = 0
  for (const line of fold(text).split('\n')) {
    const terms = latinTerms(line.replace(cjkRun, ' '))
    const runs = line.match(cjkRun) ?? []
    wordLines.push(terms.join(' '))
    // A bar between runs keeps a word from matching across them.
    charLines.push(runs.map((run) => [...run].join(' ')).join(' | '))
    pairLines.push(runs.map((run) => pairsOf([...run]).join(' ')).join(' | '))
    count += terms.length
    for (const run of runs) charCount += run.length
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

/** One form for what looks the same to a reader: NFKC, lower case, no combining accents on Latin letters. */
export function fold(text: string): string {
  const composed = text.normalize('NFKC').toLowerCase()
  // Most text is ASCII or CJK, where there is no accent to fold.
  return /[\u00c0-\u024f\u1e00-\u1eff]|\p{Mn}/u.test(composed)
    ? composed
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC')
    : composed
}

/** Terms of a folded text without CJK, in reading order. */
function latinTerms(text: string): string[] {
  const terms: string[] = []
  forEachWord(text, (word, isWhole) => terms.push(isWhole ? word : stem(word)))
  return terms
}

/** Calls for each word, and for an identifier first with it as a whole, then with its parts. */
function forEachWord(text: string, found: (word: string, isWhole: boolean) => void): void {
  let from = 0
  for (const match of text.matchAll(identifier)) {
    forEachPlainWord(text.slice(from, match.index), found)
    found(match[0], true)
    forEachPlainWord(match[0].replace(/[_\-./:@#+\\]/g, ' '), found)
    from = match.index + match[0].length
  }
  forEachPlainWord(text.slice(from), found)
}

function forEachPlainWord(text: string, found: (word: string, isWhole: boolean) => void): void {
  // For plain ASCII words a regular expression finds what the segmenter would, ten times as fast.
  if (/^[\0-\x7f]*$/.test(text)) {
    for (const match of text.matchAll(/[a-z0-9]+(?:'[a-z]+)?/g)) found(match[0], false)
    return
  }
  for (const { segment, isWordLike } of words.segment(text.replaceAll('’', "'"))) {
    if (isWordLike) found(segment, false)
  }
}

function stem(word: string): string {
  const base = word.replace(/'(?:s|d|ll|re|ve|m|t)?$/, '')
  return /^[a-z]+$/.test(base) ? cachedStem(base) : base.replaceAll("'", '')
}

/** Natural text repeats its words; the stemmer costs more than a look-up. */
const stems = new Map<string, string>()
const mostCachedStems = 10_000

function cachedStem(word: string): string {
  let stemmed = stems.get(word)
  if (stemmed === undefined) {
    if (stems.size >= mostCachedStems) stems.clear()
    stemmed = stemmer(irregularForms.get(word) ?? word)
    stems.set(word, stemmed)
  }
  return stemmed
}

/** The Latin terms of one word as it stands in a text. */
export function termsOfWord(word: string): readonly string[] {
  return /^[a-z]+$/i.test(word) ? [stem(word.toLowerCase())] : latinTerms(fold(word).replace(cjkRun, ' '))
}

/** The terms of one piece of query text, without repeats, in order. */
export function queryTerms(text: string): QueryTerm[] {
  const terms = new Map<string, QueryTerm>()
  const folded = fold(text)
  const add = (kind: QueryTerm['kind'], term: string, shown: string) => {
    if (term !== '' && !terms.has(term)) terms.set(term, { kind, term, shown })
  }
  forEachWord(folded.replace(cjkRun, ' '), (word, isWhole) => add('word', isWhole ? word : stem(word), word))
  for (const run of folded.match(cjkRun) ?? []) {
    for (const word of cjkWords(run)) add('cjk', [...word].join(' '), word)
  }
  return [...terms.values()]
}

/**
 * Words of a run of CJK characters. Single characters that follow each other are most often a name that the
 * dictionary lacks, so they are kept together as one word; function words between them are left out.
 */
function cjkWords(run: string): string[] {
  const found: string[] = []
  let singles = ''
  const flush = () => {
    if (singles !== '') found.push(singles)
    singles = ''
  }
  for (const { segment } of words.segment(run)) {
    const word = withoutInflection(segment)
    if (cjkStopWords.has(segment) || cjkStopWords.has(word)) flush()
    else if ([...word].length === 1 && /\p{Script=Han}/u.test(word)) singles += word
    else {
      flush()
      found.push(word)
    }
  }
  flush()
  // A query of nothing but function words still asks for them.
  return found.length > 0 ? found : [run]
}

const koreanParticle =
  /(?:에서는|에서|에게|으로|까지|부터|처럼|보다|이라고|라고|은|는|이|가|을|를|의|에|로|와|과|도|만)$/

/** Drops what Japanese and Korean hang onto a word: kana after kanji, and particles. */
function withoutInflection(word: string): string {
  if (/^\p{Script=Han}+\p{Script=Hiragana}+$/u.test(word)) return word.replace(/\p{Script=Hiragana}+$/u, '')
  if (/^\p{Script=Hangul}{3,}$/u.test(word)) return word.replace(koreanParticle, '')
  return word
}

/** Function words: they are in every text and say nothing about what it is about. */
const cjkStopWords = new Set(
  `的 了 和 与 及 或 是 在 我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 这 那 这个 那个 这些 那些 哪 哪个 哪些 哪里 哪儿 哪位 什么 什麼 怎么 怎麼 怎样
  怎么样 为什么 為什麼 谁 誰 几 幾 多少 吗 嗎 呢 吧 啊 呀 哦 就 都 也 还 還 又 再 很 太 最 更 被 把 给 給 对 對 从 從 到 向 往 于 於 以 而 且 但 但是 因为
  因為 所以 如果 虽然 雖然 有 没有 沒有 没 不 不是 会 會 能 可以 要 想 说 說 曾 曾经 曾經 过 過 着 著 地 得 之 其 一个 一個 一些 一下 一部 一本 一种 一次 时候 時候
  时 時 提到 提过 告诉 告訴 记得 記得 知道 请 請 请问 請問 名字 叫 叫做 上 下 里 裡 中 们 們 個 个
  の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あっ よう また もの という あり まで られ なる へ か だ これ によって により おり より による ず なり られる において ば なかっ なく しかし について せ だっ その後 できる それ う ので なお のみ でき き つ における および いう さらに でも ら たり その他 に関する たち ます ん なら です ました 何 どこ いつ 誰 どの
  은 는 이 가 을 를 의 에 와 과 도 로 으로 그 저 것 수 등 및 무엇 누구 언제 어디`
    .split(/\s+/)
    .filter(Boolean),
)

/** English function words as stems. They take part in a search only when it has nothing else. */
const latinStopWords = new Set(
  `a about above after again against all also am an and any are aren as at be because been before being below between both but by can cannot
  could couldn did didn do does doesn doing don down during each ever few for from further get go had hadn has hasn have haven having he her here hers
  herself him himself his how i if in into is isn it its itself just ll me more most my myself no nor not now of off on once only or other our ours
  ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them themselves then there these they this
  those through to too under until up us ve very was wasn we were weren what when where which while who whom whose why will with won would wouldn you your yours yourself yourselves
  tell know say said please let thing`
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => stemmer(irregularForms.get(word) ?? word)),
)

export function isStopWord(term: QueryTerm): boolean {
  return term.kind === 'word' ? latinStopWords.has(term.term) : cjkStopWords.has(term.shown)
}
